// Imports are followed with an explicit stack: a chain of files may be as long as its author likes.
#include "dsl/load.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "dsl/check.hpp"
#include "dsl/definitions.hpp"
#include "dsl/literals.hpp"

namespace fxrules::dsl {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrelude[] = {"lib.rules", "index.rules", "shapes.rules", "views.rules"};

// The text of a regular file; nullopt for anything else.
std::optional<std::string> read(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  const std::uintmax_t size = fs::file_size(path, error);
  if (!file || error) return std::nullopt;
  std::string text(size, '\0');
  file.read(text.data(), static_cast<std::streamsize>(size));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

// One name for one file, however it is reached.
std::string key_of(const fs::path& path) {
  std::error_code error;
  const fs::path canonical = fs::weakly_canonical(path, error);
  return (error ? path : canonical).string();
}

}  // namespace

class Loader::Impl {
 public:
  Impl(std::shared_ptr<Catalogue> catalogue, LoadOptions options)
      : catalogue_(std::move(catalogue)), options_(std::move(options)) {}

  RuleFile load(std::string_view name) {
    load_prelude();
    const std::optional<fs::path> path = find_named(name);
    const std::optional<std::string> text = path ? read(*path) : std::nullopt;
    if (!text) {
      report(not_found(fmt::format("cannot read the rule file `{}`", name), shipped_hint(name)));
      return {};
    }
    return enter(key_of(*path), *path, std::make_shared<Source>(Source{std::string(name), *text}));
  }

  RuleFile load(SourcePtr source) {
    load_prelude();
    const fs::path path = source->name;  // what it imports stands beside it
    return enter(fmt::format("<text {}>", files_.size()), path, std::move(source));
  }

  void finish() {
    for (const auto& [name, value] : options_.params) check_override(name, value);
  }

  [[nodiscard]] const std::vector<fs::path>& paths() const { return paths_; }

  std::vector<Diagnostic> take_diagnostics() { return std::exchange(diagnostics_, {}); }

 private:
  struct File {
    AstPtr ast;
    fs::path folder;
    std::vector<const File*> imports;
    std::size_t next_import = 0;  // while it is open
    bool open = true;             // its imports are being loaded
    bool broken = false;          // it or an import has syntax errors or is missing: names would mislead
  };

  void load_prelude() {
    if (!options_.prelude || !prelude_.empty() || prelude_tried_) return;
    prelude_tried_ = true;
    for (const std::string_view name : kPrelude) {
      const fs::path path = options_.rules_folder / name;
      const std::optional<std::string> text = read(path);
      if (!text) {
        report(not_found(fmt::format("cannot read `{}`, which belongs to the prelude", path.string()), ""));
        continue;
      }
      File& file = open(key_of(path), path, std::make_shared<Source>(Source{std::string(name), *text}));
      prelude_.push_back(&file);
    }
  }

  RuleFile enter(const std::string& key, const fs::path& path, SourcePtr source) {
    const auto found = files_.find(key);
    const File& file = found != files_.end() ? *found->second : open(key, path, std::move(source));
    RuleFile out;
    for (const File* seen : files_of(file)) {
      out.trees.push_back(seen->ast);
      out.visible.push_back(trees_of(*seen));
    }
    return out;
  }

  // Loads a file that is not loaded yet, with everything that it imports.
  File& open(const std::string& key, const fs::path& path, SourcePtr source) {
    if (const auto found = files_.find(key); found != files_.end()) return *found->second;
    File& first = add(key, path, std::move(source));
    std::vector<File*> stack{&first};
    while (!stack.empty()) {
      File& file = *stack.back();
      if (file.next_import == file.ast->imports.size()) {
        close(file);
        stack.pop_back();
      } else if (File* imported = follow(file, file.ast->imports[file.next_import++])) {
        stack.push_back(imported);
      }
    }
    return first;
  }

  File& add(const std::string& key, const fs::path& path, SourcePtr source) {
    if (exists(path)) paths_.push_back(path);
    ParseResult parsed = parse(std::move(source));
    std::move(parsed.diagnostics.begin(), parsed.diagnostics.end(), std::back_inserter(diagnostics_));
    auto file = std::make_unique<File>();
    file->ast = std::make_shared<const Ast>(std::move(parsed.ast));
    file->folder = path.parent_path();
    file->broken = !parsed.diagnostics.empty();
    return *files_.emplace(key, std::move(file)).first->second;
  }

  // The file that an import names, if it has to be loaded first.
  File* follow(File& from, const Import& import) {
    const std::optional<fs::path> path = find_imported(from, import);
    if (!path) {
      from.broken = true;
      return nullptr;
    }
    const std::string key = key_of(*path);
    if (import.catalogue) {
      add_catalogue(key, *path);
      return nullptr;
    }
    const auto found = files_.find(key);
    File& file = found != files_.end() ? *found->second : add(key, *path, named(import, *path));
    from.imports.push_back(&file);
    if (found == files_.end()) return &file;
    if (file.open) report_cycle(from, import);
    return nullptr;
  }

  static SourcePtr named(const Import& import, const fs::path& path) {
    return std::make_shared<Source>(Source{std::string(import.path), read(path).value_or("")});
  }

  // All imports are there: the file can be checked.
  void close(File& file) {
    file.open = false;
    for (const File* imported : file.imports) file.broken = file.broken || imported->broken;
    if (file.broken) return;
    std::vector<const Ast*> trees;
    for (const AstPtr& tree : trees_of(file)) trees.push_back(tree.get());
    const VisibleNames names(trees);
    for (Diagnostic& problem : check(*file.ast, names, *catalogue_, options_.functions.get()))
      report(std::move(problem));
  }

  std::vector<AstPtr> trees_of(const File& file) const {
    std::vector<AstPtr> trees;
    for (const File* seen : files_of(file)) trees.push_back(seen->ast);
    return trees;
  }

  std::vector<const File*> files_of(const File& file) const {
    std::unordered_set<const File*> seen;
    std::vector<const File*> files;
    std::vector<const File*> waiting(prelude_.rbegin(), prelude_.rend());
    waiting.push_back(&file);
    while (!waiting.empty()) {
      const File* next = waiting.back();
      waiting.pop_back();
      if (!seen.insert(next).second) continue;
      files.push_back(next);
      waiting.insert(waiting.end(), next->imports.rbegin(), next->imports.rend());
    }
    return files;
  }

  std::optional<fs::path> find_named(std::string_view name) const {
    const fs::path path(name);
    for (const fs::path& candidate :
         {path, options_.rules_folder / path, options_.rules_folder / (path.string() + ".rules")})
      if (exists(candidate)) return candidate;
    return std::nullopt;
  }

  std::optional<fs::path> find_imported(const File& from, const Import& import) {
    std::vector<fs::path> folders{from.folder};
    folders.insert(folders.end(), options_.search_paths.begin(), options_.search_paths.end());
    folders.push_back(options_.rules_folder);
    for (const fs::path& folder : folders)
      if (exists(folder / import.path)) return folder / import.path;
    Diagnostic missing = not_found(fmt::format("cannot find `{}`", import.path), looked_in(folders));
    missing.span = from.ast->span(import.range);
    report(std::move(missing));
    return std::nullopt;
  }

  static bool exists(const fs::path& path) {
    std::error_code error;
    return fs::is_regular_file(path, error);
  }

  static std::string looked_in(const std::vector<fs::path>& folders) {
    std::vector<std::string> names;
    for (const fs::path& folder : folders) {
      const std::string name = folder.empty() ? "." : folder.string();
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    return "looked in " + quoted_list(names);
  }

  std::string shipped_hint(std::string_view name) const {
    std::vector<std::string> shipped;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(options_.rules_folder, error))
      if (entry.path().extension() == ".rules") shipped.push_back(entry.path().filename().string());
    return did_you_mean(name, {shipped.begin(), shipped.end()});
  }

  static Diagnostic not_found(std::string message, std::string hint) {
    return {Severity::error, "file-not-found", std::move(message), {}, std::move(hint), {}};
  }

  void report_cycle(const File& from, const Import& import) {
    report({Severity::error,
            "import-cycle",
            fmt::format("`{}` imports this file, directly or through others", import.path),
            from.ast->span(import.range),
            "move what both need into a third file",
            {}});
  }

  void add_catalogue(const std::string& key, const fs::path& path) {
    if (std::find(catalogues_.begin(), catalogues_.end(), key) != catalogues_.end()) return;
    catalogues_.push_back(key);
    paths_.push_back(path);
    auto source = std::make_shared<Source>(Source{path.filename().string(), read(path).value_or("")});
    for (Diagnostic& problem : catalogue_->add(std::move(source))) report(std::move(problem));
  }

  void report(Diagnostic diagnostic) { diagnostics_.push_back(std::move(diagnostic)); }

  static bool fits(std::string_view type, std::string_view value) {
    return type == "set" || (type != "str" && type != "bool" && type != "int" && type != "float") ||
           literal_of_option(type, value).has_value();
  }

  static std::string accepted_values(std::string_view type) {
    if (type == "bool") return "it is True, False, true, false, 1 or 0";
    return type == "int" ? "it is an integer, as in 7 or -7" : "it is a number, as in 2, 0.5, 1e-05, inf or nan";
  }

  void check_override(const std::string& name, const std::string& value) {
    std::vector<std::string_view> known;
    bool found = false;
    for (const auto& [key, file] : files_) {
      for (const Param& param : file->ast->params) {
        known.push_back(param.name);
        if (param.name != name) continue;
        found = true;
        if (fits(param.type, value)) continue;
        Diagnostic wrong{Severity::error,
                         "param-value",
                         fmt::format("-D {}={}: `{}` is declared as {}", name, value, name, param.type),
                         file->ast->span(param.range),
                         accepted_values(param.type),
                         {}};
        report(std::move(wrong));
      }
    }
    if (found) return;
    report({Severity::error,
            "unknown-param",
            fmt::format("-D {}={}: no rule file has a parameter `{}`", name, value, name),
            {},
            did_you_mean(name, known),
            {}});
  }

  std::shared_ptr<Catalogue> catalogue_;
  LoadOptions options_;
  std::map<std::string, std::unique_ptr<File>> files_;
  std::vector<const File*> prelude_;
  bool prelude_tried_ = false;
  std::vector<std::string> catalogues_;
  std::vector<fs::path> paths_;
  std::vector<Diagnostic> diagnostics_;
};

Loader::Loader(std::shared_ptr<Catalogue> catalogue, LoadOptions options)
    : impl_(std::make_unique<Impl>(std::move(catalogue), std::move(options))) {}
Loader::~Loader() = default;

std::vector<std::filesystem::path> Loader::paths() const { return impl_->paths(); }
RuleFile Loader::load(std::string_view name) { return impl_->load(name); }
RuleFile Loader::load(SourcePtr source) { return impl_->load(std::move(source)); }
void Loader::finish() { impl_->finish(); }
std::vector<Diagnostic> Loader::take_diagnostics() { return impl_->take_diagnostics(); }

}  // namespace fxrules::dsl
