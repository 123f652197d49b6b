#include "formats/code/load_args.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "formats/python_literals.hpp"
#include "formats/text_ir/atoms.hpp"

namespace fxrules::code {
namespace {

using text_ir::trimmed;

constexpr std::size_t kNowhere = std::string_view::npos;

// `reader.tensor(buf0, (4, 8), dtype=torch.bfloat16)  # x`
struct Call {
  std::string_view function;
  std::vector<std::string_view> arguments;
  std::string_view remark;

  [[nodiscard]] std::string_view keyword(std::string_view name) const {
    for (const std::string_view a : arguments) {
      if (a.starts_with(name) && a.substr(name.size()).starts_with("=")) return a.substr(name.size() + 1);
    }
    return {};
  }
};

std::optional<Call> call_in(std::string_view line) {
  constexpr std::string_view kReader = "reader.";
  const std::size_t begin = line.find(kReader), open = line.find('(', std::min(begin, line.size()));
  if (begin == kNowhere || open == kNowhere) return std::nullopt;
  Call call{line.substr(begin + kReader.size(), open - begin - kReader.size()), {}, {}};
  std::size_t depth = 0, item = open + 1;
  char quote = '\0';
  for (std::size_t at = open; at < line.size(); ++at) {
    const char c = line[at];
    if (quote != '\0') {
      quote = c == quote ? '\0' : quote;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '(' || c == '[') {
      ++depth;
    } else if (c == ')' || c == ']' || (c == ',' && depth == 1)) {
      if (c == ',' || --depth == 0) {
        call.arguments.push_back(trimmed(line.substr(item, at - item)));
        item = at + 1;
      }
      if (depth > 0) continue;
      const std::size_t remark = line.find('#', at);
      if (remark != kNowhere) call.remark = trimmed(line.substr(remark + 1));
      return call;
    }
  }
  return std::nullopt;
}

// `(4, s0)` as `[4, s0]`; empty: it is no tuple.
std::string sizes_in(std::string_view tuple) {
  if (!tuple.starts_with('(') || !tuple.ends_with(')')) return {};
  tuple = trimmed(tuple.substr(1, tuple.size() - 2));
  if (tuple.ends_with(',')) tuple.remove_suffix(1);
  return fmt::format("[{}]", tuple);
}

// `device(type='cuda', index=0)` as `cuda:0`; storage is on the CPU where nothing is said.
std::string device_in(std::string_view text) {
  const std::size_t open = text.find('(');
  if (text.empty() || open == kNowhere || !text.ends_with(')')) return "cpu";
  return parse_device_arguments(text.substr(open + 1, text.size() - open - 2)).value_or("");
}

class LoadArgs {
 public:
  explicit LoadArgs(Graph& graph) : graph_(graph) {}

  void take(const Call& call, std::string_view assigned) {
    if (call.function == "storage") {
      storages_[assigned] = {device_in(call.keyword("device")), {}};
    } else if (call.function == "tensor" && call.arguments.size() >= 2) {
      tensor(call);
    } else if (call.function == "symint" && !call.arguments.empty()) {
      const std::string_view quoted = call.keyword("expr");
      const std::string_view value = quoted.size() > 2 ? quoted.substr(1, quoted.size() - 2) : call.arguments[0];
      know(call.remark, graph_.metas().parse(fmt::format("Sym({})", value)));
    }
  }
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> shared() { return std::move(shared_); }

 private:
  struct Storage {
    std::string device;
    std::string_view first;  // input made from it
  };

  void tensor(const Call& call) {
    const auto storage = storages_.find(call.arguments[0]);
    const bool known_storage = storage != storages_.end();  // else it has one of its own
    if (known_storage && storage->second.first.empty()) {
      storage->second.first = call.remark;
    } else if (known_storage && graph_.find(storage->second.first).valid() && graph_.find(call.remark).valid()) {
      shared_.emplace_back(storage->second.first, call.remark);
    }
    const std::string_view given = call.keyword("dtype");
    const std::string sizes = sizes_in(call.arguments[1]);
    const std::string strides = call.arguments.size() > 2 ? sizes_in(call.arguments[2]) : std::string();
    const auto meta =
        graph_.metas().parse(fmt::format("{}{}{}", given.empty() ? "torch.float32" : given, sizes, strides));
    const TensorMeta* known = meta && !sizes.empty() ? graph_.metas().tensor_of(*meta) : nullptr;
    if (known == nullptr || !known->shape) return;
    TensorMeta full = *known;
    const std::string_view device = known_storage ? std::string_view(storage->second.device) : "cpu";
    if (!device.empty()) full.device = graph_.symbols().intern(device);
    if (strides.empty()) full.strides = row_major(graph_.metas().expressions(), *full.shape);
    know(call.remark, graph_.metas().tensor(full));
  }

  void know(std::string_view input, std::optional<MetaId> meta) {
    const NodeId n = graph_.find(input);
    if (meta && n.valid() && graph_.opcode(n) == Opcode::placeholder && !graph_.meta(n).valid())
      graph_.set_meta(n, *meta);
  }

  Graph& graph_;
  std::unordered_map<std::string_view, Storage> storages_;
  std::vector<std::pair<std::string, std::string>> shared_;
};

}  // namespace

std::vector<std::pair<std::string, std::string>> read_load_args(std::string_view text, Graph& graph) {
  constexpr std::string_view kDef = "def load_args(reader):";
  std::size_t def = text.find(kDef);
  while (def != kNowhere && def > 0 && text[def - 1] != '\n') def = text.find(kDef, def + 1);
  if (def == kNowhere) return {};
  LoadArgs arguments(graph);
  for (std::size_t at = text.find('\n', def); at < text.size();) {
    const std::size_t begin = at + 1, end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    if (!line.empty() && line[0] != ' ' && line[0] != '\t') break;
    if (const auto call = call_in(line)) arguments.take(*call, trimmed(line.substr(0, line.find('='))));
    at = end;
  }
  return arguments.shared();
}

}  // namespace fxrules::code
