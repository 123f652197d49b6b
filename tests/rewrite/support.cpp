#include "support.hpp"

#include <cctype>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "dsl/lower.hpp"
#include "tests/support/catch.hpp"

namespace fxrules::testing {
namespace {

SourcePtr source_of(std::string text, std::string name) {
  return std::make_shared<Source>(Source{std::move(name), std::move(text)});
}

std::string trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
  return std::string(text);
}

// Puts a % in front of the names of nodes, but in slices, which FX prints as Python does.
std::string with_marks(std::string_view text, const std::set<std::string, std::less<>>& names) {
  std::string out;
  int bracket = 0, plain = 0;  // depth, and the depth at which a slice was opened
  for (std::size_t i = 0; i < text.size();) {
    const auto word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; };
    if (!word(text[i])) {
      const bool opens = text[i] == '(' || text[i] == '[' || text[i] == '{',
                 closes = text[i] == ')' || text[i] == ']' || text[i] == '}';
      bracket += opens ? 1 : 0;
      if (plain == 0 && text[i] == '(' && out.ends_with("slice")) plain = bracket;
      if (closes && bracket-- == plain) plain = 0;
      out += text[i++];
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && word(text[end])) ++end;
    const std::string_view token = text.substr(i, end - i);
    if (plain == 0 && names.contains(token)) out += '%';
    out += token;
    i = end;
  }
  return out;
}

// Cuts at commas that no bracket encloses.
std::vector<std::string> split_arguments(std::string_view text) {
  std::vector<std::string> out;
  int depth = 0;
  std::string part;
  for (const char c : text) {
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (c == ',' && depth == 0) {
      out.push_back(trimmed(part));
      part.clear();
    } else {
      part += c;
    }
  }
  if (!trimmed(part).empty()) out.push_back(trimmed(part));
  return out;
}

// `torch.add(x, 1, alpha=2)` as text IR has it behind the `=`.
std::string call_text(const std::string& call, const std::set<std::string, std::less<>>& names) {
  const std::size_t open = call.find('(');
  std::string target = call.substr(0, open);
  const char* opcode = "call_function";
  if (target.starts_with('.')) opcode = "call_method", target.erase(0, 1);
  if (target.starts_with('$')) opcode = "call_module", target.erase(0, 1);
  std::string args, kwargs;
  std::size_t positional = 0;
  for (const std::string& argument : split_arguments(call.substr(open + 1, call.rfind(')') - open - 1))) {
    const std::size_t equals = argument.find('=');
    const bool keyword = equals != std::string::npos && argument.find_first_of("([{ ") > equals;
    if (keyword) {
      kwargs += (kwargs.empty() ? "" : ", ") + argument.substr(0, equals) + ": " +
                with_marks(argument.substr(equals + 1), names);
    } else {
      args += with_marks(argument, names) + ", ";
      ++positional;
    }
  }
  if (positional > 0) args.resize(args.size() - (positional == 1 ? 1 : 2));  // `(%x,)`, `(%x, 1)`
  return fmt::format("{}[target={}](args = ({}), kwargs = {{{}}})", opcode, target, args, kwargs);
}

}  // namespace

const std::shared_ptr<Catalogue>& catalogue() {
  static const std::shared_ptr<Catalogue> loaded = Catalogue::load(FXRULES_SHARE_DIR);
  return loaded;
}

namespace {
RuleSet loaded(const std::string& text, bool prelude) {
  LoadOptions options;
  options.catalogue = catalogue();
  options.search = {FXRULES_SOURCE_DIR "/rules"};
  options.prelude = prelude;
  LoadResult result = load_rules({{"test.rules", source_of(text, "test.rules")}}, options);
  INFO(text);
  INFO(render(result.diagnostics));
  REQUIRE(result.rules.valid());
  return result.rules;
}
}  // namespace

RuleSet rules_of(const std::string& text) { return loaded(text, false); }
RuleSet rules_with_prelude(const std::string& text) { return loaded(text, true); }

Loaded load_text(const std::string& text) {
  dsl::LoadOptions options;
  options.prelude = false;
  dsl::Loader loader(catalogue(), options);
  const dsl::RuleFile file = loader.load(source_of(text, "random.rules"));
  Loaded out;
  out.diagnostics = loader.take_diagnostics();
  if (has_errors(out.diagnostics) || file.trees.empty()) return out;
  auto rules = std::make_shared<program::RuleSet>();
  rules->catalogue = catalogue();
  out.ast = file.trees.front();
  dsl::Scope scope;
  scope.trees = {out.ast.get()};
  out.diagnostics = dsl::lower(scope, *rules);
  if (!has_errors(out.diagnostics)) out.program = std::move(rules);
  return out;
}

// `x: f32[4] = placeholder`, `a = torch.add(x, 1)`, `.relu(x)`, `$layers.0(x)`, `w = get_attr model.w`,
// `return (a, b)`: one a line, text IR otherwise.
Graph graph_of(const std::string& text) {
  std::istringstream lines(text);
  std::string out = "graph():\n";
  std::set<std::string, std::less<>> names;
  std::vector<std::pair<std::string, std::string>> metas;
  for (std::string line; std::getline(lines, line);) {
    line = trimmed(line);
    if (line.empty()) continue;
    if (line.starts_with("return ")) {
      out += "    return " + line.substr(7) + "\n";
      continue;
    }
    const std::size_t equals = line.find(" = ");
    std::string name = line.substr(0, equals);
    const std::string value = line.substr(equals + 3);
    if (const std::size_t colon = name.find(':'); colon != std::string::npos) {
      metas.emplace_back(name.substr(0, colon), trimmed(name.substr(colon + 1)));
      name.resize(colon);
    }
    out += fmt::format("    %{} : [num_users=0] = ", name);
    if (value == "placeholder") {
      out += fmt::format("placeholder[target={}]\n", name);
    } else if (value.starts_with("get_attr ")) {
      out += fmt::format("get_attr[target={}]\n", value.substr(9));
    } else {
      out += call_text(value, names) + "\n";
    }
    names.insert(name);
  }
  GraphFile file = read_graph(source_of(out, "graph.txt"));
  INFO(out);
  INFO(render(file.diagnostics));
  REQUIRE_FALSE(has_errors(file.diagnostics));
  for (const auto& [name, meta] : metas) {
    const auto parsed = file.graph.metas().parse(meta);
    REQUIRE(parsed);
    file.graph.set_meta(file.graph.find(name), *parsed);
  }
  REQUIRE(verify(file.graph).empty());
  return std::move(file.graph);
}

Applied applied(const RuleSet& rules, Graph graph, const ApplyOptions& options) {
  Applied out;
  out.report = apply(rules, graph, options);
  INFO(render(verify(graph)));
  CHECK(verify(graph).empty());
  out.text = lines_of(graph);
  return out;
}

Applied applied(const std::string& rules, const std::string& graph, const ApplyOptions& options) {
  return applied(rules_of(rules), graph_of(graph), options);
}

std::string lines_of(const Graph& graph) {
  std::string out;
  for (const NodeId n : graph.nodes()) {
    if (graph.opcode(n) == Opcode::placeholder) continue;
    std::string args;
    const CallForm& form = graph.form(n);
    for (std::uint32_t i = 0; i < graph.argument_count(n); ++i) {
      if (i != 0) args += ", ";
      if (i >= form.positional) args += std::string(graph.text(form.keywords[i - form.positional])) + "=";
      args += format_argument(graph, graph.argument(n, i), true);
    }
    switch (form.opcode) {
      case Opcode::output:
        out += "return " + args + "\n";
        break;
      case Opcode::get_attr:
        out += fmt::format("{} = get_attr {}\n", graph.name(n), graph.target(n));
        break;
      default:
        out += fmt::format("{} = {}{}({})\n", graph.name(n),
                           form.opcode == Opcode::call_method   ? "."
                           : form.opcode == Opcode::call_module ? "$"
                                                                : "",
                           graph.target(n), args);
    }
  }
  return out;
}

std::string evaluated(const std::string& expression, const std::string& graph, const std::string& defs) {
  const std::string rules = defs + "\nphase one once\ntest.probe(x, ..) => test.result(" + expression + ")\n";
  const Applied run = applied(rules_with_prelude(rules), graph_of(graph));
  const std::size_t at = run.text.find("test.result(");
  if (at == std::string::npos) return "unknown";
  const std::size_t begin = at + 12, end = run.text.find('\n', at);
  return run.text.substr(begin, end - begin - 1);
}

}  // namespace fxrules::testing
