#include "formats/code/python_values.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "formats/python_literals.hpp"
#include "formats/text_ir/atoms.hpp"

namespace fxrules::code {
namespace {

constexpr std::size_t kNowhere = std::string_view::npos;

// `(1+2j)` where Python reads the same number from it, else `complex(0.0, 2.0)`.
void append_complex(std::string& out, std::string_view spelled) {
  const auto parts = parse_complex_repr(spelled);
  const bool literal = !parts || (std::isfinite(parts->real) && std::isfinite(parts->imaginary) && parts->real != 0 &&
                                  !(parts->imaginary == 0 && std::signbit(parts->imaginary)));
  if (literal) {
    out += spelled;
    return;
  }
  out += "complex(";
  append_float_repr(out, parts->real);
  out += ", ";
  append_float_repr(out, parts->imaginary);
  out += ')';
}

}  // namespace

bool looks_like_device(std::string_view text) {
  static constexpr std::string_view kTypes[] = {"cpu", "cuda", "meta", "mps",  "xpu",           "hpu",    "npu",
                                                "xla", "ipu",  "mtia", "maia", "privateuseone", "vulkan", "lazy"};
  const std::size_t colon = std::min(text.find(':'), text.size());
  if (std::find(std::begin(kTypes), std::end(kTypes), text.substr(0, colon)) == std::end(kTypes)) return false;
  const std::string_view index = text.substr(colon);
  return index.empty() || (index.size() > 1 && std::all_of(index.begin() + 1, index.end(), text_ir::is_digit));
}

bool looks_like_size(std::string_view text) {
  bool any = false;
  for (std::size_t at = 0; at < text.size();) {
    if (text_ir::is_letter(text[at])) {
      std::size_t end = at;
      while (end < text.size() && text_ir::is_name(text[end])) ++end;
      const std::string_view word = text.substr(at, end - at);
      const bool function = word == "Min" || word == "Max" || word == "Mod" || word == "FloorDiv";
      if (!function && !text_ir::is_size_symbol(word)) return false;
      any |= !function;
      at = end;
    } else if (text_ir::is_digit(text[at]) || std::string_view("+-*/() ,").find(text[at]) != kNowhere) {
      ++at;
    } else {
      return false;
    }
  }
  return any;
}

void append_path(std::string& out, std::string_view path, std::size_t begin) {
  while (true) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    const std::string_view part = path.substr(0, dot);
    if (text_ir::is_identifier(part)) {
      out += '.';
      out += part;
    } else {
      out.insert(begin, "getattr(");
      out += ", \"";
      out += part;
      out += "\")";
    }
    if (dot == path.size()) return;
    path.remove_prefix(dot + 1);
  }
}

void PythonValues::scalar(std::string& out, const Slot& slot, bool device) const {
  if (append_simple_repr(out, slot)) return;
  if (slot.kind == ArgKind::node) {
    out += graph_.name(slot.node());
    return;
  }
  const std::string_view text = graph_.text(slot.symbol());
  if (append_text_repr(out, slot.kind, text)) return;
  switch (slot.kind) {
    case ArgKind::bare:
      if (device && looks_like_device(text)) {
        append_device_repr(out, text);
      } else if (looks_like_size(text)) {
        out += text;
      } else {
        append_string_repr(out, text);
      }
      return;
    case ArgKind::complex:
      append_complex(out, text);
      return;
    case ArgKind::op:
      out += "torch.ops.";
      out += text;
      return;
    default:
      out += text;
      return;
  }
}

void PythonValues::nested(std::string& out, const Slot& root) const {
  struct Frame {
    std::uint32_t next, end;
    ArgKind kind;
    bool single, value_next;
  };
  std::vector<Frame> frames;
  const auto open = [&](const Slot& slot) {
    const bool named = slot.kind == ArgKind::tuple && slot.tuple_name().valid();
    switch (slot.kind) {
      case ArgKind::tuple:
        if (named) out += without_fields(graph_.text(slot.tuple_name()));
        out += '(';
        break;
      case ArgKind::list:
        out += '[';
        break;
      case ArgKind::dict:
        out += '{';
        break;
      case ArgKind::slice:
        out += "slice(";
        break;
      default:
        out += "range(";
        break;
    }
    frames.push_back({slot.a, slot.a + slot.b, slot.kind, slot.kind == ArgKind::tuple && slot.b == 1, false});
  };
  open(root);
  while (!frames.empty()) {
    Frame& frame = frames.back();
    if (frame.next == frame.end) {
      if (frame.single) out += ',';
      out += frame.kind == ArgKind::list ? ']' : frame.kind == ArgKind::dict ? '}' : ')';
      frames.pop_back();
      if (frames.empty()) return;
    } else {
      const Slot& slot = graph_[SlotId(frame.next++)];
      if (is_container(slot.kind)) {
        open(slot);
        continue;
      }
      scalar(out, slot, false);
    }
    Frame& around = frames.back();
    if (around.kind == ArgKind::dict) around.value_next = !around.value_next;
    if (around.next < around.end) out += around.value_next ? ": " : ", ";
  }
}

void PythonValues::append(std::string& out, SlotId id, bool device) const {
  const Slot& slot = graph_[id];
  if (is_container(slot.kind)) {
    nested(out, slot);
  } else {
    scalar(out, slot, device);
  }
}

}  // namespace fxrules::code
