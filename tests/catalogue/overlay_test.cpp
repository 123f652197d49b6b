// What schemas leave out, and signatures of functions that torch writes in Python.
#include "tests/catalogue/shared.hpp"

using namespace fxrules;
using namespace fxrules::test;

namespace {

const Overload& function(std::string_view target) { return signature(Opcode::call_function, target); }

}  // namespace

TEST_CASE("running statistics are written in training") {
  const Overload& norm = overload("batch_norm");
  CHECK(norm.arguments[3].writes);
  CHECK(norm.arguments[3].writes_when == "training=True");
  CHECK(norm.arguments[4].writes_when == "training=True");
  CHECK_FALSE(norm.arguments[1].writes);
  CHECK(norm.returns[0].alias.empty());
  CHECK(function("torch.nn.functional.instance_norm").arguments[1].writes_when == "use_input_stats=True");
}

TEST_CASE("inplace=True writes the operand and returns it") {
  const Overload& relu = function("torch.nn.functional.relu");
  CHECK(relu.arguments[0].writes_when == "inplace=True");
  CHECK(relu.arguments[1].default_text == "False");
  CHECK(relu.returns[0].writes);
  CHECK_FALSE(has(relu.tags, OpTag::view));
  const Overload& embedding = function("torch.nn.functional.embedding");
  CHECK(embedding.arguments[1].writes_when == "max_norm!=None");
}

TEST_CASE("out= in Python") {
  const auto max = shipped().candidates(*shipped().resolve(Opcode::call_function, "torch.max"), "torch.max");
  const Overload& merged = shipped().overload(max.back());
  const int out = merged.find("out");
  REQUIRE(out == 3);
  CHECK(merged.arguments[3].type.list);
  CHECK(merged.arguments[3].writes);
  CHECK(merged.arguments[3].keyword_only);
  CHECK(merged.returns[1].writes);
  const Overload& norm = function("torch.functional.norm");
  CHECK(norm.arguments[static_cast<std::size_t>(norm.find("out"))].writes);
}

TEST_CASE("in-place operators write tensors and leave numbers alone") {
  const auto ids = shipped().candidates(*shipped().resolve(Opcode::call_function, "operator.iadd"), "operator.iadd");
  REQUIRE(ids.size() == 2);
  CHECK(shipped().overload(ids[0]).arguments[0].type.kind == TypeKind::tensor);
  CHECK(shipped().overload(ids[0]).writes());
  CHECK(shipped().overload(ids[1]).arguments[0].type.kind == TypeKind::number);
  CHECK_FALSE(shipped().overload(ids[1]).writes());
}

TEST_CASE("subscripts and attributes") {
  const Overload& getitem = function("operator.getitem");
  CHECK(getitem.arguments[0].alias == getitem.returns[0].alias);
  CHECK(has(getitem.tags, OpTag::may_alias));
  CHECK(function("operator.setitem").arguments[0].writes);
  CHECK(function("operator.setitem").arguments[0].type.kind == TypeKind::tensor);
  const Overload& attribute = function("builtins.getattr");
  CHECK(attribute.arguments[0].alias_when == "name=T|H|mT|mH|data|real|imag|_base");
  CHECK_FALSE(attribute.arguments[0].writes);
  CHECK_FALSE(has(attribute.tags, OpTag::view));
}

TEST_CASE("an argument of a Python signature is found by the schema's name too") {
  const Overload& dropout = function("torch.nn.functional.dropout");
  CHECK(dropout.find("training") == 2);
  CHECK(dropout.find("train") == 2);
  CHECK(dropout.find("self") == 0);
  CHECK(has(dropout.tags, OpTag::random));
  const Overload& split = function("torch.functional.split");
  CHECK(split.find("self") == 0);
  CHECK(split.find("split_size") == 1);
}

TEST_CASE("a device role by any name") {
  const Overload& autocast = function("torch.amp.autocast_mode._enter_autocast");
  CHECK(autocast.find("device") == 0);
  CHECK(autocast.find("device_type") == 0);
  CHECK(autocast.arguments[0].type.kind == TypeKind::device);
  CHECK(has(autocast.tags, OpTag::effect));
}

TEST_CASE("positional arguments of a rule go by the schema's order") {
  CHECK(function("torch.nn.functional.batch_norm").rule_order == std::vector<int>{0, 3, 4, 1, 2, 5, 6, 7});
  CHECK(function("torch.nn.functional.softmax").rule_order == std::vector<int>{0, 1, 3});
  const Overload& embedding = function("torch.nn.functional.embedding");
  REQUIRE(embedding.rule_order.size() >= 2);
  CHECK(embedding.rule_order[0] == 1);
  CHECK(embedding.rule_order[1] == 0);
  CHECK(function("torch.nn.functional.relu").rule_order.empty());
  CHECK(overload("add", "Tensor").rule_order.empty());
}

TEST_CASE("functions that take any number of tensors") {
  const Overload& einsum = function("torch.functional.einsum");
  CHECK(einsum.arguments[1].variadic);
  CHECK(einsum.arguments[1].type.list);
  CHECK(einsum.find("tensors") == 1);
  CHECK(function("torch.functional.meshgrid").arguments[1].keyword_only);
}

TEST_CASE("factories take requires_grad in Python") {
  const auto ids = shipped().candidates(*shipped().resolve(Opcode::call_function, "torch.full"), "torch.full");
  CHECK(shipped().overload(ids.front()).find("requires_grad") == -1);
  CHECK(shipped().overload(ids.back()).find("requires_grad") >= 0);
}

TEST_CASE("bodies may return what they get, and write what they get") {
  const Overload& wrap = overload("higher_order.wrap");
  CHECK(wrap.arguments[1].variadic);
  CHECK(wrap.arguments[1].alias == wrap.returns[0].alias);
  CHECK(overload("higher_order.triton_kernel_wrapper_mutation").writes());
}

TEST_CASE("how higher-order ops call graphs") {
  const auto call_of = [](std::string_view name) { return shipped().graph_call(*shipped().find_op(name)); };
  const GraphCall* cond = call_of("higher_order.cond");
  REQUIRE(cond != nullptr);
  CHECK(cond->kind == GraphCall::Kind::branch);
  CHECK(cond->graphs == std::vector<std::string_view>{"true_fn", "false_fn"});
  CHECK(cond->operands == std::vector<std::string_view>{"operands"});
  const GraphCall* loop = call_of("higher_order.while_loop");
  REQUIRE(loop != nullptr);
  CHECK(loop->kind == GraphCall::Kind::loop);
  CHECK(loop->graphs[0] == "body_fn");
  CHECK(call_of("higher_order.map_impl")->kind == GraphCall::Kind::each);
  CHECK(call_of("add") == nullptr);
}

TEST_CASE("an operand that takes another storage") {
  const Overload& set = overload("set_", "source_Tensor");
  CHECK(has(set.tags, OpTag::rebinds));
  CHECK(set.arguments[1].alias == "b");
  CHECK(has(overload("as_strided").tags, OpTag::strided));
  CHECK_FALSE(has(overload("permute").tags, OpTag::strided));
}
