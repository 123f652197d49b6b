// Rule files, compiled. Immutable once loaded; may be shared by threads.
//
//   LoadResult loaded = load_rules({{"device.rules"}}, options);
//   if (has_errors(loaded.diagnostics)) { std::cerr << render(loaded.diagnostics); … }
//   Report report = apply(loaded.rules, graph);
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fxrules/catalogue.hpp"
#include "fxrules/diagnostic.hpp"
#include "fxrules/functions.hpp"

namespace fxrules {

namespace program {
struct RuleSet;
}

struct LoadOptions {
  std::shared_ptr<Catalogue> catalogue;                    // required
  std::vector<std::filesystem::path> search;               // where bare names and imports are looked up, in order
  std::map<std::string, std::string, std::less<>> params;  // -D name=value, for every param of that name
  // The implicit prelude of every file (lib, index, shapes, views), found on the search path.
  bool prelude = true;
  std::shared_ptr<const Functions> functions = nullptr;  // beside the built-in ones; must not change any more
};

// What a user can see of a rule.
struct RuleInfo {
  std::string name;  // label, or file.rules:LINE
  std::string phase;
  std::string text;  // first line of its left side
  Span span;
};

class RuleSet {
 public:
  RuleSet() = default;
  explicit RuleSet(std::shared_ptr<const program::RuleSet> program) : program_(std::move(program)) {}
  [[nodiscard]] bool valid() const { return program_ != nullptr; }
  [[nodiscard]] const program::RuleSet& program() const { return *program_; }
  [[nodiscard]] std::vector<RuleInfo> rules() const;  // in file order, files in the order given

 private:
  std::shared_ptr<const program::RuleSet> program_;
};

struct LoadResult {
  RuleSet rules;  // invalid when there are errors
  std::vector<Diagnostic> diagnostics;
};

// A rule file: a path, a bare name that the search path resolves, or a text of its own.
struct RuleFile {
  std::string path;
  SourcePtr source = nullptr;
};

// Loads the files in order; each has its own scope over the prelude. All diagnostics of all files are
// collected; nothing is thrown for bad input. O(size).
[[nodiscard]] LoadResult load_rules(const std::vector<RuleFile>& files, const LoadOptions& options);

// `<exe dir>/../share/fxrules`, or $FXRULES_DATA_DIR.
[[nodiscard]] std::filesystem::path data_directory();

}  // namespace fxrules
