#include "cli/test_graph.hpp"

#include <unordered_map>

#include <fmt/format.h>

#include "cli/console.hpp"
#include "cli/test_values.hpp"
#include "dsl/callee.hpp"
#include "dsl/entries.hpp"
#include "dsl/literals.hpp"
#include "engine/rewrite/binding.hpp"

namespace fxrules::cli {

using dsl::Ast;
using dsl::Callee;
using dsl::CalleeKind;
using dsl::kNoTerm;
using dsl::Range;
using dsl::Statement;
using dsl::StatementKind;
using dsl::Term;
using dsl::TermId;
using dsl::TermKind;
using dsl::TestGraph;

namespace {

struct Spelled {
  Opcode opcode = Opcode::call_function;
  std::string target;
  bool exact = false;
  bool choose_overload = false;  // the target is a packet; the arguments choose
  NodeId self = {};              // of x.method(…)
  std::uint32_t skip = 0;        // leading arguments that are part of the target
};

// One graph of a test, statement by statement.
class Builder {
 public:
  Builder(const Ast& ast, const Catalogue& catalogue, const program::RuleSet& no_rules, TestGraphResult& out)
      : ast_(ast), catalogue_(catalogue), no_rules_(no_rules), out_(out) {}

  struct Nested {
    std::uint32_t index;
    Graph* graph;
    std::string prefix;
  };
  // Nested graphs are appended to `nested`, for the caller to build in turn.
  void build(const TestGraph& source, Graph& graph, const std::string& prefix, std::vector<Nested>& nested);

 private:
  void statement(const Statement& s, std::vector<Nested>& nested);
  void input(const Statement& s);
  void nested_graph(const Statement& s, std::vector<Nested>& nested);
  void node(const Statement& s);
  void returns(const Statement& s);
  void sign(const Statement& s, const std::vector<std::optional<dsl::EntryTerms>>& entries);
  void set_meta(const Statement& s, NodeId n);

  NodeId make(TermId term, std::string_view name);
  NodeId make_index(TermId term, std::string_view name);
  NodeId make_call(TermId term, std::string_view name);
  NodeId finish(CallBuilder& call, const Spelled& spelled, std::string_view name);
  void choose_overload(NodeId n);
  bool add_arguments(CallBuilder& call, const Term& term, const Spelled& spelled);
  void add(CallBuilder& call, TermId value);
  void make_inner(TermId term);

  std::optional<Spelled> spell(const Term& term);
  std::optional<Spelled> spell_word(const Term& term, std::string_view word);
  std::optional<Spelled> spell_op(OpId op, std::string_view word);
  std::optional<Spelled> spell_path(const Term& term, Opcode opcode);
  Spelled spell_dotted(std::string_view text);

  NodeId node_of(TermId term);
  NodeId find(std::string_view name) const;
  void declare(const Statement& s, NodeId n);
  void error(std::string_view kind, Range range, std::string message, std::string hint = {});

  const Ast& ast_;
  const Catalogue& catalogue_;
  const program::RuleSet& no_rules_;
  TestGraphResult& out_;
  Graph* graph_ = nullptr;
  std::string prefix_;
  std::unordered_map<std::string_view, NodeId> names_;
  std::unordered_map<TermId, NodeId> made_;
  std::vector<InputSpec> inputs_;
  bool buffers_ = false;
};

void Builder::error(std::string_view kind, Range range, std::string message, std::string hint) {
  Diagnostic d = plain_error(kind, std::move(message), std::move(hint));
  d.span = ast_.span(range);
  out_.diagnostics.push_back(std::move(d));
}

void Builder::build(const TestGraph& source, Graph& graph, const std::string& prefix, std::vector<Nested>& nested) {
  graph_ = &graph;
  prefix_ = prefix;
  names_.clear();
  made_.clear();
  inputs_.clear();
  buffers_ = false;
  for (const Statement& s : source.statements) statement(s, nested);
  if (!graph.output().valid()) error("no-return", source.range, "this graph returns nothing", "end it with `return x`");
}

void Builder::statement(const Statement& s, std::vector<Nested>& nested) {
  if (graph_->output().valid()) return error("after-return", s.range, "nothing can stand behind `return`");
  switch (s.kind) {
    case StatementKind::placeholder:
    case StatementKind::buffer:
      return input(s);
    case StatementKind::graph:
      return nested_graph(s, nested);
    case StatementKind::node:
      return node(s);
    case StatementKind::returns:
      return returns(s);
  }
}

void Builder::declare(const Statement& s, NodeId n) {
  names_.insert_or_assign(s.name, n);  // also one that has errors: they are not said again where it is used
  if (n.valid()) set_meta(s, n);
}

void Builder::set_meta(const Statement& s, NodeId n) {
  if (s.meta.empty()) return;
  const std::optional<MetaId> meta = graph_->metas().parse(s.meta);
  if (!meta)
    return error("metadata", s.meta_range, "this is no metadata", "write it as in `f32[4,8] strides=(8,1) device=cpu`");
  graph_->set_meta(n, *meta);
}

void Builder::input(const Statement& s) {
  if (names_.count(s.name) > 0)
    return error("duplicate-name", s.name_range, fmt::format("`{}` is defined twice", s.name));
  const NodeId n = CallBuilder(*graph_).create(Opcode::placeholder, s.name, s.name);
  const bool buffer = s.kind == StatementKind::buffer;
  buffers_ |= buffer;
  inputs_.push_back({n, buffer ? InputRole::buffer : InputRole::user, buffer ? graph_->name_id(n) : SymbolId(), true});
  declare(s, n);
}

void Builder::nested_graph(const Statement& s, std::vector<Nested>& nested) {
  if (names_.count(s.name) > 0)
    return error("duplicate-name", s.name_range, fmt::format("`{}` is defined twice", s.name));
  Graph& body = graph_->add_subgraph(graph_->symbols().intern(s.name));
  nested.push_back({s.graph, &body, prefix_ + std::string(s.name) + "/"});
  declare(s, CallBuilder(*graph_).create(Opcode::get_attr, s.name, s.name));
}

void Builder::node(const Statement& s) {
  if (names_.count(s.name) > 0)
    return error("duplicate-name", s.name_range, fmt::format("`{}` is defined twice", s.name));
  if (s.value == kNoTerm || !makes_node(ast_, s.value)) {
    return error("no-call", s.range, fmt::format("`{}` is given no call", s.name),
                 "write an op with its arguments, as in `add(x, 1)`");
  }
  make_inner(s.value);
  declare(s, make(s.value, s.name));
}

// A graph that has buffers, or gives inputs new values, has a signature.
void Builder::sign(const Statement& s, const std::vector<std::optional<dsl::EntryTerms>>& entries) {
  Signature signature;
  signature.inputs = inputs_;
  for (const auto& entry : entries) {
    OutputSpec& spec = signature.outputs.emplace_back();
    if (!entry) continue;
    const NodeId input = node_of(entry->input);
    const InputSpec* const known = input.valid() ? signature.find(input) : nullptr;
    if (known == nullptr) {
      if (input.valid())
        error("no-input", ast_[entry->input].range,
              fmt::format("`{}` is not an input of this graph", graph_->name(input)),
              "an entry of the signature gives an input its new value");
      return;
    }
    spec = {known->role == InputRole::buffer ? OutputRole::buffer_mutation : OutputRole::input_mutation, input};
  }
  if (!prefix_.empty()) return error("nested-entry", s.range, "only the outermost graph has a signature");
  graph_->set_signature(std::move(signature));
}

void Builder::returns(const Statement& s) {
  std::vector<TermId> values{s.value};
  const bool in_tuple = s.tuple || (s.value != kNoTerm && ast_[s.value].kind == TermKind::tuple);
  if (in_tuple) {
    const Term& tuple = ast_[s.value];
    values.assign(ast_.children.begin() + tuple.first, ast_.children.begin() + tuple.first + tuple.count);
  }
  std::vector<std::optional<dsl::EntryTerms>> entries;
  bool signs = buffers_;
  for (TermId& value : values) {
    entries.push_back(dsl::entry_of(ast_, value));
    signs |= entries.back().has_value();
    if (entries.back()) value = entries.back()->value;
    make_inner(value);
    if (makes_node(ast_, value)) made_[value] = make(value, {});
  }
  CallBuilder call(*graph_);
  if (in_tuple) call.open(ArgKind::tuple);
  for (const TermId value : values) add(call, value);
  if (in_tuple) call.close();
  call.create(Opcode::output, "output", "output");
  if (signs) sign(s, entries);
}

void Builder::make_inner(TermId term) {
  for (const TermId inner : inner_calls(ast_, term)) made_[inner] = make(inner, {});
}

NodeId Builder::make(TermId term, std::string_view name) {
  return ast_[term].kind == TermKind::index ? make_index(term, name) : make_call(term, name);
}

NodeId Builder::make_index(TermId term, std::string_view name) {
  CallBuilder call(*graph_);
  for (std::uint32_t i = 0; i < 2; ++i) add(call, ast_.children[ast_[term].first + i]);
  return finish(call, {Opcode::call_function, std::string(catalogue_.operator_of(catalogue_.role("getitem")))}, name);
}

NodeId Builder::make_call(TermId term, std::string_view name) {
  const std::optional<Spelled> spelled = spell(ast_[term]);
  if (!spelled) return {};
  NodeId n;
  {
    CallBuilder call(*graph_);
    if (spelled->self.valid()) call.node(spelled->self);
    if (!add_arguments(call, ast_[term], *spelled)) return {};
    n = finish(call, *spelled, name);
  }
  if (spelled->choose_overload) choose_overload(n);
  return n;
}

NodeId Builder::finish(CallBuilder& call, const Spelled& spelled, std::string_view name) {
  if (!name.empty() && graph_->find(name).valid())
    name = graph_->text(graph_->unique_name(name));  // an inner call took it
  const NodeId n = call.create(spelled.opcode, spelled.target, name);
  if (spelled.exact) out_.exact.insert(prefix_ + std::string(graph_->name(n)));
  return n;
}

void Builder::choose_overload(NodeId n) {
  rewrite::Binding binding(no_rules_, *graph_);
  const Overload* schema = binding.call_class(n).schema;
  if (schema == nullptr) return;
  const std::string target = catalogue_.overload_target(schema->id);
  CallBuilder call(*graph_);
  const CallForm form = graph_->form(n);
  for (std::uint32_t i = 0; i < graph_->argument_count(n); ++i) {
    if (i >= form.positional) call.keyword(form.keywords[i - form.positional]);
    call.copy(graph_->argument(n, i));
  }
  call.reassign(n, Opcode::call_function, graph_->symbols().intern(target));
}

bool Builder::add_arguments(CallBuilder& call, const Term& term, const Spelled& spelled) {
  bool keywords = false;
  for (std::uint32_t i = spelled.skip; i < term.count; ++i) {
    const Term& argument = ast_[ast_.children[term.first + i]];
    const bool wrapped = argument.kind == TermKind::argument;
    const bool positional = !wrapped || argument.text.empty();
    if (positional && keywords) {
      error("argument-order", argument.range, "a positional argument stands behind a keyword argument");
      return false;
    }
    keywords = !positional;
    if (keywords) call.keyword(argument.text);
    add(call, wrapped ? ast_.children[argument.first] : ast_.children[term.first + i]);
  }
  return true;
}

void Builder::add(CallBuilder& call, TermId value) {
  TermId wrong = kNoTerm;
  const std::size_t depth = call.depth();
  if (add_argument(
          call, ast_, value, [this](TermId t) { return node_of(t); }, wrong))
    return;
  while (call.depth() > depth) call.close();
  error("no-argument", ast_[wrong].range, fmt::format("`{}` can be no argument in a test graph", ast_[wrong].text));
}

NodeId Builder::node_of(TermId term) {
  const Term& t = ast_[term];
  if (t.kind != TermKind::name) {
    const auto found = made_.find(term);
    return found == made_.end() ? NodeId() : found->second;
  }
  const NodeId n = find(t.text);
  if (n.valid() || names_.count(t.text) > 0 || dsl::literal_of(ast_, term)) return n;
  std::vector<std::string_view> names;
  for (const auto& [name, id] : names_) names.push_back(name);
  const std::vector<std::string> near = nearest_names(t.text, names, 1);
  error("unknown-name", t.range, fmt::format("no node is called `{}` here", t.text),
        near.empty() ? std::string() : fmt::format("did you mean `{}`?", near[0]));
  return {};
}

NodeId Builder::find(std::string_view name) const {
  const auto found = names_.find(name);
  return found == names_.end() ? NodeId() : found->second;
}

std::optional<Spelled> Builder::spell(const Term& term) {
  const Callee& callee = ast_.callees[term.callee];
  switch (callee.kind) {
    case CalleeKind::implicit:
      return spell_word(term, callee.text);
    case CalleeKind::method:
      return Spelled{Opcode::call_method, std::string(callee.text.substr(1)), true};
    case CalleeKind::dotted:
      return spell_dotted(callee.text);
    default:
      break;
  }
  error("no-op", callee.range, fmt::format("`{}` names no single op", callee.text), "a test graph holds real calls");
  return std::nullopt;
}

std::optional<Spelled> Builder::spell_word(const Term& term, std::string_view word) {
  if (const auto op = catalogue_.find_op(word)) return spell_op(*op, word);
  if (word == to_string(Opcode::get_attr)) return spell_path(term, Opcode::get_attr);
  if (word == to_string(Opcode::call_module)) return spell_path(term, Opcode::call_module);
  const std::vector<std::string> near = nearest_names(word, catalogue_.all_op_names(), 2);
  error("unknown-op", ast_.callees[term.callee].range, fmt::format("no op is called `{}`", word),
        near.empty() ? std::string("write its full name, as in `my_ops.f(x)`")
                     : fmt::format("did you mean `{}`?", near[0]));
  return std::nullopt;
}

// What Dynamo would have captured: the function, else the method, else what stands for Python's own operators.
std::optional<Spelled> Builder::spell_op(OpId op, std::string_view word) {
  if (const auto target = catalogue_.function_of(op); !target.empty())
    return Spelled{Opcode::call_function, std::string(target)};
  if (const auto target = catalogue_.method_of(op); !target.empty())
    return Spelled{Opcode::call_method, std::string(target)};
  if (const auto target = catalogue_.operator_of(op); !target.empty())
    return Spelled{Opcode::call_function, std::string(target)};
  std::string packet = catalogue_.packet_target(op);
  if (packet.empty()) packet = word;
  return Spelled{Opcode::call_function, std::move(packet), false, true};
}

// get_attr("a.b") and call_module("a.b", x): the path is the target.
std::optional<Spelled> Builder::spell_path(const Term& term, Opcode opcode) {
  if (term.count > 0) {
    const Term& argument = ast_[ast_.children[term.first]];
    const Term& path = argument.kind == TermKind::argument ? ast_[ast_.children[argument.first]] : argument;
    if (path.kind == TermKind::string) return Spelled{opcode, dsl::string_value(path.text), true, false, {}, 1};
  }
  error("no-path", term.range, fmt::format("`{}` needs a path", to_string(opcode)),
        fmt::format("write {}(\"path.to.it\")", to_string(opcode)));
  return std::nullopt;
}

// x.method(…) where x is a node, else a path.
Spelled Builder::spell_dotted(std::string_view text) {
  const std::size_t dot = text.find('.');
  const NodeId self = find(text.substr(0, dot));
  if (self.valid() && text.find('.', dot + 1) == std::string_view::npos) {
    return {Opcode::call_method, std::string(text.substr(dot + 1)), true, false, self};
  }
  const std::string target = dsl::full_target(catalogue_, text);
  return {Opcode::call_function, std::string(catalogue_.printed_target(target)), true};
}

}  // namespace

TestGraphResult build_test_graph(const Ast& ast, const dsl::Test& test, std::uint32_t index,
                                 std::shared_ptr<const Catalogue> catalogue, std::shared_ptr<Tables> tables) {
  TestGraphResult result{Graph(std::move(tables)), {}, {}};
  program::RuleSet no_rules;
  no_rules.catalogue = catalogue;
  Builder builder(ast, *catalogue, no_rules, result);
  std::vector<Builder::Nested> open{{index, &result.graph, ""}};
  while (!open.empty()) {
    const Builder::Nested next = std::move(open.back());
    open.pop_back();
    builder.build(test.graphs[next.index], *next.graph, next.prefix, open);
  }
  return result;
}

}  // namespace fxrules::cli
