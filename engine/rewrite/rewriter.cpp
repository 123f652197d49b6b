#include "engine/rewrite/rewriter.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "engine/rewrite/versions.hpp"

namespace fxrules::rewrite {

void Rewriter::Changes::clear() {
  created.clear();
  kept.clear();
  readers.clear();
  gained_uses.clear();
  lost_uses.clear();
  removed.clear();
  removed_write = false;
}

Rewriter::Rewriter(Binding& binding, Machine& machine)
    : binding_(&binding), machine_(&machine), graph_(&binding.graph()), users_(binding), speller_(machine) {}

Storage& Rewriter::storage() {
  if (storage_ == nullptr) storage_ = std::make_unique<Storage>(*binding_);
  return *storage_;
}

Rewriter::Changes& Rewriter::begin() {
  changes_.clear();
  graph_->mark_names();
  return changes_;
}

// ---------------------------------------------------------------- values as arguments

bool Rewriter::can_write_literal(const Value& v) {
  if (v.is_container() && v.range.where == Where::graph) return true;
  std::vector<Value>& todo = checked_;
  todo.assign(1, v);
  while (!todo.empty()) {
    const Value x = todo.back();
    todo.pop_back();
    switch (x.tag) {
      case Tag::unknown:
      case Tag::failure:
      case Tag::rest:
      case Tag::op:
      case Tag::set:
      case Tag::meta:
        return false;
      case Tag::symbolic:
        if (x.a == SymbolId::kNone) return false;
        break;
      case Tag::list:
      case Tag::tuple:
      case Tag::dict:
      case Tag::slice:
      case Tag::range:
        if (x.range.where == Where::graph) break;  // came from the graph
        for (std::uint32_t i = 0; i < x.range.count; ++i) todo.push_back(machine_->item(x, i));
        break;
      default:
        break;
    }
  }
  return true;
}

void Rewriter::write(CallBuilder& builder, const Value& value) {
  struct Open {
    Value v;
    std::uint32_t next;
  };
  std::vector<Open> open;
  Value v = value;
  for (;;) {
    switch (v.tag) {
      case Tag::none:
        builder.none();
        break;
      case Tag::boolean:
        builder.boolean(v.i != 0);
        break;
      case Tag::integer:
        builder.integer(v.i);
        break;
      case Tag::floating:
        builder.floating(v.d);
        break;
      case Tag::ellipsis:
        builder.ellipsis();
        break;
      case Tag::string:
        builder.literal(Slot::of_symbol(v.spelled == kAsBare ? ArgKind::bare : ArgKind::string, v.symbol()));
        break;
      case Tag::device:
        builder.literal(Slot::of_symbol(v.spelled == kAsBare     ? ArgKind::bare
                                        : v.spelled == kAsString ? ArgKind::string
                                                                 : ArgKind::device,
                                        v.symbol()));
        break;
      case Tag::dtype:
        builder.literal(Slot::of_symbol(ArgKind::dtype, v.symbol()));
        break;
      case Tag::symbolic:
        builder.literal(Slot::of_symbol(ArgKind::symbolic, v.symbol()));
        break;
      case Tag::spelled:
        builder.literal(Slot::of_symbol(static_cast<ArgKind>(v.i), v.symbol()));
        break;
      case Tag::node:
      case Tag::fresh:
        builder.node(node_of(v));
        break;
      default: {
        static constexpr ArgKind kKinds[] = {ArgKind::list, ArgKind::tuple, ArgKind::dict, ArgKind::slice,
                                             ArgKind::range};
        builder.open(kKinds[static_cast<std::size_t>(v.tag) - static_cast<std::size_t>(Tag::list)]);
        open.push_back({v, 0});
      }
    }
    while (!open.empty() && open.back().next == open.back().v.range.count) {
      builder.close();
      open.pop_back();
    }
    if (open.empty()) return;
    v = machine_->item(open.back().v, open.back().next++);
  }
}

NodeId Rewriter::node_of(const Value& v) const {
  if (v.is(Tag::node)) return v.node();
  if (v.is(Tag::fresh)) return machine_->fresh()[v.a].made;
  return {};
}

// ---------------------------------------------------------------- making nodes

// Pushes the fresh nodes among the arguments that are not made yet, the first one last.
bool Rewriter::missing_operand(std::uint32_t fresh) {
  const FreshNode& node = machine_->fresh()[fresh];
  const std::size_t before = todo_.size();
  bool nested = false;
  for (std::uint32_t i = node.count; i-- > 0;) {
    const Value& v = machine_->argument(node.first + i).value;
    nested |= v.is_container() && v.range.where != Where::graph;
    if (unmade(v)) todo_.push_back(v.a);
  }
  if (!nested) return todo_.size() > before;
  todo_.resize(before);
  std::vector<Value> values;
  for (std::uint32_t i = node.count; i-- > 0;) values.push_back(machine_->argument(node.first + i).value);
  while (!values.empty()) {
    const Value v = values.back();
    values.pop_back();
    if (unmade(v)) {
      todo_.push_back(v.a);
    } else if (v.is_container() && v.range.where != Where::graph) {
      for (std::uint32_t i = v.range.count; i-- > 0;) values.push_back(machine_->item(v, i));
    }
  }
  std::reverse(todo_.begin() + static_cast<std::ptrdiff_t>(before), todo_.end());
  return todo_.size() > before;
}

template <class Make>
bool Rewriter::make_all(std::uint32_t fresh, Make make) {
  todo_.assign(1, fresh);
  while (!todo_.empty()) {
    const std::uint32_t next = todo_.back();
    if (machine_->fresh()[next].made.valid()) {
      todo_.pop_back();
      continue;
    }
    if (missing_operand(next)) continue;
    todo_.pop_back();
    if (!make(next)) return false;
  }
  return true;
}

bool Rewriter::make(const Value& v, NodeId root, NodeId place, SymbolId name) {
  if (!v.is(Tag::fresh)) return true;
  unwritable_ = false;
  made_.clear();
  const bool ok = make_all(v.a, [&](std::uint32_t fresh) {
    const NodeId n = make_one(fresh, root, place, fresh == v.a ? name : SymbolId());
    if (!n.valid()) return false;
    made_.push_back(fresh);
    changes_.created.push_back(n);
    users_.arrived(n);
    if (storage_ != nullptr) storage_->created(n);
    return true;
  });
  if (!ok) return false;
  for (const std::uint32_t fresh : made_) infer(fresh);
  machine_->settle();
  return true;
}

// Once for a node, whether it is tried out or made: the equations see the same call.
void Rewriter::infer(std::uint32_t fresh) {
  const NodeId n = machine_->fresh()[fresh].made;
  if (!machine_->fresh()[fresh].asked) {
    MetaId meta = machine_->infer(n);  // may build more fresh nodes
    if (!meta.valid()) meta = meta_of_written(*binding_, n);
    machine_->fresh()[fresh].meta = meta;
    machine_->fresh()[fresh].asked = true;
  }
  graph_->set_meta(n, machine_->fresh()[fresh].meta);
}

void Rewriter::try_out(std::uint32_t fresh, NodeId root) {
  const std::size_t before = tried_.size();
  make_all(fresh, [&](std::uint32_t next) {
    // No FX name looks like this, so that none is taken.
    const SymbolId name = binding_->symbol("?" + std::to_string(tried_.size()));
    if (!make_one(next, root, root, name).valid()) return false;
    tried_.push_back(next);
    return true;
  });
  const std::size_t after = tried_.size();
  for (std::size_t i = before; i < after; ++i) infer(tried_[i]);
}

void Rewriter::take_back() {
  for (; !tried_.empty(); tried_.pop_back()) {
    NodeId& made = machine_->fresh()[tried_.back()].made;
    graph_->erase(std::exchange(made, NodeId()));
  }
}

// Arguments that the rule wrote and that equal the default, from the end and by keyword.
void Rewriter::leave_out_defaults(const FreshNode& node, const Overload& schema) {
  const program::Template& made = binding_->rules().templates[node.call_template];
  if (std::any_of(made.arguments.begin(), made.arguments.end(), [](const auto& a) { return a.splice; })) return;
  const auto at_default = [&](const FreshArgument& a, std::size_t position) {
    const int at = a.keyword.valid() ? schema.find(graph_->text(a.keyword)) : static_cast<int>(position);
    if (at < 0 || static_cast<std::size_t>(at) >= schema.arguments.size()) return false;
    const SchemaArgument& argument = schema.arguments[static_cast<std::size_t>(at)];
    return argument.has_default &&
           same(*binding_, a.value, binding_->default_of(argument), machine_->heap()) == Truth::yes;
  };
  std::erase_if(arguments_, [&](const FreshArgument* a) { return a->keyword.valid() && at_default(*a, 0); });
  const bool keywords =
      std::any_of(arguments_.begin(), arguments_.end(), [](const auto* a) { return a->keyword.valid(); });
  while (!keywords && !arguments_.empty() && at_default(*arguments_.back(), arguments_.size() - 1))
    arguments_.pop_back();
}

NodeId Rewriter::make_one(std::uint32_t fresh, NodeId root, NodeId place, SymbolId name) {
  const FreshNode& node = machine_->fresh()[fresh];
  for (std::uint32_t i = 0; i < node.count; ++i) {
    if (can_write(machine_->argument(node.first + i).value)) continue;
    unwritable_ = true;
    return {};
  }
  const CallSpelling& call = speller_.spell(node, root);
  if (!call.ok) return {};
  arguments_.clear();
  for (std::uint32_t i = 0; i < node.count; ++i) arguments_.push_back(&machine_->argument(node.first + i));
  if (call.schema != nullptr) leave_out_defaults(node, *call.schema);
  if (!name.valid()) name = graph_->unique_name(call.name_base);
  CallBuilder builder(*graph_);
  for (const FreshArgument* a : arguments_) {
    if (a->keyword.valid()) builder.keyword(a->keyword);
    write(builder, a->value);
  }
  const NodeId n = builder.create(call.opcode, call.symbol, name, place);
  machine_->fresh()[fresh].made = n;
  return n;
}

void Rewriter::unmake() {
  while (!changes_.created.empty()) {
    const NodeId n = changes_.created.back();
    changes_.created.pop_back();
    if (storage_ != nullptr) storage_->erased(n);
    users_.erased(n);
    if (on_erase_) on_erase_(n);
    graph_->erase(n);
  }
  graph_->take_back_names();
  for (FreshNode& f : machine_->fresh()) f.made = NodeId();
}

MetaId Rewriter::without_strides(MetaId meta) const {
  const TensorMeta* tensor = graph_->metas().tensor_of(meta);
  if (tensor == nullptr || !tensor->strides) return meta;
  TensorMeta changed = *tensor;
  changed.strides.reset();
  return graph_->metas().tensor(changed);
}

// ---------------------------------------------------------------- changing nodes

void Rewriter::replace(NodeId old, NodeId value) {
  const std::uint32_t uses = graph_->use_count(old);
  if (storage_ != nullptr) storage_->replacing(old, value);
  const std::size_t before = changes_.readers.size();
  for (SlotId s = graph_->first_use(old); s.valid(); s = graph_->next_use(s))
    changes_.readers.push_back(graph_->owner(s));
  graph_->replace_uses(old, value);
  users_.moved(old, value, {changes_.readers.data() + before, changes_.readers.size() - before}, uses);
  if (storage_ != nullptr) storage_->replaced(old, value, uses);
  changes_.gained_uses.push_back(value);
  erase_dead(old);
}

void Rewriter::erase_dead(NodeId n) {
  dead_.assign(1, n);
  erase_all(versions_);
}

void Rewriter::erase_write(NodeId n) {
  dead_.assign(1, n);
  erase_all(nullptr);
}

// The first one and what is dead without it; values that wait for uses stay.
void Rewriter::erase_all(const Versions* holds) {
  for (; !dead_.empty(); holds = versions_) {
    const NodeId dead = dead_.back();
    dead_.pop_back();
    if (!graph_->alive(dead) || graph_->has_uses(dead)) continue;
    if (holds != nullptr && holds->holds(dead)) continue;
    operands_.clear();
    note_operands(dead, operands_);
    changes_.removed.push_back(graph_->name_id(dead));
    if (storage_ != nullptr) {
      if (storage_->any_writes() && binding_->writes(dead)) changes_.removed_write = true;
      storage_->erased(dead);
    }
    users_.erased(dead);
    if (on_erase_) on_erase_(dead);
    graph_->erase(dead);
    for (const NodeId operand : operands_) {
      if (graph_->has_uses(operand)) {
        changes_.lost_uses.push_back(operand);
      } else if (graph_->opcode(operand) != Opcode::placeholder && binding_->removable(operand)) {
        dead_.push_back(operand);
      }
    }
  }
}

void Rewriter::set_value_of_entry(NodeId entry, NodeId value) {
  const SlotId place = binding_->value_of_entry(entry);
  const NodeId old = (*graph_)[place].node();
  users_.leaving(entry);
  if (storage_ != nullptr) storage_->leaves_entry(old);
  graph_->rebind(place, value);
  if (storage_ != nullptr) storage_->enters_entry(value, entry);
  users_.arrived(entry);
  graph_->set_meta(entry, graph_->meta(value));
  changes_.kept.push_back(entry);
  changes_.gained_uses.push_back(value);
  changes_.lost_uses.push_back(old);
  erase_unused();
}

// Whoever keeps nodes in order sees them go and come again.
void Rewriter::move_created(NodeId place) {
  const std::vector<NodeId>& created = changes_.created;
  for (std::size_t i = created.size(); i-- > 0;) {
    users_.leaving(created[i]);
    if (storage_ != nullptr) storage_->erased(created[i]);
  }
  for (const NodeId n : created) graph_->move_before(n, place);
  for (const NodeId n : created) {
    if (storage_ != nullptr) storage_->created(n);
    users_.arrived(n);
  }
}

void Rewriter::erase_unused() {
  const std::vector<NodeId> lost = changes_.lost_uses;
  for (const NodeId n : lost) {
    if (graph_->alive(n) && !graph_->has_uses(n) && graph_->opcode(n) != Opcode::placeholder && binding_->removable(n))
      erase_dead(n);
  }
}

void Rewriter::note_operands(NodeId n, std::vector<NodeId>& out) const {
  for (const Slot& s : graph_->slots(n)) {
    if (s.kind == ArgKind::node) out.push_back(s.node());
  }
}

Rewriter::Kept Rewriter::set_argument(NodeId n, std::string_view name, const Value& value) {
  CallClass& call = binding_->call_class(n);
  const Access access = binding_->find_argument(call, n, name);
  const bool present = access.how == Access::How::slot;
  if (!present && call.schema == nullptr && access.how == Access::How::absent) return Kept::impossible;
  if (!present && access.how == Access::How::absent) return Kept::impossible;
  const SlotId first = graph_->argument(n, 0);
  if (present) {
    const Slot& old = (*graph_)[SlotId(first.value + access.at)];
    const Value before = binding_->from_slot(old, access.type);
    if (before.tag == value.tag && before.spelled == value.spelled &&
        same(*binding_, before, value, machine_->heap()) == Truth::yes)
      return Kept::same;
  }
  const CallForm form = graph_->form(n);
  note_operands(n, changes_.lost_uses);
  users_.leaving(n);
  {
    CallBuilder builder(*graph_);
    const std::uint32_t count = graph_->argument_count(n);
    for (std::uint32_t i = 0; i < count; ++i) {
      const bool replaced =
          i >= access.at && i < access.at + std::max(access.count, 1u) && access.how != Access::How::constant;
      if (i >= form.positional) builder.keyword(form.keywords[i - form.positional]);
      if (!replaced) {
        builder.copy(SlotId(first.value + i));
      } else if (i == access.at) {
        write(builder, value);
      }
    }
    if (access.how == Access::How::constant) {
      builder.keyword(name);
      write(builder, value);
    }
    builder.reassign(n, form.opcode, form.target);
  }
  note_operands(n, changes_.gained_uses);
  users_.arrived(n);
  changes_.kept.push_back(n);
  return Kept::changed;
}

}  // namespace fxrules::rewrite
