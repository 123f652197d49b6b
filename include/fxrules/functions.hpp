// Functions that a program adds to the built-in ones of guards and helpers.
//
//   auto functions = std::make_shared<Functions>();
//   functions->add({"even", 1, 1, [](std::span<const UserValue> a) { return UserValue::of(a[0].integer % 2 == 0); }});
//   options.functions = functions;         // LoadOptions
//
// A function must depend on its arguments alone: a match that it declined is not tried again. It is called
// from the thread that applies the rules; several may call it at once.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fxrules/ids.hpp"

namespace fxrules {

// What guards and helpers compute with, as the outside sees it.
struct UserValue {
  enum class Kind : std::uint8_t {
    unknown,  // also what cannot be said here
    none,
    boolean,  // `integer` is 0 or 1
    integer,  // 64 bits
    floating,
    string,
    dtype,     // "torch.float32"
    device,    // "cuda:0"
    symbolic,  // an expression over symbolic sizes, spelled
    node,      // a value of the graph; `text` is its name. Functions may return one that they were given
    list,
    tuple,
  };
  Kind kind = Kind::unknown;
  std::int64_t integer = 0;
  double floating = 0;
  std::string text;
  NodeId node;
  std::vector<UserValue> items;

  static UserValue of(bool value) { return {Kind::boolean, value ? 1 : 0, 0, {}, {}, {}}; }
  static UserValue of(std::int64_t value) { return {Kind::integer, value, 0, {}, {}, {}}; }
  static UserValue of(std::string value) { return {Kind::string, 0, 0, std::move(value), {}, {}}; }
};

struct Function {
  std::string name;
  std::uint8_t min_arguments = 0, max_arguments = 255;  // 255: any number
  std::function<UserValue(std::span<const UserValue>)> call;
};

class Functions {
 public:
  // A name counts once: the last one added. Helpers of a rule file of the same name hide it; it hides a
  // built-in and an op.
  void add(Function function) { by_name_.insert_or_assign(function.name, std::move(function)); }
  // Null when there is none. A result stays valid until the name is added again.
  [[nodiscard]] const Function* find(std::string_view name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] bool empty() const { return by_name_.empty(); }

 private:
  std::map<std::string, Function, std::less<>> by_name_;
};

}  // namespace fxrules
