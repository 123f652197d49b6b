// A rule set tied to one graph. What rules ask of a call (which op it is, where the argument of a schema
// role stands, whether it writes) depends on its form alone in nearly all cases, so it is worked out once a
// form and looked up afterwards. Rule literals become symbols of the graph here.
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "engine/program/program.hpp"
#include "engine/rewrite/form_tables.hpp"
#include "engine/rewrite/value.hpp"

namespace fxrules::rewrite {

// Where a call holds an argument.
struct Access {
  enum class How : std::uint8_t { absent, slot, run, constant, input };
  How how = How::absent;
  TypeKind type = TypeKind::any;
  bool list = false;
  std::uint32_t at = 0;     // slot, input: offset from the first top-level argument; run: first; constant: index
  std::uint32_t count = 0;  // run
};

// How one schema (or none) reads the calls of one form.
struct CallClass {
  OpId op;                           // none: the catalogue does not know the target
  const Overload* schema = nullptr;  // null: arguments are matched literally
  SpellingStyle style = SpellingStyle::function;
  bool reflected = false;
  bool writes = false;              // some argument, perhaps conditionally
  bool removable = false;           // not random, no effect: may go when nothing uses it and it writes nothing
  bool unknown = false;             // may read, write and return any tensor that it gets
  bool aliases = false;             // the result may share storage with an argument
  std::vector<Access> by_argument;  // schema arguments
  // What is written or may be returned; nearly always decided by the form.
  struct Effect {
    std::uint32_t argument = 0;  // of the schema
    bool returned = false, writes = false;
    bool certain = true;  // else the call's arguments decide
  };
  std::vector<Effect> effects;
  Access copy_flag;            // of a call that returns its operand or a copy
  std::vector<Access> by_key;  // argument keys of the rule set
  struct Rest {
    bool never = false;                                        // an argument without default is not mentioned
    std::vector<std::pair<Access, std::uint32_t>> at_default;  // these must equal those constants
  };
  std::vector<std::unique_ptr<Rest>> rests;  // by rest spec; worked out on first use
};

class Binding {
 public:
  Binding(const program::RuleSet& rules, Graph& graph);

  [[nodiscard]] const program::RuleSet& rules() const { return *rules_; }
  [[nodiscard]] Graph& graph() const { return *graph_; }
  [[nodiscard]] const Catalogue& catalogue() const { return *rules_->catalogue; }

  // The class of a node's call. O(1) but for forms whose schema depends on argument kinds.
  CallClass& call_class(NodeId n) {
    const FormInfo& info = form_of(n);
    return info.only != nullptr ? *info.only : *classes_[choose(n, info)];
  }
  // The class of every call of the node's form; null where argument kinds decide.
  [[nodiscard]] CallClass* only_class(NodeId n) { return form_of(n).only; }
  // What calls of the node's form return when all their schemas agree on one value of one kind; else `any`.
  // A fact of the form: asking for the class of each operand in turn would walk the whole graph above.
  TypeKind returned_kind(NodeId n) { return form_of(n).returned; }
  bool is_operator(NodeId n) { return classes_[form_of(n).first]->style == SpellingStyle::operator_; }
  // A call of something that the catalogue does not know; modules are nobody's to know.
  bool unknown_target(FormId form) {
    const CallClass& call = *classes_[form_of(form).first];
    return call.unknown && !call.op.valid() && graph_->form(form).opcode != Opcode::call_module;
  }
  // Calls of this form may write an operand, as far as the catalogue knows them.
  bool may_write(FormId form) {
    const FormInfo& info = form_of(form);
    for (std::uint32_t c = info.first; c < info.first + info.count; ++c) {
      if (classes_[c]->writes || classes_[c]->unknown) return true;
    }
    return info.writes_by_graph;
  }
  // What the graphs that a call runs do to its operands, beyond what its schema says. Before anything asks of it.
  struct Effects {
    std::vector<NodeId> written, returned;  // operands
    bool stays = false;                     // the graphs hold what must not go: a check, a random call
    bool several = false;                   // the result is a tuple
    bool apart = false;                     // no two results share storage
  };
  void add_effects(NodeId call, Effects effects);
  [[nodiscard]] const Effects* effects(NodeId call) const {
    if (effects_.empty()) return nullptr;
    const auto found = effects_.find(call.value);
    return found == effects_.end() ? nullptr : &found->second;
  }
  // Inputs that the caller passes with one storage, in a way that nobody knows.
  void share_inputs(NodeId a, NodeId b) { shared_inputs_.emplace_back(a, b); }
  [[nodiscard]] const std::vector<std::pair<NodeId, NodeId>>& shared_inputs() const { return shared_inputs_; }
  // Pure, not random, and so is what it runs: may go when nothing uses it.
  [[nodiscard]] bool removable(NodeId n) {
    const CallClass& call = call_class(n);
    if (!call.removable || (call.writes && writes(n))) return false;
    const Effects* inside = effects(n);
    return inside == nullptr || (!inside->stays && inside->written.empty());
  }
  // A call that by its form alone neither writes nor returns what it gets: a value of its own.
  bool shares_nothing(NodeId n) { return form_of(n).shares_nothing; }
  // An entry of the signature (entries.hpp).
  bool is_entry(NodeId n) { return form_of(n).entry; }
  // The entry that gives this input its new value; none where the signature has none, or several. O(1), but the
  // first time O(outputs).
  NodeId entry_of(NodeId input);
  // How new calls are spelled beside a node: as it is itself, beside an entry as the graph's calls are.
  SpellingStyle style_beside(NodeId n) { return is_entry(n) ? style_of_graph() : call_class(n).style; }
  // The one that stands first; none where there is none.
  NodeId first_entry();
  // The input of an entry and the place of its value.
  [[nodiscard]] NodeId input_of_entry(NodeId entry) const;
  [[nodiscard]] SlotId value_of_entry(NodeId entry) const { return graph_->argument(entry, 1); }
  // Whether the node is a call that satisfies the op pattern. Bindings of holes are asked for separately.
  bool accepts(NodeId n, program::Index pattern) {
    std::uint8_t& known = form_of(n).accepts[pattern];
    if (known == kNotAsked) known = decide(graph_->form_id(n).value, pattern) ? 1 : 0;
    return known != 0;
  }
  // The text a hole is bound to by a node that the pattern accepts.
  SymbolId hole(NodeId n, program::Index pattern, std::size_t index);
  // What a match program asks of forms. Stays where it is.
  FormTables& tables(const program::MatchProgram& match) {
    if (tables_.empty() || &tables_.front()->match() != &match) select_tables(match);
    return *tables_.front();
  }
  program::Index start(NodeId n, const program::MatchProgram& match) { return tables(match).start(n); }

  Value argument(NodeId n, const Access& access) {
    if (access.how == Access::How::slot && !access.list)
      return from_slot((*graph_)[graph_->argument(n, access.at)], access.type);
    return other_argument(n, access);
  }
  Value from_slot(const Slot& slot, TypeKind role) {
    if (slot.kind != ArgKind::node) return literal_from_slot(slot, role);
    Value v = Value::of_node(slot.node());
    v.role = role;
    return v;
  }
  [[nodiscard]] const Value& constant(std::uint32_t index) const { return constants_[index]; }
  [[nodiscard]] const Value& literal(program::Index index) const { return literals_[index]; }
  // The default of a schema argument.
  const Value& default_of(const CallClass& call, std::size_t argument) {
    return default_of(call.schema->arguments[argument]);
  }
  const Value& default_of(const SchemaArgument& argument) { return constants_[default_constant(argument)]; }
  const CallClass::Rest& rest(CallClass& call, program::Index spec);
  [[nodiscard]] Access find_argument(const CallClass& call, NodeId n, std::string_view name) const;
  // Arguments that `call` writes at node n: indices of schema arguments.
  bool writes_argument(const CallClass& call, NodeId n, std::size_t argument);
  // Anything, conditions evaluated.
  bool writes(NodeId n) { return !shares_nothing(n) && writes_something(n); }
  // A condition of the catalogue (`inplace=True`) at this call; true when it cannot be decided.
  bool holds(const CallClass& call, NodeId n, std::string_view condition);

  Value item(const Value& sequence, std::uint32_t i, const std::vector<Value>& heap);
  SymbolId symbol(std::string_view text) { return graph_->symbols().intern(text); }

 private:
  static constexpr std::uint8_t kNotAsked = 2;
  struct FormInfo {
    bool linked = false;
    bool shares_nothing = false;
    bool entry = false;
    bool writes_by_graph = false;        // some call of this form runs a graph that writes operands
    std::uint32_t first = 0, count = 0;  // classes
    CallClass* only = nullptr;           // the class, when there is one
    TypeKind returned = TypeKind::any;
    std::vector<std::uint8_t> accepts;  // by op pattern
  };
  FormInfo& form_of(NodeId n) { return form_of(graph_->form_id(n)); }
  FormInfo& form_of(FormId form) {
    if (form.value >= forms_.size() || !forms_[form.value].linked) link(form.value);
    return forms_[form.value];
  }
  void link(std::uint32_t form);
  void select_tables(const program::MatchProgram& match);
  bool writes_something(NodeId n);
  Value other_argument(NodeId n, const Access& access);
  Value literal_from_slot(const Slot& slot, TypeKind role);
  [[nodiscard]] TypeKind agreed_kind(const FormInfo& info) const;
  void add_class(std::uint32_t form, const Spelling* spelling, const Overload* schema);
  [[nodiscard]] bool fits(const CallForm& form, const Overload& schema, bool reflected, std::vector<Access>& out);
  static void list_effects(CallClass& call);
  std::uint32_t choose(NodeId n, const FormInfo& info);
  bool kinds_fit(NodeId n, const CallClass& call);
  bool decide(std::uint32_t form, program::Index pattern);
  bool match_pieces(const program::OpPattern& pattern, std::string_view text,
                    std::vector<std::string_view>* holes) const;
  [[nodiscard]] bool hole_sets_hold(std::uint32_t form, const program::OpPattern& pattern);
  std::uint32_t default_constant(const SchemaArgument& argument);
  std::uint32_t add_constant(std::string_view python, const SchemaType& type);
  [[nodiscard]] bool says(const Value& value, std::string_view text) const;
  Value value_of(const program::Literal& literal);

  const program::RuleSet* rules_;
  Graph* graph_;
  std::vector<FormInfo> forms_;
  std::vector<std::unique_ptr<CallClass>> classes_;
  std::vector<Value> constants_;
  std::vector<Value> literals_;
  std::unordered_map<const SchemaArgument*, std::uint32_t> defaults_;  // constant by schema argument
  std::unordered_map<std::uint32_t, Effects> effects_;                 // by call
  std::vector<std::pair<NodeId, NodeId>> shared_inputs_;
  std::vector<std::unique_ptr<FormTables>> tables_;  // the one in use is first
  std::optional<OpId> entry_op_;
  void find_entries();
  SpellingStyle style_of_graph();
  std::optional<SpellingStyle> style_of_graph_;
  std::optional<std::unordered_map<std::uint32_t, NodeId>> entries_;  // by input
  NodeId first_entry_;
};

// Same node, or literals equal in type and value. Unknown where an operand is unknown. Iterative.
[[nodiscard]] Truth same(Binding& binding, const Value& a, const Value& b, const std::vector<Value>& heap);
[[nodiscard]] Truth has_kind(Binding& binding, const Value& v, program::Kind kind);
// What is known of a node's value: is it a tensor, an int?
[[nodiscard]] Truth is_tensor(Binding& binding, NodeId n);
[[nodiscard]] Truth is_integer_node(Binding& binding, NodeId n);

}  // namespace fxrules::rewrite
