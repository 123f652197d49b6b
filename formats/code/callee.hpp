// Names of functions in generated code. FX keeps those of torch and turns every other qualified name into
// one identifier, which only an import tells apart again.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace fxrules::code {

// What `import` lines of a text bind: local name -> qualified name.
class Imports {
 public:
  // `import a.b`, `import a.b as c`, `from a import b as c` on lines of their own, whatever stands around them.
  void read(std::string_view text);
  [[nodiscard]] std::optional<std::string_view> find(std::string_view local) const;
  [[nodiscard]] bool empty() const { return names_.empty(); }

 private:
  void line(std::string_view line);
  std::unordered_map<std::string_view, std::string> names_;
};

// The target of a call of this identifier: `_operator_not_` is operator.not_, `len` builtins.len. What is
// not known stays as it is.
[[nodiscard]] std::string target_of_identifier(std::string_view identifier, const Imports& imports);
// The target of a call of a dotted path that no value starts: `torch.add`, `mod.f` where mod is imported.
[[nodiscard]] std::string target_of_path(std::string_view path, const Imports& imports);
// Functions that every Python text has.
[[nodiscard]] bool is_builtin_function(std::string_view name);

// The same way back: `torch.add`, `_operator_not_`, `len`, `math_sqrt`.
[[nodiscard]] std::string callee_of(std::string_view target);
// Whether the callee stands for something that must be imported under that name.
[[nodiscard]] bool needs_import(std::string_view target);
// Whether every part between dots is an identifier.
[[nodiscard]] bool is_dotted_path(std::string_view text);

// `typing_List[torch.Tensor]` as `typing.List[torch.Tensor]`, and back.
[[nodiscard]] std::string type_of_annotation(std::string_view annotation);
[[nodiscard]] std::string annotation_of_type(std::string_view type);

}  // namespace fxrules::code
