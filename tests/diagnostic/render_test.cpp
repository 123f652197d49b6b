#include "fxrules/diagnostic.hpp"
#include "tests/support/catch.hpp"

using namespace fxrules;

namespace {

SourcePtr source(std::string text, std::string name = "a.rules") {
  return std::make_shared<const Source>(Source{std::move(name), std::move(text)});
}

// The diagnostic that points at `part`, which occurs in `text` once.
Diagnostic pointing_at(const std::string& text, const std::string& part) {
  const auto begin = static_cast<std::uint32_t>(text.find(part));
  REQUIRE(text.find(part) != std::string::npos);
  return {Severity::error, "k", "m", {source(text), begin, begin + static_cast<std::uint32_t>(part.size())}, ""};
}

std::string between_bars(const std::string& rendered, int line) {
  std::size_t at = 0;
  for (int i = 0; i < line; ++i) at = rendered.find('\n', at) + 1;
  const std::string whole = rendered.substr(at, rendered.find('\n', at) - at);
  return whole.substr(whole.find('|') + 2);
}
std::string shown_line(const Diagnostic& diagnostic) { return between_bars(render(diagnostic), 1); }
std::string shown_caret(const Diagnostic& diagnostic) { return between_bars(render(diagnostic), 2); }

}  // namespace

TEST_CASE("a diagnostic shows its place, line, caret and hint") {
  std::string text(11, '\n');
  text += "copy_(d, s) => slice_scatter(d, src)\nnext";
  Diagnostic diagnostic = pointing_at(text, "src");
  diagnostic.span.source = source(text, "inplace.rules");
  diagnostic.kind = "unbound-name";
  diagnostic.message = "replacement uses `src`, which the pattern does not bind";
  diagnostic.hint = "the pattern binds `d` and `s`";
  CHECK(render(diagnostic) ==
        "inplace.rules:12:33: error: replacement uses `src`, which the pattern does not bind [unbound-name]\n"
        "  12 | copy_(d, s) => slice_scatter(d, src)\n"
        "     |                                 ^~~\n"
        "hint: the pattern binds `d` and `s`\n");
}

TEST_CASE("without a place there is the message alone") {
  CHECK(render(Diagnostic{Severity::warning, "", "no rules", {}, ""}) == "warning: no rules\n");
  CHECK(render(Diagnostic{Severity::note, "k", "no rules", {}, "add one"}) == "note: no rules [k]\nhint: add one\n");
}

TEST_CASE("related places stand below, in order, each before its own") {
  Diagnostic deepest{Severity::note, "", "three", {}, ""};
  Diagnostic first{Severity::note, "", "two", {}, "", {deepest}};
  Diagnostic second{Severity::note, "", "four", {}, ""};
  const Diagnostic diagnostic{Severity::error, "", "one", {}, "", {first, second}};
  CHECK(render(diagnostic) == "error: one\nnote: two\nnote: three\nnote: four\n");
  CHECK(render(std::vector{diagnostic, second}) == "error: one\nnote: two\nnote: three\nnote: four\nnote: four\n");
}

TEST_CASE("the caret stands under its text after tabs, wide characters and escapes") {
  CHECK(shown_line(pointing_at("\tadd(x)", "x")) == "    add(x)");
  CHECK(shown_caret(pointing_at("\tadd(x)", "x")) == "        ^");
  CHECK(shown_caret(pointing_at("\"é\" x", "x")) == "    ^");
  CHECK(shown_caret(pointing_at("\"漢\" x", "x")) == "     ^");
  CHECK(shown_caret(pointing_at("\"e\u0301\" x", "x")) == "    ^");
  CHECK(shown_caret(pointing_at("\"漢é\" x", "漢é")) == " ^~~");
}

TEST_CASE("columns count bytes") {
  CHECK(render(pointing_at("\"é\" x", "x")).rfind("a.rules:1:6: ", 0) == 0);
  CHECK(line_column("ab\ncd", 4).line == 2);
  CHECK(line_column("ab\ncd", 4).column == 2);
  CHECK(line_column("ab\ncd", 2).column == 3);
  CHECK(line_column("ab\ncd", 99).column == 3);
}

TEST_CASE("what a terminal would interpret is spelt out") {
  CHECK(shown_line(pointing_at("\x1b[2Jx", "x")) == "\\x1b[2Jx");
  CHECK(shown_caret(pointing_at("\x1b[2Jx", "x")) == "       ^");
  CHECK(shown_line(pointing_at("\xff\xc3(x", "x")) == "\\xff\\xc3(x");
  CHECK(shown_line(pointing_at("a\u202Ex", "x")) == "a\\xe2\\x80\\xaex");
  const Diagnostic hostile{Severity::error, "", "unknown op `\x1b[2J`", {}, "or `\x07`?"};
  CHECK(render(hostile) == "error: unknown op `\\x1b[2J`\nhint: or `\\x07`?\n");
}

TEST_CASE("a span at the end of a line, of the text, or of nothing has one caret") {
  const auto at = [](std::string text, std::uint32_t begin, std::uint32_t end) {
    return shown_caret({Severity::error, "k", "m", {source(std::move(text)), begin, end}, ""});
  };
  CHECK(at("ab\ncd", 2, 2) == "  ^");
  CHECK(at("ab\r\ncd", 2, 3) == "  ^");
  CHECK(at("ab", 2, 2) == "  ^");
  CHECK(at("ab", 700, 900) == "  ^");
  CHECK(at("abcd", 1, 1) == " ^");
  CHECK(at("", 0, 0) == "^");
}

TEST_CASE("a span over several lines is underlined to the end of its first") {
  CHECK(shown_line(pointing_at("ab cd\nef gh", "cd\nef")) == "ab cd");
  CHECK(shown_caret(pointing_at("ab cd\nef gh", "cd\nef")) == "   ^~");
}

TEST_CASE("a line of 160 columns is whole, a longer one is cut around the caret") {
  const std::string whole = std::string(159, 'a') + "x";
  CHECK(shown_line(pointing_at(whole, "x")) == whole);
  for (const std::size_t before : {0u, 1u, 100u, 1'000u, 5'000'000u}) {
    for (const std::size_t after : {200u, 0u, 1u, 1'000u, 5'000'000u}) {
      if (before + after < 160) continue;
      const Diagnostic diagnostic = pointing_at(std::string(before, 'a') + "x" + std::string(after, 'b'), "x");
      const std::string line = shown_line(diagnostic);
      const std::string caret = shown_caret(diagnostic);
      INFO(before << " before, " << after << " after: " << line);
      CHECK(line.size() <= 160);
      CHECK(line.size() >= 150);
      REQUIRE(caret.size() <= line.size());
      CHECK(line[caret.size() - 1] == 'x');
      CHECK((line.rfind("...", 0) == 0) == (line[0] == '.'));
    }
  }
}

TEST_CASE("a cut never splits a character") {
  std::string text;
  for (int i = 0; i < 2'000; ++i) text += "é漢";
  text += "x";
  for (int i = 0; i < 2'000; ++i) text += "漢é";
  const Diagnostic diagnostic = pointing_at(text, "x");
  CHECK(shown_line(diagnostic).find("\\x") == std::string::npos);
}

TEST_CASE("an underline ends with the window") {
  const std::string text(1'000, 'a');
  const Diagnostic diagnostic{Severity::error, "k", "m", {source(text), 100, 900}, ""};
  CHECK(shown_caret(diagnostic).size() + 3 == shown_line(diagnostic).size());
}

TEST_CASE("colours wrap the place, the severity, the caret and the hint") {
  Diagnostic diagnostic = pointing_at("ab", "b");
  diagnostic.hint = "h";
  CHECK(render(diagnostic, true) ==
        "\x1b[1ma.rules:1:2: \x1b[0m\x1b[1;31merror: \x1b[0mm [k]\n"
        "  1 | ab\n"
        "    |  \x1b[1;31m^\x1b[0m\n"
        "\x1b[1mhint: \x1b[0mh\n");
}

TEST_CASE("only errors are errors, and an Error carries what was found") {
  const Diagnostic note{Severity::note, "", "fyi", {}, ""};
  const Diagnostic error{Severity::error, "", "bad", {}, ""};
  CHECK_FALSE(has_errors({note, {Severity::warning, "", "hm", {}, ""}}));
  CHECK(has_errors({note, error}));
  const Error thrown({note, error});
  CHECK(std::string(thrown.what()) == "note: fyi\nerror: bad\n");
  CHECK(thrown.diagnostics().size() == 2);
}
