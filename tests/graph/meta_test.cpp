// Annotations: text to metadata and back, and what rule files may write.
#include "fxrules/meta.hpp"

#include <string>

#include "fxrules/graph.hpp"
#include "tests/support/catch.hpp"

using namespace fxrules;

namespace {

struct Fixture {
  Tables tables;
  Metas& metas = tables.metas;
  MetaId operator()(std::string_view text) {
    INFO(text);
    const auto id = metas.parse(text);
    REQUIRE(id.has_value());
    return *id;
  }
  const TensorMeta& tensor(std::string_view text) {
    const TensorMeta* meta = metas.tensor_of((*this)(text));
    REQUIRE(meta != nullptr);
    return *meta;
  }
  std::string again(std::string_view text) { return metas.text((*this)(text)); }
};

}  // namespace

TEST_CASE("annotations print as torch prints them", "[meta]") {
  Fixture f;
  for (const char* text : {"f32[4, 8][8, 1]cpu",
                           "f32[][]cpu",
                           "f32[0, 3][3, 1]cpu",
                           "i64[s77][1]cuda:0",
                           "b8[3][1]meta",
                           "bf16[1, 1, 48][48, 48, 1]xla:0",
                           "f32[s0 + 1, 8]",
                           "f32[s75**2]",
                           "i64[((s72 + 1)//2)]",
                           "bf16[Min(16384, s1)]",
                           "f32[s77 + ((s17//2)), Mod(s77, 3)][Mod(s77, 3), 1]cpu",
                           "f32[]",
                           "Sym(s0)",
                           "Sym(8)",
                           "Sym(2*s0)",
                           "Sym(u0 >= 0)",
                           "DTensor(f32[4, 8][8, 1]cpu, (Shard(dim=0),))",
                           "Wrapper(f32[4])",
                           "f8e4m3fn[2]",
                           "c64[2][1]cpu",
                           "f32",
                           "f32[?, 4]",
                           "(f32[2][1]cpu, ?)",
                           "(i64[2][1]cpu,)",
                           "()",
                           "(Sym(s0), (f32[2], ()))",
                           "?[4]"}) {
    CHECK(f.again(text) == text);
  }
}

TEST_CASE("rule files may write metadata in their own way", "[meta]") {
  Fixture f;
  CHECK(f.again("f32[4,8] strides=(8,1) device=cpu") == "f32[4, 8][8, 1]cpu");
  CHECK(f("f32[4,8] strides=(8,1) device=cpu") == f("f32[4, 8][8, 1]cpu"));
  CHECK(f.again("bool[3]") == "b8[3]");
  CHECK(f.again("torch.float16[2]") == "f16[2]");
  CHECK(f.again("  f32[s0 , 1]  strides=[1,1]") == "f32[s0, 1][1, 1]");
  CHECK(f.again("f32[4] device=cuda:1") == "f32[4]cuda:1");
  CHECK(f.again("f32[4] strides=(1,)") == "f32[4][1]");
  const TensorMeta& meta = f.tensor("f32[] strides=() layout=torch.strided requires_grad=True quantised=False");
  CHECK(meta.dtype == Dtype::float32);
  CHECK(meta.shape->empty());
  CHECK(meta.strides->empty());
  CHECK(f.tables.symbols.text(meta.layout) == "torch.strided");
  CHECK(meta.requires_grad == true);
  CHECK(meta.quantised == false);
}

TEST_CASE("what is left out is unknown", "[meta]") {
  Fixture f;
  const TensorMeta& meta = f.tensor("f32[4, 8]");
  CHECK_FALSE(meta.strides.has_value());
  CHECK_FALSE(meta.device.valid());
  CHECK_FALSE(meta.requires_grad.has_value());
  CHECK_FALSE(f.tensor("f32").shape.has_value());
  CHECK_FALSE((*f.tensor("f32[?]").shape)[0].known);
  CHECK(f.tensor("?[4]").dtype == Dtype::unknown);
  CHECK(f.metas.tensor_of(MetaId()) == nullptr);
  CHECK(f.metas.tensor_of(f("Sym(s0)")) == nullptr);
}

TEST_CASE("other texts are no metadata", "[meta]") {
  Fixture f;
  for (const char* text : {"",
                           " ",
                           "?",
                           "torch.Tensor",
                           "f99[4]",
                           "f32[4",
                           "f32[4]]",
                           "f32[4,,8]",
                           "f32[,]",
                           "f32[4][1][1]",
                           "f32[4][8, 1]",
                           "f32[4] strides=(8,1)",
                           "f32 strides=(1,)",
                           "f32 cpu",
                           "f32[4]cpu:",
                           "f32[4]cpu:x",
                           "f32[4] devise=cpu",
                           "f32[4] device=",
                           "f32[4] requires_grad=1",
                           "f32[4] strides=8",
                           "Sym()",
                           "Sym(s0",
                           "(f32[4]",
                           "(f32[4]))",
                           "(f32[4] f32[4])",
                           "(,)",
                           "f32[1.5]",
                           "DTensor(f32[4]",
                           "x(y)z",
                           "int | None"}) {
    INFO(text);
    CHECK_FALSE(f.metas.parse(text).has_value());
  }
  CHECK_FALSE(f.metas.parse(std::string(1000000, '(')).has_value());
  CHECK_FALSE(f.metas.parse("f32[" + std::string(1000000, '(')).has_value());
}

TEST_CASE("metadata nests without recursion", "[meta]") {
  Fixture f;
  constexpr std::size_t kDepth = 100000;
  const std::string text = std::string(kDepth, '(') + "f32[2]," + [] {
    std::string close;
    for (std::size_t i = 1; i < kDepth; ++i) close += "),";
    return close + ")";
  }();
  CHECK(f.again(text) == text);
}

TEST_CASE("equal metadata is one id", "[meta]") {
  Fixture f;
  CHECK(f("f32[4, 8]") == f("f32[4,8]"));
  CHECK(f("f32[4, 8]") != f("f32[4, 8][8, 1]"));
  CHECK(f("f32[s0 + 1]") != f("f32[1 + s0]"));  // the spelling differs; Expressions::equal proves them equal
  const TensorMeta* before = f.metas.tensor_of(f("f32[4]"));
  for (int i = 0; i < 1000; ++i) (void)f("f32[" + std::to_string(i) + "]");
  CHECK(before == f.metas.tensor_of(f("f32[4]")));
}

TEST_CASE("contiguous strides are torch's", "[meta]") {
  Fixture f;
  const auto strides = [&](std::string_view text) {
    TensorMeta meta = f.tensor(text);
    meta.strides = row_major(f.metas.expressions(), *meta.shape);
    return f.metas.text(f.metas.tensor(meta));
  };
  CHECK(strides("f32[4, 8]") == "f32[4, 8][8, 1]");
  CHECK(strides("f32[]") == "f32[][]");
  CHECK(strides("f32[2, 0, 3]") == "f32[2, 0, 3][3, 3, 1]");
  CHECK(strides("f32[2, s0, s1]") == "f32[2, s0, s1][s0*s1, s1, 1]");
  CHECK(strides("f32[2, u0]") == "f32[2, u0][Max(1, u0), 1]");
  CHECK(strides("f32[2, ((s77 + 1)//2)]") == "f32[2, ((s77 + 1)//2)][Max(1, ((s77 + 1)//2)), 1]");
  CHECK(strides("f32[2, ?, 3]") == "f32[2, ?, 3][?, 3, 1]");
}
