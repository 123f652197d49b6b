// A drawing that needs no other program: nodes in layers by the longest way from an input, in each layer in
// program order. Time and memory are linear in the graph.
#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "formats/node_label.hpp"
#include "fxrules/formats.hpp"
#include "fxrules/nested.hpp"

namespace fxrules {
namespace {

constexpr double kLetter = 6.6, kPadding = 10, kLine = 14, kGapX = 16, kGapY = 36, kMargin = 20, kCaption = 24;

struct Box {
  double x = 0, y = 0, width = 0, height = 0;
};

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;  // XML 1.0 has no other controls
    }
  }
  return out;
}

class Drawing {
 public:
  Drawing(const Graph& graph, std::string_view name) : graph_(graph), name_(name), boxes_(graph.id_bound()) { place(); }

  [[nodiscard]] double width() const { return width_; }
  [[nodiscard]] double height() const { return height_; }

  void write(std::string& out, double top, const Sink& sink) const {
    out += fmt::format("<g transform=\"translate(0,{:.0f})\">\n<text x=\"{:.0f}\" y=\"{:.0f}\" class=\"c\">{}</text>\n",
                       top, kMargin, kCaption - 6, escaped(name_));
    for (const NodeId user : graph_.nodes()) {
      for (const Slot& slot : graph_.slots(user)) {
        if (slot.kind != ArgKind::node) continue;
        const Box &from = boxes_[slot.a], &to = boxes_[user.value];
        const double x1 = from.x + from.width / 2, y1 = from.y + from.height, x2 = to.x + to.width / 2, y2 = to.y;
        const double bend = (y2 - y1) / 2;
        out += fmt::format("<path d=\"M{:.1f} {:.1f}C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}\"/>\n", x1, y1, x1,
                           y1 + bend, x2, y2 - bend, x2, y2);
      }
      flush(out, sink);
    }
    for (const NodeId node : graph_.nodes()) {
      const Box& box = boxes_[node.value];
      const NodeLabel label = node_label(graph_, node);
      out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n", box.x,
                         box.y, box.width, box.height, label.colour);
      double y = box.y + kLine;
      for (const std::string* line : {&label.name, &label.what, &label.value}) {
        if (line->empty()) continue;
        out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", box.x + kPadding / 2, y, escaped(*line));
        y += kLine;
      }
      flush(out, sink);
    }
    out += "</g>\n";
  }

 private:
  static void flush(std::string& out, const Sink& sink) {
    constexpr std::size_t kChunk = 64 << 10;
    if (out.size() < kChunk) return;
    sink(out);
    out.clear();
  }

  void place() {
    std::vector<std::uint32_t> layer(graph_.id_bound(), 0);
    std::vector<double> next_x, heights;
    for (const NodeId node : graph_.nodes()) {
      std::uint32_t& own = layer[node.value];
      for (const Slot& slot : graph_.slots(node)) {
        if (slot.kind == ArgKind::node) own = std::max(own, layer[slot.a] + 1);
      }
      if (own >= next_x.size()) {
        next_x.resize(own + 1, kMargin);
        heights.resize(own + 1, 0);
      }
      Box& box = boxes_[node.value];
      const NodeLabel label = node_label(graph_, node);
      std::size_t longest = 0, lines = 0;
      for (const std::string* line : {&label.name, &label.what, &label.value}) {
        longest = std::max(longest, line->size());
        lines += line->empty() ? 0 : 1;
      }
      box.x = next_x[own];
      box.width = static_cast<double>(longest) * kLetter + kPadding;
      box.height = static_cast<double>(lines) * kLine + kPadding / 2;
      next_x[own] += box.width + kGapX;
      heights[own] = std::max(heights[own], box.height);
      width_ = std::max(width_, next_x[own]);
    }
    std::vector<double> tops(heights.size() + 1, kCaption);
    for (std::size_t i = 0; i < heights.size(); ++i) tops[i + 1] = tops[i] + heights[i] + kGapY;
    for (const NodeId node : graph_.nodes()) boxes_[node.value].y = tops[layer[node.value]];
    width_ = std::max(width_, static_cast<double>(name_.size()) * kLetter + kMargin) + kMargin;
    height_ = tops.back();
  }

  const Graph& graph_;
  std::string_view name_;
  std::vector<Box> boxes_;
  double width_ = 0, height_ = 0;
};

}  // namespace

void write_svg(const Graph& graph, std::string_view name, const Sink& sink) {
  const std::vector<NestedGraph<const Graph>> graphs = with_nested(graph);
  std::vector<Drawing> drawings;
  drawings.reserve(graphs.size());
  double width = 0, height = 0;
  for (const auto& each : graphs) {
    const Drawing& drawing = drawings.emplace_back(*each.graph, each.path.empty() ? name : each.path);
    width = std::max(width, drawing.width());
    height += drawing.height();
  }
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
      "{1:.0f}\">\n"
      "<style>text{{font:11px monospace}}.c{{font-weight:bold}}rect{{stroke:#666;rx:3}}path{{fill:none;stroke:#999}}"
      "</style>\n",
      width, height);
  double top = 0;
  for (const Drawing& drawing : drawings) {
    drawing.write(out, top, sink);
    top += drawing.height();
  }
  out += "</svg>\n";
  sink(out);
}

}  // namespace fxrules
