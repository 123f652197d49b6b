// Only the keys of the outermost object are of interest, so that strings and depth are all that is followed.
#include "formats/log/trace_entry.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace fxrules::log {
namespace {

constexpr std::size_t kNowhere = std::string_view::npos;

// Behind the closing quote of the string at `at`; kNowhere: none.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      return i + 1;
    }
  }
  return kNowhere;
}

// The string value of `"name": "…"` in a text.
std::string_view name_in(std::string_view text) {
  constexpr std::string_view kName = "\"name\": \"";
  const std::size_t at = text.find(kName);
  if (at == kNowhere) return {};
  const std::size_t end = end_of_string(text, at + kName.size() - 1);
  return end == kNowhere ? std::string_view() : text.substr(at + kName.size(), end - at - kName.size() - 1);
}

}  // namespace

std::optional<TraceEntry> trace_entry(std::string_view json) {
  TraceEntry out;
  std::string_view key, frame, compile;
  std::size_t depth = 0, value = 0;
  const auto finish = [&](std::size_t end) {
    if (key.empty()) return;
    std::string_view text = json.substr(value, end - value);
    while (text.starts_with(' ')) text.remove_prefix(1);
    if (key == "frame_id") frame = text;
    if (key == "frame_compile_id") compile = text;
    if (out.name.empty()) {
      const bool named = key == "artifact" || key == "graph_dump";
      out.name = named && !name_in(text).empty() ? name_in(text) : key;
    }
    key = {};
  };
  for (std::size_t at = 0; at < json.size(); ++at) {
    const char c = json[at];
    if (c == '"') {
      const std::size_t end = end_of_string(json, at);
      if (end == kNowhere) return std::nullopt;
      if (depth == 1 && key.empty() && end < json.size() && json[end] == ':') {
        key = json.substr(at + 1, end - at - 2);
        value = end + 1;
      }
      at = end - 1;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (--depth > 0) continue;
      finish(at);
      if (!frame.empty() && !compile.empty()) out.compile_id = fmt::format("{}/{}", frame, compile);
      return out;
    } else if (c == ',' && depth == 1) {
      finish(at);
    }
  }
  return std::nullopt;
}

}  // namespace fxrules::log
