// Targets as FX prints them, to ops and back.
#include "tests/catalogue/shared.hpp"

using namespace fxrules;
using namespace fxrules::test;

namespace {

std::string resolved(Opcode opcode, std::string_view target) {
  const auto spelling = shipped().resolve(opcode, target);
  return spelling ? full_name(shipped(), spelling->op) : "";
}

std::string function(std::string_view target) { return resolved(Opcode::call_function, target); }
std::string method(std::string_view target) { return resolved(Opcode::call_method, target); }

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("functions by the path that FX prints") {
  CHECK(function("torch.add") == "aten::add");
  CHECK(function("torch._C._nn.linear") == "aten::linear");
  CHECK(function("torch._C._nn.gelu") == "aten::gelu");
  CHECK(function("torch._C._nn.scaled_dot_product_attention") == "aten::scaled_dot_product_attention");
  CHECK(function("torch._C._special.special_expm1") == "aten::special_expm1");
  CHECK(function("torch._C._fft.fft_fft") == "aten::fft_fft");
  CHECK(function("torch._C._linalg.linalg_norm") == "aten::linalg_norm");
  CHECK(function("torch.nn.functional.relu") == "aten::relu");
  CHECK(function("torch.nn.functional.max_pool2d") == "aten::max_pool2d");
  CHECK(function("torch.nn.functional._threshold") == "aten::threshold");
  CHECK(function("torch.functional.einsum") == "aten::einsum");
  CHECK(function("torch.functional.split") == "aten::split");
  CHECK(function("torch._segment_reduce") == "aten::segment_reduce");
  CHECK(function("torch._C._set_grad_enabled") == "python::_set_grad_enabled");
  CHECK(function("torch.amp.autocast_mode._enter_autocast") == "python::_enter_autocast");
  CHECK(function("torch.sym_max") == "python::sym_max");
  CHECK(function("math.sqrt") == "python::math_sqrt");
  CHECK(function("__main__.ident").empty());
  CHECK(function("").empty());
}

TEST_CASE("namesakes with another meaning are other ops") {
  CHECK(function("torch.nn.functional.unfold") == "python::unfold");
  CHECK(method("unfold") == "aten::unfold");
  CHECK(function("torch.nn.functional.adaptive_max_pool2d") == "python::adaptive_max_pool2d");
  CHECK(function("torch.functional.tensordot") == "python::tensordot");
}

TEST_CASE("operators are what eager runs for tensors") {
  CHECK(function("operator.add") == "aten::add");
  CHECK(function("operator.and_") == "aten::bitwise_and");
  CHECK(function("operator.invert") == "aten::bitwise_not");
  CHECK(function("operator.mod") == "aten::remainder");
  CHECK(function("operator.floordiv") == "aten::floor_divide");
  CHECK(function("operator.truediv") == "aten::div");
  CHECK(function("operator.iadd") == "aten::add_");
  CHECK(function("operator.imatmul") == "aten::matmul");
  CHECK(function("operator.ilshift") == "aten::__ilshift__");
  CHECK(function("operator.getitem") == "python::getitem");
  CHECK(function("operator.setitem") == "python::setitem");
  CHECK(function("builtins.getattr") == "python::getattr");
  CHECK(function("builtins.len") == "python::len");
}

TEST_CASE("methods, not properties") {
  CHECK(method("add") == "aten::add");
  CHECK(method("add_") == "aten::add_");
  CHECK(method("view") == "aten::view");
  CHECK(method("size") == "aten::size");
  CHECK(method("to") == "aten::to");
  CHECK(method("requires_grad_") == "aten::requires_grad_");
  CHECK(method("float") == "python::to_float");
  CHECK(method("requires_grad").empty());
  CHECK(method("T").empty());
  CHECK(method("data").empty());
  CHECK(method("shape").empty());
  CHECK(method("linear").empty());
}

TEST_CASE("dunder methods, reflected ones with a mark, and unbound methods") {
  CHECK(method("__add__") == "aten::add");
  CHECK(method("__iadd__") == "aten::add_");
  CHECK(method("__getitem__") == "python::getitem");
  CHECK(method("__setitem__") == "python::setitem");
  CHECK(method("__len__") == "aten::len");
  const Spelling reflected = shipped().resolve(Opcode::call_method, "__rsub__").value();
  CHECK(full_name(shipped(), reflected.op) == "aten::sub");
  CHECK(reflected.reflected);
  CHECK(reflected.style == SpellingStyle::dunder);
  CHECK_FALSE(shipped().resolve(Opcode::call_method, "__sub__")->reflected);
  CHECK(function("torch.Tensor.add_") == "aten::add_");
  CHECK(function("torch.Tensor.__getitem__") == "python::getitem");
  CHECK(function("torch.Tensor.nothing").empty());
  CHECK(shipped().resolve(Opcode::call_function, "torch.Tensor.add_")->style == SpellingStyle::dunder);
}

TEST_CASE("torch.ops and its edge-dialect twin, with and without an overload") {
  const Spelling packet = shipped().resolve(Opcode::call_function, "torch.ops.aten.add").value();
  CHECK(packet.style == SpellingStyle::aten_packet);
  CHECK_FALSE(packet.overload.valid());
  const Spelling one = shipped().resolve(Opcode::call_function, "torch.ops.aten.add.Tensor").value();
  CHECK(one.style == SpellingStyle::aten_overload);
  CHECK(shipped().overload(one.overload).name == "Tensor");
  const Spelling edge =
      shipped().resolve(Opcode::call_function, "executorch.exir.dialects.edge._ops.aten.add.Tensor").value();
  CHECK(edge.style == SpellingStyle::edge_overload);
  CHECK(edge.overload == one.overload);
  CHECK(shipped().resolve(Opcode::call_function, "executorch.exir.dialects.edge._ops.aten.add")->style ==
        SpellingStyle::edge_packet);
  CHECK(function("torch.ops.higher_order.cond") == "higher_order::cond");
  CHECK(function("torch.ops.quantized.add") == "quantized::add");
  CHECK(function("executorch.exir.dialects.edge._ops.dim_order_ops._to_dim_order_copy.default") ==
        "dim_order_ops::_to_dim_order_copy");
  CHECK(function("torch.ops.npu.npu_quantize").empty());
  CHECK(function("torch.ops.aten.add.Tensr").empty());
  CHECK(function("torch.ops.aten.add.Tensor.more").empty());
  CHECK(function("torch.ops.aten").empty());
  CHECK(function("torch.ops.").empty());
  CHECK(function("torch.ops.python.getitem").empty());
}

TEST_CASE("only calls have ops") {
  CHECK(resolved(Opcode::call_module, "add").empty());
  CHECK(resolved(Opcode::get_attr, "torch.add").empty());
  CHECK(resolved(Opcode::placeholder, "add").empty());
}

TEST_CASE("a friendlier path leads to the one that FX prints") {
  CHECK(shipped().printed_target("torch.nn.functional.linear") == "torch._C._nn.linear");
  CHECK(shipped().printed_target("torch.einsum") == "torch.functional.einsum");
  CHECK(shipped().printed_target("torch.linalg.norm") == "torch._C._linalg.linalg_norm");
  CHECK(shipped().printed_target("torch.add") == "torch.add");
  CHECK(shipped().printed_target("pkg.mod.fn") == "pkg.mod.fn");
  CHECK(function("torch.nn.functional.linear") == "aten::linear");
  CHECK(candidate_names(Opcode::call_function, "torch.einsum") == Names{"torch.functional.einsum"});
}

TEST_CASE("what a spelling can mean, in the order of trying") {
  CHECK(candidate_names(Opcode::call_method, "add") == Names{"Tensor", "Scalar"});
  CHECK(candidate_names(Opcode::call_function, "torch.ops.aten.add.Tensor") == Names{"Tensor"});
  CHECK(candidate_names(Opcode::call_function, "torch.ops.aten.relu") == Names{"default", "out"});
  CHECK(candidate_names(Opcode::call_function, "torch.nn.functional.relu") == Names{"torch.nn.functional.relu"});
  CHECK(candidate_names(Opcode::call_function, "torch.relu") == Names{"default"});
  CHECK(candidate_names(Opcode::call_function, "operator.iadd") == Names{"operator.iadd", "operator.iadd"});
  CHECK(candidate_names(Opcode::call_method, "size") == Names{".size", ".size"});
  CHECK(candidate_names(Opcode::call_function, "torch.add") == Names{"Tensor", "Scalar", "out"});
  CHECK(candidate_names(Opcode::call_method, "to") == Names{".to", ".to", ".to"});
  CHECK(candidate_names(Opcode::call_function, "torch.Tensor.to") == Names{".to", ".to", ".to"});
  const Names max = candidate_names(Opcode::call_function, "torch.max");
  CHECK(max.back() == "torch.max");
  CHECK(max.front() == "dim");
}

TEST_CASE("targets of an op") {
  const Catalogue& catalogue = shipped();
  const OpId add = catalogue.find_op("add").value();
  CHECK(catalogue.method_of(add) == "add");
  CHECK(catalogue.function_of(add) == "torch.add");
  CHECK(catalogue.operator_of(add) == "operator.add");
  CHECK(catalogue.packet_target(add) == "torch.ops.aten.add");
  const OverloadId tensor = catalogue.find_overload(add, "Tensor").value();
  CHECK(catalogue.overload_target(tensor) == "torch.ops.aten.add.Tensor");
  CHECK(catalogue.edge_target(tensor) == "executorch.exir.dialects.edge._ops.aten.add.Tensor");
  const OverloadId relu = catalogue.find_overload(catalogue.find_op("relu").value(), "default").value();
  CHECK(catalogue.overload_target(relu) == "torch.ops.aten.relu.default");
  const OpId getitem = catalogue.find_op("getitem").value();
  CHECK(catalogue.packet_target(getitem).empty());
  CHECK(catalogue.operator_of(getitem) == "operator.getitem");
  CHECK(catalogue.function_of(getitem).empty());
  CHECK(catalogue.method_of(getitem).empty());
}

TEST_CASE("a function is written by the path that users can call") {
  const auto written = [](std::string_view name) { return shipped().function_of(shipped().find_op(name).value()); };
  CHECK(written("linear") == "torch._C._nn.linear");
  CHECK(written("pad") == "torch.nn.functional.pad");
  CHECK(written("relu") == "torch.relu");
  CHECK(written("einsum") == "torch.functional.einsum");
  CHECK(written("slice_scatter") == "torch.slice_scatter");
  CHECK(written("interpolate") == "torch.nn.functional.interpolate");
  CHECK(written("add_").empty());
}
