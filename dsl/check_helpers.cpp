// Helpers must end. Helpers that call each other form groups; in every group there must be one position at
// which each call within the group passes a part of what the caller's left side takes apart there, so that
// this argument shrinks all the way round.
#include <algorithm>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "dsl/check.hpp"

namespace fxrules::dsl {
namespace {

struct Call {
  std::uint32_t from = 0;  // helper
  std::uint32_t to = 0;
  const Equation* equation = nullptr;
  TermId term = kNoTerm;
};

class HelperCheck {
 public:
  explicit HelperCheck(const CheckInput& input) : in_(input), ast_(input.ast) {}

  void run() {
    for (const Equation& equation : ast_.defs) {
      const auto [found, fresh] = ids_.try_emplace(equation.name, static_cast<std::uint32_t>(ids_.size()));
      if (fresh) parameters_.push_back(equation.parameters.size());
    }
    for (const Equation& equation : ast_.defs) {
      collect(equation, equation.body);
      collect(equation, equation.guard);
    }
    find_groups();
    std::vector<std::vector<const Call*>> within(group_count_);
    for (const Call& call : calls_)
      if (group_[call.from] == group_[call.to]) within[group_[call.from]].push_back(&call);
    for (const std::vector<const Call*>& calls : within) check_group(calls);
  }

 private:
  void collect(const Equation& equation, TermId id) {
    if (id == kNoTerm) return;
    const Term& term = ast_[id];
    if (term.kind == TermKind::call && ast_.callees[term.callee].kind == CalleeKind::implicit) {
      const auto to = ids_.find(term.text);
      if (to != ids_.end()) calls_.push_back({ids_.at(equation.name), to->second, &equation, id});
    }
    for (std::uint32_t i = 0; i < term.count; ++i) collect(equation, ast_.children[term.first + i]);
  }

  // Strongly connected components by Tarjan's algorithm, without recursion.
  void find_groups() {
    const auto count = static_cast<std::uint32_t>(ids_.size());
    std::vector<std::vector<std::uint32_t>> next(count);
    for (const Call& call : calls_) next[call.from].push_back(call.to);
    group_.assign(count, kUnknown);
    std::vector<std::uint32_t> order(count, kUnknown), low(count, 0), open;
    std::vector<std::pair<std::uint32_t, std::size_t>> stack;
    std::uint32_t visited = 0;
    for (std::uint32_t start = 0; start < count; ++start) {
      if (order[start] != kUnknown) continue;
      stack.emplace_back(start, 0);
      while (!stack.empty()) {
        auto& [node, edge] = stack.back();
        if (edge == 0 && order[node] == kUnknown) {
          order[node] = low[node] = visited++;
          open.push_back(node);
        }
        if (edge < next[node].size()) {
          const std::uint32_t to = next[node][edge++];
          if (order[to] == kUnknown)
            stack.emplace_back(to, 0);
          else if (group_[to] == kUnknown)
            low[node] = std::min(low[node], order[to]);
          continue;
        }
        close_group(node, order, low, open);
        const std::uint32_t done = node;
        stack.pop_back();
        if (!stack.empty()) low[stack.back().first] = std::min(low[stack.back().first], low[done]);
      }
    }
  }

  void close_group(std::uint32_t node, const std::vector<std::uint32_t>& order, const std::vector<std::uint32_t>& low,
                   std::vector<std::uint32_t>& open) {
    if (low[node] != order[node]) return;
    for (std::uint32_t member = kUnknown; member != node; open.pop_back()) {
      member = open.back();
      group_[member] = group_count_;
    }
    ++group_count_;
  }

  void check_group(const std::vector<const Call*>& calls) {
    std::size_t positions = 0;
    for (const Call* call : calls) positions = std::max(positions, parameters_[call->from]);
    if (calls.empty()) return;
    const Call* culprit = nullptr;
    for (std::size_t position = 0; position < std::max<std::size_t>(positions, 1); ++position) {
      const auto bad =
          std::find_if(calls.begin(), calls.end(), [&](const Call* call) { return !shrinks(*call, position); });
      if (bad == calls.end()) return;
      if (culprit == nullptr || (*bad)->term > culprit->term) culprit = *bad;
    }
    report_endless(*culprit);
  }

  // The argument at `position` is a variable that the parameter there holds inside of a list or call.
  bool shrinks(const Call& call, std::size_t position) const {
    const Term& term = ast_[call.term];
    if (position >= term.count || position >= call.equation->parameters.size()) return false;
    const Term& argument = ast_[ast_.children[ast_[ast_.children[term.first + position]].first]];
    return argument.kind == TermKind::name && is_part(call.equation->parameters[position], argument.text, false);
  }

  bool is_part(TermId id, std::string_view name, bool inside) const {
    if (id == kNoTerm) return false;
    const Term& term = ast_[id];
    const bool binds = term.kind == TermKind::name || term.kind == TermKind::rest || term.kind == TermKind::bind;
    if (binds && term.text == name) return inside;
    const bool deeper = inside || term.kind != TermKind::bind;
    for (std::uint32_t i = 0; i < term.count; ++i)
      if (is_part(ast_.children[term.first + i], name, deeper)) return true;
    return false;
  }

  void report_endless(const Call& call) {
    const std::string_view name = ast_[call.term].text;
    const bool direct = call.from == call.to;
    report(direct ? fmt::format("`{}` calls itself without shrinking a list", name)
                  : fmt::format("`{}` and `{}` call each other without shrinking a list", call.equation->name, name),
           ast_[call.term].range,
           "every such call passes, at one and the same position, a part of a list that the left side takes apart, as "
           "`rest` of `[x, rest..]`");
  }

  void report(std::string message, Range place, std::string hint) {
    in_.findings.add("endless-helper", std::move(message), place, std::move(hint));
  }

  static constexpr std::uint32_t kUnknown = 0xFFFFFFFFu;

  const CheckInput& in_;
  const Ast& ast_;
  std::unordered_map<std::string_view, std::uint32_t> ids_;
  std::vector<std::size_t> parameters_;
  std::vector<Call> calls_;
  std::vector<std::uint32_t> group_;
  std::uint32_t group_count_ = 0;
};

}  // namespace

void check_helpers(const CheckInput& input) { HelperCheck(input).run(); }

}  // namespace fxrules::dsl
