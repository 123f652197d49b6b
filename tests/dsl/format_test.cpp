#include "dsl/format.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include "dsl/ast.hpp"
#include "tests/support/catch.hpp"

using namespace fxrules;

namespace {

std::string without_blanks(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; });
  return text;
}

// Only blanks may differ, the text still parses, and a second time nothing changes.
std::string formatted(const std::string& text) {
  std::string once = dsl::format(text);
  CHECK(without_blanks(once) == without_blanks(text));
  CHECK(dsl::format(once) == once);
  CHECK(dsl::parse(std::make_shared<Source>(Source{"a.rules", once})).diagnostics.empty());
  return once;
}

std::string read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace

TEST_CASE("blanks between tokens") {
  CHECK(formatted("add( x,0 )=>x\n") == "add(x, 0) => x\n");
  CHECK(formatted("f(x , dim=d)  =>  g( [x,y] ,k = 1e-05)\n") == "f(x, dim = d) => g([x, y], k = 1e-05)\n");
  CHECK(formatted("copy(d,u@index_put(d,..),..)=>u if a==b\n") ==
        "copy(d, u @ index_put(d, ..), ..) => u   if a == b\n");
  CHECK(formatted("<f>_(x,..) => <f>(x, 1+2j, -1,2:5)\n") == "<f>_(x, ..) => <f>(x, 1+2j, -1, 2:5)\n");
  CHECK(formatted("f(x) => error \"a ,  b( {x}\"\n") == "f(x) => error \"a ,  b( {x}\"\n");
}

TEST_CASE("lines end alike, and blank lines stand alone") {
  CHECK(formatted("\n\nneg(x) => x  \r\n\n\n\nabs(x) => x\t\n\n\n") == "neg(x) => x\n\nabs(x) => x\n");
  CHECK(formatted("neg(x) => x") == "neg(x) => x\n");
  CHECK(formatted("").empty());
}

TEST_CASE("neighbouring lines share columns") {
  CHECK(formatted("def alike(x, y) = x if dtype(x) == dtype(y)\n"
                  "def alike(x, y) = to(x, dtype(y)) if known(dtype(y))\n"
                  "def other(x) = x # a comment\n"
                  "def some(x) = abs(x) # another\n") ==
        "def alike(x, y) = x                 if dtype(x) == dtype(y)\n"
        "def alike(x, y) = to(x, dtype(y))   if known(dtype(y))\n"
        "def other(x)    = x       # a comment\n"
        "def some(x)     = abs(x)  # another\n");
}

TEST_CASE("a line that is much wider than its neighbours stands for itself") {
  CHECK(formatted("def a(x) = x\n"
                  "def an_equation_with_a_very_long_name_and_more(x) = x\n"
                  "def abc(x) = x\n") ==
        "def a(x)   = x\n"
        "def an_equation_with_a_very_long_name_and_more(x) = x\n"
        "def abc(x) = x\n");
}

TEST_CASE("alternatives and what hangs below them") {
  CHECK(formatted("copy_into:\n"
                  " copy_(d, s)\n"
                  "  => clone(s) if rank(d) == 0\n"
                  "         and known(s)\n"
                  "  => slice_scatter(d, s) otherwise\n"
                  "    as \"{origin(d)}_modified\"\n") ==
        "copy_into:\n"
        "  copy_(d, s)\n"
        "    => clone(s)              if rank(d) == 0\n"
        "                                and known(s)\n"
        "    => slice_scatter(d, s)   otherwise\n"
        "  as \"{origin(d)}_modified\"\n");
  CHECK(formatted("inverse squeeze(b, d), v => unsqueeze(v, d) if shape(b)[d] == 1\n"
                  "   => v if shape(b)[d] != 1\n") ==
        "inverse squeeze(b, d), v => unsqueeze(v, d)   if shape(b)[d] == 1\n"
        "                         => v                 if shape(b)[d] != 1\n");
}

TEST_CASE("statements of tests stand in columns, metadata as it stood") {
  CHECK(formatted("test \"a\" {\n"
                  " before { x = placeholder : f32[4,8] strides=(8,1) device=cpu y=placeholder\n"
                  " a = neg( x ) return a }\n"
                  " after { x = placeholder y = placeholder return x }\n"
                  "}\n") ==
        "test \"a\" {\n"
        "  before { x = placeholder : f32[4,8] strides=(8,1) device=cpu   y = placeholder\n"
        "           a = neg(x)                                            return a }\n"
        "  after  { x = placeholder                                       y = placeholder   return x }\n"
        "}\n");
}

TEST_CASE("nested graphs are indented") {
  CHECK(formatted("test \"a\" {\n"
                  " before { p = placeholder\n"
                  " graph body {\n"
                  " y = placeholder\n"
                  " return neg(y) }\n"
                  " r = cond(p, body) return r }\n"
                  " unchanged because \"p\"\n"
                  "}\n") ==
        "test \"a\" {\n"
        "  before { p = placeholder\n"
        "           graph body {\n"
        "             y = placeholder\n"
        "             return neg(y) }\n"
        "           r = cond(p, body)   return r }\n"
        "  unchanged because \"p\"\n"
        "}\n");
}

TEST_CASE("the shipped rules are formatted") {
  for (const auto& entry : std::filesystem::directory_iterator(FXRULES_SOURCE_DIR "/rules")) {
    if (entry.path().extension() != ".rules") continue;
    INFO(entry.path().string() << ": fxrules fmt formats it");
    const std::string text = read(entry.path());
    CHECK(formatted(text) == text);
  }
}
