// Ops, schemas, defaults, tags, forms.
#include <algorithm>
#include <thread>

#include "tests/catalogue/shared.hpp"

using namespace fxrules;
using namespace fxrules::test;

TEST_CASE("every signature of the shipped catalogue parses and belongs to its op") {
  const Catalogue& catalogue = shipped();
  std::size_t parsed = 0;
  for (std::uint32_t op = 0; op < catalogue.op_count(); ++op) {
    for (const OverloadId id : catalogue.overloads(OpId(op))) {
      const Overload& one = catalogue.overload(id);
      CHECK(one.op == OpId(op));
      CHECK(one.id == id);
      CHECK(one.python == !one.python_target.empty());
      ++parsed;
    }
  }
  CHECK(parsed > 4000);
  CHECK(catalogue.op_count() > 2300);
}

TEST_CASE("ops are found without a name space, aten first, or with one") {
  CHECK(found("add") == "aten::add");
  CHECK(found("aten.add") == "aten::add");
  CHECK(found("aten::add") == "aten::add");
  CHECK(found("getitem") == "python::getitem");
  CHECK(found("interpolate") == "python::interpolate");
  CHECK(found("convert_element_type") == "prims::convert_element_type");
  CHECK(found("quantized_decomposed.quantize_per_tensor") == "quantized_decomposed::quantize_per_tensor");
  CHECK(found("_c10d_functional.all_reduce") == "_c10d_functional::all_reduce");
  CHECK(found("higher_order.cond") == "higher_order::cond");
  CHECK(found("quantize_per_channel_group").empty());
  CHECK(found("torch.add").empty());
  CHECK(found("").empty());
}

TEST_CASE("a schema carries names, types, defaults and what is keyword-only") {
  const Overload& add = overload("add", "Tensor");
  REQUIRE(add.arguments.size() == 3);
  CHECK(add.arguments[0].name == "self");
  CHECK(add.arguments[0].type.kind == TypeKind::tensor);
  CHECK_FALSE(add.arguments[1].keyword_only);
  CHECK(add.arguments[2].name == "alpha");
  CHECK(add.arguments[2].keyword_only);
  CHECK(add.arguments[2].type.kind == TypeKind::number);
  CHECK(add.arguments[2].default_text == "1");
  REQUIRE(add.returns.size() == 1);
  CHECK(add.returns[0].type.kind == TypeKind::tensor);
  CHECK_FALSE(add.writes());
}

TEST_CASE("types tell lists, fixed lengths, options and optional elements apart") {
  const Overload& conv = overload("conv2d");
  CHECK(conv.arguments[2].type == SchemaType{TypeKind::tensor, false, true, false, -1});
  CHECK(conv.arguments[3].type == SchemaType{TypeKind::integer, true, false, false, 2});
  CHECK(conv.arguments[3].default_text == "[1, 1]");
  const Overload& put = overload("index_put");
  CHECK(put.arguments[1].type == SchemaType{TypeKind::tensor, true, false, true, -1});
  const Overload& mean = overload("mean", "dim");
  CHECK(mean.arguments[1].type == SchemaType{TypeKind::integer, true, true, false, 1});
}

TEST_CASE("defaults are spelled as Python spells them") {
  CHECK(overload("allclose").arguments[2].default_text == "1e-05");
  CHECK(overload("uniform_").arguments[1].default_text == "0.0");
  CHECK(overload("gelu").arguments[1].default_text == "\"none\"");
  CHECK(overload("contiguous").arguments[1].default_text == "contiguous_format");
  CHECK(overload("sum").arguments[1].default_text == "None");
}

TEST_CASE("several results, named") {
  const Overload& max = overload("max", "dim");
  REQUIRE(max.returns.size() == 2);
  CHECK(max.returns[0].name == "values");
  CHECK(max.returns[1].name == "indices");
  CHECK(overload("_foreach_add_", "Scalar").returns.empty());
}

TEST_CASE("annotations say what is written and what results alias") {
  const Overload& put = overload("index_put_");
  CHECK(put.arguments[0].writes);
  CHECK(put.arguments[0].alias == "a");
  CHECK(put.returns[0].writes);
  CHECK(put.writes());
  const Overload& foreach = overload("_foreach_add_", "Scalar");
  CHECK(foreach.arguments[0].writes);
  CHECK(foreach.arguments[0].type.list);
  const Overload& out = overload("add", "out");
  CHECK(out.arguments[out.arguments.size() - 1].writes);
  const Overload& split = overload("split", "Tensor");
  CHECK(split.arguments[0].alias == "a");
  CHECK_FALSE(split.writes());
  CHECK(split.returns[0].alias == "a");
  CHECK(split.returns[0].type.list);
}

TEST_CASE("tags") {
  CHECK(has(overload("relu").tags, OpTag::pointwise));
  CHECK(has(overload("relu").tags, OpTag::core));
  CHECK(has(overload("transpose", "int").tags, OpTag::view));
  CHECK_FALSE(has(overload("transpose", "int").tags, OpTag::may_alias));
  CHECK_FALSE(has(overload("reshape").tags, OpTag::view));
  CHECK(has(overload("reshape").tags, OpTag::may_alias));
  CHECK(has(overload("t_").tags, OpTag::inplace_view));
  CHECK_FALSE(has(overload("t_").tags, OpTag::view));
  CHECK(has(overload("bernoulli").tags, OpTag::random));
  CHECK(has(overload("nonzero").tags, OpTag::data_dependent));
  CHECK(has(overload("_c10d_functional.wait_tensor").tags, OpTag::effect));
  CHECK(has(overload("_assert_async", "msg").tags, OpTag::effect));
  CHECK_FALSE(has(overload("add", "Tensor").tags, OpTag::effect));
}

TEST_CASE("commutative ops, by overload where only one is") {
  CHECK(has(overload("add", "Tensor").tags, OpTag::commutative));
  CHECK(has(overload("bitwise_xor", "Tensor").tags, OpTag::commutative));
  CHECK_FALSE(has(overload("sub", "Tensor").tags, OpTag::commutative));
  CHECK(has(overload("max", "other").tags, OpTag::commutative));
  CHECK_FALSE(has(overload("max", "dim").tags, OpTag::commutative));
  CHECK_FALSE(has(overload("add_", "Tensor").tags, OpTag::commutative));
}

TEST_CASE("arguments are found by name and by torch's synonyms") {
  const Overload& sum = overload("sum", "dim_IntList");
  CHECK(sum.find("self") == 0);
  CHECK(sum.find("input") == 0);
  CHECK(sum.find("x") == 0);
  CHECK(sum.find("dim") == 1);
  CHECK(sum.find("axis") == 1);
  CHECK(sum.find("keepdims") == 2);
  CHECK(sum.find("dtype") == 3);
  CHECK(sum.find("other") == -1);
  CHECK(overload("add", "Tensor").find("x2") == 1);
  CHECK(overload("layer_norm").find("self") == 0);
  CHECK(overload("full").find("self") == -1);
}

TEST_CASE("in-place and functional forms") {
  const Catalogue& catalogue = shipped();
  const auto functional = [&](std::string_view name) {
    const auto op = catalogue.functional_form(catalogue.find_op(name).value());
    return op ? full_name(catalogue, *op) : "";
  };
  const auto in_place = [&](std::string_view name) {
    const auto op = catalogue.in_place_form(catalogue.find_op(name).value());
    return op ? full_name(catalogue, *op) : "";
  };
  CHECK(functional("add_") == "aten::add");
  CHECK(functional("_foreach_add_") == "aten::_foreach_add");
  CHECK(functional("__ilshift__") == "aten::__lshift__");
  CHECK(functional("dropout_") == "aten::dropout");
  CHECK(functional("normal_") == "aten::normal_functional");
  CHECK(functional("index_put_") == "aten::index_put");
  CHECK(functional("requires_grad_").empty());
  CHECK(functional("share_memory_").empty());
  CHECK(functional("add").empty());
  CHECK(functional("is_").empty());
  CHECK(in_place("add") == "aten::add_");
  CHECK(in_place("_foreach_mul") == "aten::_foreach_mul_");
  CHECK(in_place("__lshift__") == "aten::__ilshift__");
  CHECK(in_place("normal").empty());
  CHECK(in_place("cat").empty());
  CHECK(in_place("matmul").empty());
}

TEST_CASE("overloads are found by name") {
  const OpId add = shipped().find_op("add").value();
  CHECK(shipped().find_overload(add, "Tensor"));
  CHECK(shipped().find_overload(add, "out"));
  CHECK_FALSE(shipped().find_overload(add, "default"));
  CHECK_FALSE(shipped().find_overload(add, ""));
  CHECK(shipped().find_overload(shipped().find_op("relu").value(), "default"));
}

TEST_CASE("the engine's own ops have roles") {
  CHECK(full_name(shipped(), shipped().role("getitem")) == "python::getitem");
  CHECK(full_name(shipped(), shipped().role("write")) == "aten::copy_");
  CHECK(full_name(shipped(), shipped().role("clone")) == "aten::clone");
  CHECK_THROWS_AS(shipped().role("merge"), std::out_of_range);
}

TEST_CASE("names for hints") {
  const auto names = shipped().all_op_names();
  CHECK(names.size() == shipped().op_count());
  CHECK(std::find(names.begin(), names.end(), "slice_scatter") != names.end());
}

TEST_CASE("threads may ask for the same signatures at once") {
  const auto catalogue = Catalogue::load(FXRULES_SHARE_DIR);
  std::vector<std::size_t> counts(4);
  std::vector<std::thread> threads;
  for (std::size_t& count : counts) {
    threads.emplace_back([&catalogue, &count] {
      for (std::uint32_t op = 0; op < catalogue->op_count(); ++op) {
        for (const OverloadId id : catalogue->overloads(OpId(op))) count += catalogue->overload(id).arguments.size();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(counts[0] > 10000);
  CHECK(counts == std::vector<std::size_t>(4, counts[0]));
}

TEST_CASE("a missing data folder is an error that names the file") {
  CHECK_THROWS_AS(Catalogue::load("/nonexistent"), Error);
  try {
    (void)Catalogue::load("/nonexistent");
  } catch (const Error& error) {
    CHECK(error.diagnostics().front().message == "cannot read `/nonexistent/catalogue/torch.ops`");
  }
}
