// Annotations as torch prints them and as rule files write them, read in one pass with a stack for tuples.
#include <algorithm>
#include <vector>

#include "fxrules/meta.hpp"

namespace fxrules {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_word(char c) { return is_letter(c) || (c >= '0' && c <= '9'); }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// The text before the closing bracket that matches the opening one at the front; nullopt when there is none.
std::optional<std::string_view> bracketed(std::string_view text) {
  std::size_t depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '[') ++depth;
    if ((text[i] == ')' || text[i] == ']') && --depth == 0) return text.substr(1, i - 1);
  }
  return std::nullopt;
}

bool is_device(std::string_view text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string_view kind = text.substr(0, colon), index = text.substr(colon);
  if (kind.empty() || !is_letter(kind[0]) || !std::all_of(kind.begin(), kind.end(), is_word)) return false;
  if (index.empty()) return true;
  return index.size() > 1 && index.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

class MetaParser {
 public:
  MetaParser(Metas& metas, Symbols& symbols) : metas_(metas), symbols_(symbols) {}

  // One annotation that is no tuple.
  std::optional<MetaId> single(std::string_view text) {
    if (text == "?") return MetaId();
    if (text.starts_with("Sym(") && text.back() == ')') return symbolic(text);
    const std::size_t word =
        static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_word) - text.begin());
    if (word > 0 && word < text.size() && text[word] == '(') return wrapper(text, word);
    return tensor(text);
  }

 private:
  std::optional<MetaId> symbolic(std::string_view text) {
    const std::string_view inner = text.substr(4, text.size() - 5);
    ValueMeta meta;
    if (const auto size = size_of(inner)) {
      meta.kind = MetaKind::symbolic;
      meta.value = *size;
    } else if (!inner.empty()) {  // Sym(u0 >= 0), Sym(1.5)
      meta.kind = MetaKind::other;
      meta.other = text;
    } else {
      return std::nullopt;
    }
    return metas_.intern(meta);
  }

  std::optional<MetaId> wrapper(std::string_view text, std::size_t open) {
    const auto inner = bracketed(text.substr(open));
    if (!inner || open + inner->size() + 2 != text.size()) return std::nullopt;
    ValueMeta meta;
    meta.kind = MetaKind::other;
    meta.other = text;
    return metas_.intern(meta);
  }

  std::optional<MetaId> tensor(std::string_view text) {
    TensorMeta meta;
    std::size_t end = text.find_first_of("[ ");
    if (end == std::string_view::npos) end = text.size();
    if (!dtype(text.substr(0, end), meta)) return std::nullopt;
    text.remove_prefix(end);
    if (!brackets(text, meta.shape) || !brackets(text, meta.strides)) return std::nullopt;
    end = std::min(text.find(' '), text.size());
    if (end > 0 && !(meta.shape && device(text.substr(0, end), meta))) return std::nullopt;
    text.remove_prefix(end);
    if (!attributes(text, meta)) return std::nullopt;
    if (meta.strides && (!meta.shape || meta.strides->size() != meta.shape->size())) return std::nullopt;
    return metas_.tensor(meta);
  }

  bool dtype(std::string_view text, TensorMeta& meta) {
    if (text == "?") return true;
    const auto found = parse_dtype(text);
    if (found) meta.dtype = *found;
    return found.has_value();
  }

  bool device(std::string_view text, TensorMeta& meta) {
    if (!is_device(text)) return false;
    meta.device = symbols_.intern(text);
    return true;
  }

  // `[4, s0]` at the front of the text, if there is one.
  bool brackets(std::string_view& text, std::optional<std::vector<Size>>& sizes) {
    if (!text.starts_with('[')) return true;
    const auto inner = bracketed(text);
    if (!inner) return false;
    text.remove_prefix(inner->size() + 2);
    sizes = list(*inner);
    return sizes.has_value();
  }

  std::optional<Size> size_of(std::string_view text) {
    if (text == "?") return Size::unknown();
    return metas_.expressions().parse(text);
  }

  // Commas inside parentheses belong to a size: `Min(16384, s1)`.
  std::optional<std::vector<Size>> list(std::string_view text) {
    std::vector<Size> out;
    std::size_t begin = 0, depth = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
      if (i < text.size() && (text[i] == '(' || text[i] == '[')) ++depth;
      if (i < text.size() && (text[i] == ')' || text[i] == ']')) --depth;
      if (i < text.size() && (depth > 0 || text[i] != ',')) continue;
      const std::string_view part = trimmed(text.substr(begin, i - begin));
      if (part.empty() && i == text.size()) break;  // `[]` and `(8,)`
      const auto size = size_of(part);
      if (!size) return std::nullopt;
      out.push_back(*size);
      begin = i + 1;
    }
    return out;
  }

  bool attributes(std::string_view text, TensorMeta& meta) {
    while (!(text = trimmed(text)).empty()) {
      const std::size_t equals = text.find('=');
      if (equals == std::string_view::npos) return false;
      const std::string_view key = text.substr(0, equals);
      text.remove_prefix(equals + 1);
      const bool group = text.starts_with('(') || text.starts_with('[');
      const auto inner = group ? bracketed(text) : text.substr(0, std::min(text.find(' '), text.size()));
      if (!inner || group != (key == "strides") || !attribute(key, *inner, meta)) return false;
      text.remove_prefix(inner->size() + (group ? 2 : 0));
    }
    return true;
  }

  bool attribute(std::string_view key, std::string_view value, TensorMeta& meta) {
    if (key == "strides") return (meta.strides = list(value)).has_value();
    if (key == "device") return device(value, meta);
    if (key == "layout" && value.starts_with("torch.")) return meta.layout = symbols_.intern(value), true;
    if (value != "True" && value != "False") return false;
    if (key == "requires_grad") return meta.requires_grad = value == "True", true;
    if (key == "quantised") return meta.quantised = value == "True", true;
    return false;
  }

  Metas& metas_;
  Symbols& symbols_;
};

// Where the annotation that starts the text ends: at a comma or parenthesis that no bracket encloses.
std::size_t end_of_part(std::string_view text) {
  std::size_t depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (depth == 0 && (c == ',' || c == ')')) return i;
    if (c == '(' || c == '[') ++depth;
    if ((c == ')' || c == ']') && depth > 0) --depth;
  }
  return text.size();
}

}  // namespace

std::optional<MetaId> Metas::parse(std::string_view text) {
  MetaParser parser(*this, *symbols_);
  text = trimmed(text);
  if (!text.starts_with('(')) {
    const auto id = text.empty() ? std::nullopt : parser.single(text);
    return id && id->valid() ? id : std::nullopt;
  }
  std::vector<ValueMeta> open;
  bool part_next = true;
  while (true) {
    text = trimmed(text);
    if (text.empty()) return std::nullopt;
    if (part_next && text[0] == '(') {
      open.emplace_back().kind = MetaKind::tuple;
      text.remove_prefix(1);
    } else if (text[0] == ')') {
      const MetaId done = intern(open.back());
      open.pop_back();
      text.remove_prefix(1);
      if (open.empty()) return text.empty() ? std::optional(done) : std::nullopt;
      open.back().parts.push_back(done);
      part_next = false;
    } else if (!part_next) {
      if (text[0] != ',') return std::nullopt;
      text.remove_prefix(1);
      part_next = true;
    } else {
      const std::size_t end = end_of_part(text);
      const auto part = parser.single(trimmed(text.substr(0, end)));
      if (!part) return std::nullopt;
      open.back().parts.push_back(*part);
      text.remove_prefix(end);
      part_next = false;
    }
  }
}

}  // namespace fxrules
