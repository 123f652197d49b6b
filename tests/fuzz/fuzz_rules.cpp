// The entry of the rule parser and everything behind it: whatever a rule file holds, it gives diagnostics or a
// program, both of which can be printed.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "dsl/ast.hpp"
#include "dsl/format.hpp"
#include "engine/program/program.hpp"
#include "fxrules/rule_set.hpp"

namespace {

void check(bool holds) {
  if (!holds) std::abort();
}

std::string without_blanks(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; });
  return text;
}

// Formatting changes blanks alone, and nothing the second time.
void check_format(std::string text) {
  const std::string once = fxrules::dsl::format(text);
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  check(without_blanks(once) == without_blanks(text));
  check(fxrules::dsl::format(once) == once);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fxrules;
  static const std::shared_ptr<Catalogue> catalogue = Catalogue::load(FXRULES_SHARE_DIR);
  const auto source =
      std::make_shared<Source>(Source{"fuzz.rules", std::string(reinterpret_cast<const char*>(data), size)});
  const dsl::ParseResult parsed = dsl::parse(source);
  check(parsed.ast.rules.empty() || !dsl::to_text(parsed.ast).empty());

  if (parsed.diagnostics.empty()) check_format(std::string(source->text));

  LoadOptions options;
  options.catalogue = catalogue;
  options.prelude = false;  // loading it each time would be most of the run
  const LoadResult loaded = load_rules({{source->name, source}}, options);
  check(!render(loaded.diagnostics).empty() || loaded.diagnostics.empty());
  if (loaded.rules.valid()) check(program::to_text(loaded.rules.program()) == program::to_text(loaded.rules.program()));
  return 0;
}
