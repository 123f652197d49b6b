// One line of a catalogue file, taken apart without reading its signature:
//
//   aten::add.Tensor(Tensor self, Tensor other) -> Tensor | pointwise     schema
//   aten::add = torch.add .add operator.add .__radd__~                    spellings
//   aten::relu = torch.nn.functional.relu(Tensor input) -> Tensor         Python signature
//   aten::add aten::mul aten::max.other | commutative                     facts about ops
#pragma once

#include <optional>
#include <string_view>

namespace fxrules::catalogue {

enum class LineKind { blank, schema, spellings, python, facts };

struct LineHead {
  LineKind kind = LineKind::blank;
  std::string_view op;        // "aten::add"
  std::string_view overload;  // schema: "Tensor", "default"
  std::string_view target;    // Python signature: "torch.nn.functional.relu"
  std::string_view body;      // schema and Python signature: from "(" to the end, see split_body
  std::string_view names;     // spellings: what follows "="; facts: the ops
  std::string_view facts;     // spellings and facts: what follows " | "
};

struct LineError {
  std::string_view at;  // the place in the line
  const char* message;
};

// Takes `line` (without its newline) apart; `error` is set when it is nothing of the above. O(length).
[[nodiscard]] LineHead parse_line_head(std::string_view line, std::optional<LineError>& error);

// A signature and what follows its " | ". Apart from parse_line_head, which runs over every line.
struct SignatureBody {
  std::string_view signature;
  std::string_view facts;
};
[[nodiscard]] SignatureBody split_body(std::string_view body);

// Cuts the first blank-separated word off `text`; empty when there is none.
[[nodiscard]] std::string_view next_word(std::string_view& text);

// Splits "aten::max.other" into op and overload ("" when it names none).
struct OverloadName {
  std::string_view op;
  std::string_view overload;
};
[[nodiscard]] OverloadName split_overload(std::string_view name);

}  // namespace fxrules::catalogue
