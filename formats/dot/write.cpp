// Graphviz's language, through Boost.Graph: a digraph a graph, nested ones behind the one that holds them.
#include <ostream>
#include <streambuf>
#include <vector>

#include <boost/graph/graphviz.hpp>
#include <fmt/format.h>

#include "formats/node_label.hpp"
#include "fxrules/boost_graph.hpp"
#include "fxrules/formats.hpp"
#include "fxrules/nested.hpp"

namespace fxrules {
namespace {

// Boost writes to a stream; what it writes goes on in pieces.
class SinkBuffer : public std::streambuf {
 public:
  explicit SinkBuffer(const Sink& sink) : sink_(sink) { text_.reserve(kPiece); }
  ~SinkBuffer() override { flush(); }
  SinkBuffer(const SinkBuffer&) = delete;
  SinkBuffer& operator=(const SinkBuffer&) = delete;

 protected:
  int_type overflow(int_type c) override {
    if (c != traits_type::eof()) text_ += traits_type::to_char_type(c);
    if (text_.size() >= kPiece) flush();
    return traits_type::not_eof(c);
  }
  std::streamsize xsputn(const char* text, std::streamsize count) override {
    text_.append(text, static_cast<std::size_t>(count));
    if (text_.size() >= kPiece) flush();
    return count;
  }

 private:
  static constexpr std::size_t kPiece = 64 << 10;
  void flush() {
    if (!text_.empty()) sink_(text_);
    text_.clear();
  }
  const Sink& sink_;
  std::string text_;
};

std::string dot_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + '"';
}

void write_one(const Graph& graph, std::string_view name, std::ostream& out) {
  const auto vertex = [&](std::ostream& stream, NodeId node) {
    const NodeLabel label = node_label(graph, node);
    std::string lines = dot_string(label.name);
    lines.pop_back();
    for (const std::string* line : {&label.what, &label.value}) {
      if (line->empty()) continue;
      lines += "\\n";
      const std::string more = dot_string(*line);
      lines.append(more, 1, more.size() - 2);
    }
    stream << " [label=" << lines << "\", fillcolor=\"" << label.colour << "\"]";
  };
  const auto whole = [&](std::ostream& stream) {
    stream << "label=" << dot_string(name) << ";\nlabelloc=t;\n"
           << "node [shape=box, style=filled, fontname=\"monospace\", fontsize=10];\n";
  };
  boost::write_graphviz(out, graph, vertex, boost::default_writer(), whole, get(boost::vertex_index, graph));
}

}  // namespace

void write_dot(const Graph& graph, std::string_view name, const Sink& sink) {
  SinkBuffer buffer(sink);
  std::ostream out(&buffer);
  for (const auto& each : with_nested(graph)) write_one(*each.graph, each.path.empty() ? name : each.path, out);
}

}  // namespace fxrules
