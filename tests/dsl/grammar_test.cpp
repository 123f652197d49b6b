// The grammar as a whole: it cannot loop, it is fast, and the rule files that we ship parse.
#include "dsl/grammar.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <tao/pegtl/contrib/analyze.hpp>

#include "dsl/ast.hpp"
#include "tests/support/catch.hpp"

namespace fxrules::dsl {
namespace {

SourcePtr source_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return std::make_shared<Source>(Source{path.filename().string(), text.str()});
}

TEST_CASE("the grammar consumes something in every loop") { CHECK(tao::pegtl::analyze<grammar::item>() == 0); }

TEST_CASE("shipped rule files parse") {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(FXRULES_SOURCE_DIR "/rules")) {
    if (entry.path().extension() != ".rules") continue;
    INFO(entry.path());
    const ParseResult result = parse(source_of(entry.path()));
    CHECK(render(result.diagnostics) == "");
    CHECK(!to_text(result.ast).empty());
    ++files;
  }
  CHECK(files >= 4);
}

// Were it quadratic, it would not end before the time that a test has.
TEST_CASE("a file of 100,000 rules parses") {
  constexpr std::size_t kRules = 100'000;
  std::string text;
  for (std::size_t i = 0; i < kRules; ++i)
    text += "mul(relu(add(x, " + std::to_string(i) +
            ", alpha = 2)), y: Tensor)\n  => mul(relu(x), y)   if rank(x) == rank(y) and shape(x)[0] != 3\n";
  CHECK(parse(std::make_shared<Source>(Source{"t.rules", text})).ast.rules.size() == kRules);
}

TEST_CASE("a file keeps its ranges") {
  const auto source =
      std::make_shared<Source>(Source{"t", "add(x, 0)\n  => f(x)  # no-op\n\n# next\nmul(x, y) => x\n"});
  const ParseResult result = parse(source);
  const auto text = [&](Range range) { return source->text.substr(range.begin, range.end - range.begin); };
  REQUIRE(result.ast.rules.size() == 2);
  const Rule& rule = result.ast.rules[0];
  CHECK(text(rule.range) == "add(x, 0)\n  => f(x)");
  CHECK(text(rule.head) == "add(x, 0)");
  CHECK(text(rule.alternatives[0].range) == "=> f(x)");
  CHECK(text(rule.alternatives[0].result.range) == "f(x)");
  CHECK(text(result.ast[rule.alternatives[0].result.term].range) == "f(x)");
  CHECK(text(result.ast.rules[1].range) == "mul(x, y) => x");
}

TEST_CASE("items that fail leave nothing behind") {
  const ParseResult bad = parse(std::make_shared<Source>(Source{"t", "f(x) => g(\ndef h(x) = x y\nadd(x, 0) => x\n"}));
  const ParseResult good = parse(std::make_shared<Source>(Source{"t", "add(x, 0) => x\n"}));
  CHECK(bad.diagnostics.size() == 2);
  CHECK(to_text(bad.ast) == to_text(good.ast));
  CHECK(bad.ast.terms.size() == good.ast.terms.size());
  CHECK(bad.ast.children.size() == good.ast.children.size());
}

}  // namespace
}  // namespace fxrules::dsl
