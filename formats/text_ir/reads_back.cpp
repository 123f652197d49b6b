// What text IR cannot say. Most values are told by their characters alone; the lines of the others are read
// again, by the reader itself, and compared.
#include <algorithm>
#include <array>
#include <unordered_map>

#include <fmt/format.h>

#include "formats/text_ir/atoms.hpp"
#include "formats/text_ir/statement.hpp"
#include "fxrules/formats.hpp"

namespace fxrules {
namespace {

using text_ir::Piece;

bool is_text(ArgKind kind) {
  return kind == ArgKind::string || kind == ArgKind::bare || kind == ArgKind::device || kind == ArgKind::symbolic;
}
bool stands_for_text(ArgKind kind) {
  switch (kind) {
    case ArgKind::none:
    case ArgKind::boolean:
    case ArgKind::integer:
    case ArgKind::floating:
    case ArgKind::ellipsis:
    case ArgKind::node:
      return false;
    default:
      return !is_container(kind);
  }
}

constexpr std::array<bool, 256> plain_characters() {
  std::array<bool, 256> out{};
  for (int c = 0; c < 128; ++c) {
    const char ch = static_cast<char>(c);
    out[static_cast<std::size_t>(c)] =
        text_ir::is_name(ch) || ch == '.' || ch == '-' || ch == '/' || ch == '+' || ch == '*' || ch == '@';
  }
  return out;
}
constexpr std::array<bool, 256> kPlain = plain_characters();

bool is_plain(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return kPlain[static_cast<unsigned char>(c)]; });
}

bool is_device(std::string_view text) {
  const std::size_t colon = text.find(':');
  return colon != std::string_view::npos && text_ir::is_identifier(text.substr(0, colon)) && colon + 1 < text.size() &&
         std::all_of(text.begin() + static_cast<std::ptrdiff_t>(colon) + 1, text.end(), text_ir::is_digit);
}

class ReadsBack {
 public:
  explicit ReadsBack(const Graph& graph) : graph_(graph) {}

  std::vector<Unsayable> run() {
    for (const NodeId n : graph_.nodes()) {
      argument_ = 0;
      if (is_certain(n)) continue;
      const std::uint32_t first = argument_;
      if (!reads_back(n)) found_.push_back(describe(n, first));
    }
    return std::move(found_);
  }

 private:
  // ---- what the characters tell

  bool is_certain(NodeId n) {
    const CallForm& form = graph_.form(n);
    if (form.opcode == Opcode::output)
      return form.positional == 1 && graph_[graph_.argument(n, 0)].kind == ArgKind::node &&
             is_plain_node(graph_[graph_.argument(n, 0)].node());
    if (!text_ir::is_identifier(graph_.name(n)) || graph_.type(n).valid() || !head_is_certain(n)) return false;
    if (form.opcode == Opcode::placeholder) return form.positional == 0;
    const auto count = graph_.argument_count(n);
    for (argument_ = 0; argument_ < count; ++argument_) {
      if (!argument_is_certain(graph_[graph_.argument(n, argument_)])) return false;
    }
    return true;
  }

  bool head_is_certain(NodeId n) {
    const std::uint32_t form = graph_.form_id(n).value;
    if (form >= heads_.size()) heads_.resize(graph_.form_count(), kNotAsked);
    if (heads_[form] == kNotAsked) {
      const CallForm& call = graph_.form(n);
      const bool keywords = std::all_of(call.keywords.begin(), call.keywords.end(),
                                        [&](SymbolId k) { return text_ir::is_identifier(graph_.text(k)); });
      heads_[form] = keywords && is_plain(graph_.text(call.target)) ? kYes : kNo;
    }
    return heads_[form] == kYes;
  }

  bool argument_is_certain(const Slot& slot) {
    if (!is_container(slot.kind))
      return slot.kind == ArgKind::node || !stands_for_text(slot.kind) || text_is_certain(slot);
    todo_.assign(1, slot);
    while (!todo_.empty()) {
      const Slot open = todo_.back();
      todo_.pop_back();
      const bool python = open.kind == ArgKind::slice || open.kind == ArgKind::range;
      for (std::uint32_t i = 0; i < open.count(); ++i) {
        const Slot& item = graph_[open.child(i)];
        if (python && (is_container(item.kind) || stands_for_text(item.kind) ||
                       (item.kind == ArgKind::node && !is_plain_node(item.node()))))
          return false;
        if (is_container(item.kind)) {
          todo_.push_back(item);
        } else if (stands_for_text(item.kind) && !text_is_certain(item)) {
          return false;
        }
      }
    }
    return true;
  }

  // Outside of Python's repr. A text is one by its symbol; a graph has few.
  bool text_is_certain(const Slot& slot) {
    auto& known = is_text(slot.kind) ? texts_ : spelled_;
    const auto [at, fresh] = known.try_emplace(slot.symbol().value, false);
    if (!fresh) return at->second;
    const std::string_view text = graph_.text(slot.symbol());
    if (is_text(slot.kind) && is_device(text)) return at->second = true;
    if (!is_plain(text)) return false;
    const Slot read = text_ir::literal_of(graph_.symbols(), text);
    return at->second = is_text(slot.kind) ? is_text(read.kind) : read.kind == slot.kind;
  }

  // In Python's repr a node stands by its name alone.
  [[nodiscard]] bool is_plain_node(NodeId n) const {
    return text_ir::literal_of(graph_.symbols(), graph_.name(n)).kind == ArgKind::bare;
  }

  // ---- what the reader says

  bool reads_back(NodeId n) {
    const std::string line = format_node(graph_, n);
    text_ir::Statement statement(line, graph_);
    const CallForm& form = graph_.form(n);
    const bool output = form.opcode == Opcode::output;
    const std::size_t line_end = line.find_first_of("\r\n");
    if (line_end != std::string::npos) {
      if (output || statement.node(0, line_end) || holds_statement(line)) return false;
    }
    if (!(output ? statement.value(7, line.size()) : statement.node(0, line.size()))) return false;
    if (statement.end() != line.size()) return false;
    if (!output) {
      const text_ir::NodeHead& head = statement.head();
      if (head.name != graph_.name(n) || head.opcode != form.opcode || head.target != graph_.text(form.target))
        return false;
      const std::string_view type = graph_.type(n).valid() ? graph_.text(graph_.type(n)) : std::string_view();
      if (head.type != type) return false;
    }
    return same(n, form, statement.arguments().pieces());
  }

  // A line of its own inside of a string, whatever its indentation: carefully, for the reader learns that.
  static bool holds_statement(std::string_view line) {
    for (std::size_t at = line.find_first_of("\r\n"); at != std::string_view::npos;
         at = line.find_first_of("\r\n", at + 1)) {
      const std::string_view next = text_ir::trimmed(line.substr(at + 1, line.find_first_of("\r\n", at + 1) - at - 1));
      if (next.starts_with('%') || next.starts_with("return")) return true;
    }
    return false;
  }

  bool same(NodeId n, const CallForm& form, const std::vector<Piece>& pieces) {
    std::size_t next = 0;
    struct Open {
      Slot slot;
      std::uint32_t item;
    };
    std::vector<Open> open;
    const bool whole = form.opcode == Opcode::output || form.opcode == Opcode::placeholder;
    const auto count = graph_.argument_count(n);
    for (argument_ = 0; argument_ < count; ++argument_) {
      if (!whole && argument_ >= form.positional) {
        if (next == pieces.size() || pieces[next].what != Piece::What::keyword ||
            pieces[next++].slot.symbol() != form.keywords[argument_ - form.positional])
          return false;
      }
      Slot slot = graph_[graph_.argument(n, argument_)];
      for (;;) {
        if (next == pieces.size()) return false;
        const Piece& piece = pieces[next++];
        if (is_container(slot.kind)) {
          if (piece.what != Piece::What::open || piece.slot.kind != slot.kind) return false;
          open.push_back({slot, 0});
        } else if (piece.what != Piece::What::literal || !same_scalar(slot, piece.slot)) {
          return false;
        }
        while (!open.empty() && open.back().item == open.back().slot.count()) {
          if (next == pieces.size() || pieces[next++].what != Piece::What::close) return false;
          open.pop_back();
        }
        if (open.empty()) break;
        slot = graph_[open.back().slot.child(open.back().item++)];
      }
    }
    return next == pieces.size();
  }

  static bool same_scalar(const Slot& meant, const Slot& read) {
    if (is_text(meant.kind)) return is_text(read.kind) && meant.symbol() == read.symbol();
    if (meant.kind != read.kind) return false;
    switch (meant.kind) {
      case ArgKind::none:
      case ArgKind::ellipsis:
        return true;
      case ArgKind::boolean:
        return meant.boolean() == read.boolean();
      case ArgKind::integer:
        return meant.integer() == read.integer();
      case ArgKind::floating:
        return meant.floating() == read.floating() || meant.floating() != meant.floating();
      case ArgKind::node:
        return meant.a == read.a;
      default:
        return meant.symbol() == read.symbol();
    }
  }

  // ---- what is said of it

  Unsayable describe(NodeId n, std::uint32_t guess) const {
    const CallForm& form = graph_.form(n);
    const std::uint32_t at = argument_ < graph_.argument_count(n) ? argument_ : guess;
    Unsayable out;
    out.node = n;
    if (!text_ir::is_identifier(graph_.name(n)) && form.opcode != Opcode::output) {
      out.what = "its name";
    } else if (form.opcode == Opcode::output) {
      out.what = "the value that is returned";
    } else if (at >= graph_.argument_count(n)) {
      out.what = fmt::format("its target `{}`", graph_.text(form.target));
    } else {
      out.what = form.opcode == Opcode::placeholder ? "its default"
                 : at < form.positional
                     ? fmt::format("argument {}", at + 1)
                     : fmt::format("the argument `{}`", graph_.text(form.keywords[at - form.positional]));
      out.what += ", " + shortened(format_argument(graph_, graph_.argument(n, at), true));
    }
    return out;
  }

  static std::string shortened(std::string text) {
    constexpr std::size_t kMost = 80;
    if (text.size() > kMost) text = text.substr(0, kMost) + "…";
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
  }

  static constexpr std::uint8_t kNotAsked = 0, kYes = 1, kNo = 2;
  const Graph& graph_;
  std::vector<std::uint8_t> heads_;                          // by form
  std::unordered_map<std::uint32_t, bool> texts_, spelled_;  // by symbol
  std::vector<Slot> todo_;
  std::uint32_t argument_ = 0;  // that is looked at, or that was not what was meant
  std::vector<Unsayable> found_;
};

}  // namespace

std::vector<Unsayable> unsayable_in_text_ir(const Graph& graph) { return ReadsBack(graph).run(); }

}  // namespace fxrules
