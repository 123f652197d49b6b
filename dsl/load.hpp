// From names of rule files to trees that passed the load checks.
//
//   Loader loader(catalogue, {.rules_folder = …, .params = {{"target", "cuda"}}});
//   const RuleFile file = loader.load("inplace.rules");   // or a SourcePtr, for text
//   loader.finish();                                       // after the last one: -D of unknown parameters
//   const std::vector<Diagnostic> problems = loader.take_diagnostics();
//
// Every file is read, parsed and checked once for each Loader, however often it is imported. Each file, imported
// or not, has its own scope: the file, what it imports, then the prelude (lib, index, shapes, views).
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/ast.hpp"
#include "fxrules/catalogue.hpp"
#include "fxrules/functions.hpp"

namespace fxrules::dsl {

using AstPtr = std::shared_ptr<const Ast>;

// A rule file named on the command line, with what it sees.
struct RuleFile {
  std::vector<AstPtr> trees;                 // the file itself, its imports depth first, the prelude; none twice
  std::vector<std::vector<AstPtr>> visible;  // by tree: what that file sees, itself first
};

struct LoadOptions {
  std::filesystem::path rules_folder;                      // the shipped rule files; holds the prelude
  std::vector<std::filesystem::path> search_paths;         // for imports, behind the importing file's own folder
  std::map<std::string, std::string, std::less<>> params;  // -D name=value
  bool prelude = true;
  std::shared_ptr<const Functions> functions = nullptr;  // null: none
};

class Loader {
 public:
  // The catalogue grows by the files that `catalogue "…"` names.
  Loader(std::shared_ptr<Catalogue> catalogue, LoadOptions options);
  ~Loader();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  // A path, else the name of a shipped rule file, with or without `.rules`. What is wrong with the file is
  // found in take_diagnostics(); when that holds errors, the trees must not be used further.
  RuleFile load(std::string_view name);
  RuleFile load(SourcePtr source);

  // Checks -D against the parameters of everything that was loaded.
  void finish();

  // The files that were read so far, catalogue files too, in the order in which they were met.
  [[nodiscard]] std::vector<std::filesystem::path> paths() const;

  // What was found since the last call, in the order of files and places.
  [[nodiscard]] std::vector<Diagnostic> take_diagnostics();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fxrules::dsl
