// Lines are sorted by who wrote them: rank, process, compile id and artifact. A payload of TORCH_TRACE is a
// text of its own.
#include "formats/log/read.hpp"

#include <algorithm>
#include <deque>
#include <unordered_map>

#include <fmt/format.h>

#include "formats/extract.hpp"
#include "formats/log/lines.hpp"
#include "formats/log/trace_entry.hpp"
#include "formats/text_ir/atoms.hpp"

namespace fxrules::log {
namespace {

struct Stream {
  explicit Stream(const SourcePtr& source) : text(source) {}
  Extract text;
  std::string title;   // of a payload
  std::string origin;  // "[rank0] [0/0] graph_code"
};

class Splitter {
 public:
  explicit Splitter(const SourcePtr& source) : source_(source), text_(source->text) {}

  std::deque<Stream>& split() {
    for (std::size_t at = 0; at < text_.size();) {
      const std::size_t next = std::min(text_.find('\n', at), text_.size() - 1) + 1;
      line(at, next);
      at = next;
    }
    return streams_;
  }
  [[nodiscard]] std::size_t dropped() const { return dropped_; }

 private:
  void line(std::size_t begin, std::size_t next) {
    const std::string_view line = text_.substr(begin, next - begin);
    if (const auto prefix = prefix_of(line.substr(0, line.find_last_not_of("\r\n") + 1))) {
      payload_ = nullptr;
      const std::string_view rest = line.substr(prefix->length);
      if (rest.starts_with('{')) {
        if (const auto entry = trace_entry(rest)) {
          open_payload(*prefix, *entry);
          return;
        }
      }
      stream_of(*prefix).text.add(begin + prefix->length, next);
    } else if (payload_ != nullptr && (line.starts_with('\t') || text_ir::trimmed(line).empty())) {
      payload_->text.add(begin + (line.starts_with('\t') ? 1 : 0), next);
    } else if (!text_ir::trimmed(line).empty()) {
      ++dropped_;
    }
  }

  static std::string origin_of(const Prefix& prefix, std::string_view trace) {
    std::string out;
    const auto add = [&](std::string_view open, std::string_view text, std::string_view close) {
      if (!text.empty()) out += fmt::format("{}{}{}{}", out.empty() ? "" : " ", open, text, close);
    };
    add("[", prefix.rank, "]");
    add("[", trace, "]");
    add("", prefix.artifact, "");
    return out;
  }

  Stream& stream_of(const Prefix& prefix) {
    const std::string key = fmt::format("{} {} {} {}", prefix.rank, prefix.process, prefix.trace, prefix.artifact);
    const auto [found, fresh] = by_key_.try_emplace(key, nullptr);
    if (fresh) {
      found->second = &streams_.emplace_back(source_);
      found->second->origin = origin_of(prefix, prefix.trace);
    }
    return *found->second;
  }

  void open_payload(const Prefix& prefix, const TraceEntry& entry) {
    payload_ = &streams_.emplace_back(source_);
    payload_->title = entry.name;
    payload_->origin = origin_of(prefix, entry.compile_id);
  }

  SourcePtr source_;
  std::string_view text_;
  std::deque<Stream> streams_;  // references stay valid
  std::unordered_map<std::string, Stream*> by_key_;
  Stream* payload_ = nullptr;
  std::size_t dropped_ = 0;
};

bool holds_graphs(GraphForm form) {
  return form == GraphForm::code || form == GraphForm::exported_program || form == GraphForm::text_ir ||
         form == GraphForm::tabular;
}

}  // namespace

void read_all(const SourcePtr& source, const ReadText& read_text, GraphFiles& out) {
  Splitter splitter(source);
  for (Stream& stream : splitter.split()) {
    if (stream.text.size() == 0 || !holds_graphs(recognise(stream.text.source()->text))) continue;
    GraphFiles found;
    read_text(stream.text.source(), found);
    stream.text.restore(found);
    for (GraphFile& file : found.graphs) {
      if (!stream.title.empty()) file.title = stream.title;
      file.origin = stream.origin;
      file.before.clear();
      file.after.clear();
      file.from_log = true;
      out.graphs.push_back(std::move(file));
    }
    for (Diagnostic& d : found.diagnostics) {
      if (d.severity == Severity::error) out.diagnostics.push_back(std::move(d));
    }
  }
  std::stable_sort(out.graphs.begin(), out.graphs.end(),
                   [](const GraphFile& a, const GraphFile& b) { return a.place.begin < b.place.begin; });
  if (out.graphs.empty() || splitter.dropped() == 0) return;
  out.diagnostics.push_back({Severity::note,
                             "skipped-lines",
                             fmt::format("{}: {} line{} without a log prefix skipped", source->name, splitter.dropped(),
                                         splitter.dropped() == 1 ? "" : "s"),
                             {},
                             {}});
}

}  // namespace fxrules::log
