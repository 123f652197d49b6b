#include "engine/rewrite/binding.hpp"

#include <algorithm>
#include <charconv>

#include "fxrules/dtype.hpp"

namespace fxrules::rewrite {

using program::Index;
using program::kNone;
using program::OpPattern;
using program::OpPatternKind;

namespace {

// Python evaluates these to something that shares nothing and changes nothing even where no schema says so.
bool is_scalar_kind(ArgKind kind) { return kind < ArgKind::node; }

// Which of Python's bindings take a schema does not change what a call of it means.
std::uint16_t meaning(OpTag tags) {
  return static_cast<std::uint16_t>(tags) &
         static_cast<std::uint16_t>(~static_cast<unsigned>(OpTag::method | OpTag::function));
}

// How many positional arguments a schema takes.
std::size_t positional_count(const Overload& schema) {
  return static_cast<std::size_t>(
      std::count_if(schema.arguments.begin(), schema.arguments.end(),
                    [](const SchemaArgument& a) { return !a.keyword_only && !a.variadic; }));
}

// x.view(2, 2): a last int-list parameter takes the remaining positional arguments.
bool takes_remaining(const SchemaArgument& argument) {
  return argument.variadic || (argument.type.list && argument.type.kind == TypeKind::integer && !argument.keyword_only);
}

}  // namespace

Binding::Binding(const program::RuleSet& rules, Graph& graph)
    : rules_(&rules), graph_(&graph), entry_op_(rules.catalogue->find_role("writeback")) {
  literals_.reserve(rules.literals.size());
  for (const program::Literal& l : rules.literals) literals_.push_back(value_of(l));
}

Value Binding::value_of(const program::Literal& l) {
  if (l.unknown) return Value::unknown(Unknown::stated);
  Slot slot;
  switch (l.kind) {
    case ArgKind::integer:
      slot = Slot::of_integer(l.integer);
      break;
    case ArgKind::boolean:
      slot = Slot::of_boolean(l.integer != 0);
      break;
    case ArgKind::floating:
      slot = Slot::of_floating(l.floating);
      break;
    case ArgKind::none:
    case ArgKind::ellipsis:
      slot = Slot::of_kind(l.kind);
      break;
    default:
      slot = Slot::of_symbol(l.kind, symbol(l.text));
  }
  return from_slot(slot, TypeKind::any);
}

// ---------------------------------------------------------------- linking forms

void Binding::link(std::uint32_t form_index) {
  if (form_index >= forms_.size()) forms_.resize(std::max<std::size_t>(form_index + 1, graph_->form_count()));
  FormInfo& info = forms_[form_index];
  info.linked = true;
  info.accepts.assign(rules_->op_patterns.size(), kNotAsked);
  info.first = static_cast<std::uint32_t>(classes_.size());
  const CallForm form = graph_->form(FormId(form_index));
  const std::string_view target = graph_->text(form.target);
  if (!is_call(form.opcode)) {
    add_class(form_index, nullptr, nullptr);
    classes_.back()->unknown = false;
    classes_.back()->removable = form.opcode == Opcode::get_attr;
  } else if (const auto spelling = catalogue().resolve(form.opcode, target)) {
    for (const OverloadId id : catalogue().candidates(*spelling, target))
      add_class(form_index, &*spelling, &catalogue().overload(id));
    if (classes_.size() == info.first) {
      add_class(form_index, &*spelling, nullptr);
    }
  } else {
    add_class(form_index, nullptr, nullptr);
  }
  forms_[form_index].count = static_cast<std::uint32_t>(classes_.size()) - info.first;
  if (forms_[form_index].count == 1) forms_[form_index].only = classes_[info.first].get();
  forms_[form_index].returned = agreed_kind(forms_[form_index]);
  forms_[form_index].entry = is_call(form.opcode) && entry_op_ && classes_[info.first]->op == *entry_op_;
  forms_[form_index].shares_nothing = is_call(form.opcode) && !forms_[form_index].entry &&
                                      std::none_of(classes_.begin() + info.first, classes_.end(),
                                                   [](const auto& c) { return c->aliases || c->unknown || c->writes; });
}

void Binding::add_effects(NodeId call, Effects effects) {
  FormInfo& info = form_of(call);
  info.shares_nothing &= effects.written.empty() && effects.returned.empty();
  info.writes_by_graph |= !effects.written.empty();
  effects_.insert_or_assign(call.value, std::move(effects));
}

TypeKind Binding::agreed_kind(const FormInfo& info) const {
  const auto kind_of = [&](std::uint32_t c) {
    const Overload* schema = classes_[c]->schema;
    return schema == nullptr || schema->returns.size() != 1 || schema->returns[0].type.list
               ? TypeKind::any
               : schema->returns[0].type.kind;
  };
  const TypeKind first = kind_of(info.first);
  for (std::uint32_t c = info.first + 1; c < info.first + info.count; ++c) {
    if (kind_of(c) != first) return TypeKind::any;
  }
  return first;
}

void Binding::add_class(std::uint32_t form_index, const Spelling* spelling, const Overload* schema) {
  const CallForm& form = graph_->form(FormId(form_index));
  auto call = std::make_unique<CallClass>();
  if (spelling != nullptr) {
    call->op = spelling->op;
    call->style = spelling->style;
    call->reflected = spelling->reflected;
  }
  if (schema != nullptr && !fits(form, *schema, call->reflected, call->by_argument)) return;
  // The signature says which input an entry is of; the call holds where it says so.
  if (schema != nullptr && entry_op_ && call->op == *entry_op_) call->by_argument[0].how = Access::How::input;
  call->schema = schema;
  call->unknown = schema == nullptr;
  if (schema != nullptr) {
    call->writes = schema->writes();
    const bool impure = has(schema->tags, OpTag::effect) || has(schema->tags, OpTag::random);
    call->removable = !impure;
    for (const SchemaReturn& r : schema->returns) call->aliases |= !r.alias.empty();
    list_effects(*call);
    if (has(schema->tags, OpTag::may_alias)) {
      const int copy = schema->find("copy");
      if (copy >= 0) call->copy_flag = call->by_argument[static_cast<std::size_t>(copy)];
    }
  }
  call->by_key.resize(rules_->keys.size());
  for (std::size_t k = 0; k < rules_->keys.size(); ++k) {
    const program::ArgumentKey& key = rules_->keys[k];
    if (schema == nullptr) {  // literally: position or keyword
      if (key.position != kNone && key.position < form.positional)
        call->by_key[k] = {Access::How::slot, TypeKind::any, false, key.position, 1};
      for (std::uint32_t w = 0; key.position == kNone && w < form.keywords.size(); ++w) {
        if (graph_->text(form.keywords[w]) == key.keyword)
          // A keyword called `device` is a device whoever takes it.
          call->by_key[k] = {Access::How::slot, key.keyword == "device" ? TypeKind::device : TypeKind::any, false,
                             form.positional + w, 1};
      }
      continue;
    }
    int argument = -1;
    if (key.position == kNone) {
      argument = schema->find(key.keyword);
    } else if (!schema->rule_order.empty()) {
      argument = key.position < schema->rule_order.size() ? schema->rule_order[key.position] : -1;
    } else if (key.position < positional_count(*schema)) {
      argument = static_cast<int>(key.position);
    }
    if (argument >= 0) call->by_key[k] = call->by_argument[static_cast<std::size_t>(argument)];
  }
  call->rests.resize(rules_->rests.size());
  // Schemas that read this form alike in everything that can be asked are one class.
  for (std::size_t c = forms_[form_index].first; c < classes_.size(); ++c) {
    const CallClass& other = *classes_[c];
    const auto alike = [](const Access& x, const Access& y) {
      return x.how == y.how && x.at == y.at && x.count == y.count &&
             (x.type == y.type || x.how == Access::How::absent) && x.list == y.list;
    };
    const bool same_roles =
        other.schema != nullptr && schema != nullptr && other.schema->arguments.size() == schema->arguments.size() &&
        other.by_argument.size() == call->by_argument.size() &&
        std::equal(other.by_argument.begin(), other.by_argument.end(), call->by_argument.begin(), alike) &&
        std::equal(other.by_key.begin(), other.by_key.end(), call->by_key.begin(), alike) &&
        other.writes == call->writes && other.aliases == call->aliases &&
        meaning(other.schema->tags) == meaning(schema->tags);
    if (same_roles) return;
  }
  classes_.push_back(std::move(call));
}

void Binding::list_effects(CallClass& call) {
  for (std::uint32_t a = 0; a < call.by_argument.size(); ++a) {
    const SchemaArgument& argument = call.schema->arguments[a];
    CallClass::Effect effect;
    effect.argument = a;
    effect.writes = argument.writes;
    effect.returned =
        !argument.alias.empty() && std::any_of(call.schema->returns.begin(), call.schema->returns.end(),
                                               [&](const SchemaReturn& r) { return r.alias == argument.alias; });
    effect.certain = argument.writes_when.empty() && argument.alias_when.empty() && !argument.type.optional;
    if (effect.writes || effect.returned) call.effects.push_back(effect);
  }
}

// Lays the arguments of a form out over a schema; false when the counts or keywords do not fit.
bool Binding::fits(const CallForm& form, const Overload& schema, bool reflected, std::vector<Access>& out) {
  out.assign(schema.arguments.size(), Access{});
  for (std::size_t a = 0; a < schema.arguments.size(); ++a) {
    out[a].type = schema.arguments[a].type.kind;
    out[a].list = schema.arguments[a].type.list;
  }
  const auto place = [&](std::size_t argument, std::uint32_t at) {
    out[argument].how = Access::How::slot;
    out[argument].at = at;
    out[argument].count = 1;
  };
  std::uint32_t next = 0;
  for (std::size_t a = 0; a < schema.arguments.size() && next < form.positional; ++a) {
    const SchemaArgument& argument = schema.arguments[a];
    if (argument.keyword_only) break;
    const bool last = a + 1 == schema.arguments.size() || schema.arguments[a + 1].keyword_only;
    if (takes_remaining(argument) && (argument.variadic || (last && form.positional - next > 1))) {
      out[a].how = Access::How::run;
      out[a].at = next;
      out[a].count = form.positional - next;
      next = form.positional;
      break;
    }
    place(a, next++);
  }
  if (next < form.positional) return false;
  if (reflected && out.size() >= 2 && form.positional >= 2) std::swap(out[0].at, out[1].at);
  for (std::uint32_t k = 0; k < form.keywords.size(); ++k) {
    const int argument = schema.find(graph_->text(form.keywords[k]));
    if (argument < 0 || out[static_cast<std::size_t>(argument)].how != Access::How::absent) return false;
    place(static_cast<std::size_t>(argument), form.positional + k);
  }
  for (std::size_t a = 0; a < out.size(); ++a) {
    if (out[a].how != Access::How::absent) continue;
    const SchemaArgument& argument = schema.arguments[a];
    if (argument.variadic) {
      out[a].how = Access::How::run;
      out[a].count = 0;
      continue;
    }
    if (!argument.has_default) return false;
    out[a].how = Access::How::constant;
    out[a].at = default_constant(argument);
  }
  return true;
}

std::uint32_t Binding::default_constant(const SchemaArgument& argument) {
  const auto found = defaults_.find(&argument);
  if (found != defaults_.end()) return found->second;
  const std::uint32_t constant = add_constant(argument.default_text, argument.type);
  defaults_.emplace(&argument, constant);
  return constant;
}

// The Python spelling of a default. Lists of numbers, the only nested ones that schemas have, become
// constants next to each other.
std::uint32_t Binding::add_constant(std::string_view python, const SchemaType& type) {
  const auto scalar = [&](std::string_view text) {
    Slot slot;
    std::int64_t integer = 0;
    double floating = 0;
    const char* end = text.data() + text.size();
    if (text == "None" || text.empty()) {
      slot = Slot::of_kind(ArgKind::none);
    } else if (text == "True" || text == "False") {
      slot = Slot::of_boolean(text == "True");
    } else if (const auto r = std::from_chars(text.data(), end, integer); r.ec == std::errc{} && r.ptr == end) {
      slot =
          type.kind == TypeKind::floating ? Slot::of_floating(static_cast<double>(integer)) : Slot::of_integer(integer);
    } else if (const auto f = std::from_chars(text.data(), end, floating); f.ec == std::errc{} && f.ptr == end) {
      slot = Slot::of_floating(floating);
    } else if (text.size() >= 2 && (text.front() == '"' || text.front() == '\'')) {
      slot = Slot::of_symbol(ArgKind::string, symbol(text.substr(1, text.size() - 2)));
    } else if (parse_dtype(text)) {
      slot = Slot::of_symbol(ArgKind::dtype, symbol(to_string(*parse_dtype(text))));
    } else if (text.ends_with("_format")) {
      slot = Slot::of_symbol(ArgKind::memory_format,
                             symbol(text.starts_with("torch.") ? std::string(text) : "torch." + std::string(text)));
    } else {
      slot = Slot::of_symbol(ArgKind::bare, symbol(text));
    }
    return from_slot(slot, type.kind);
  };
  if (!python.starts_with('[')) {
    constants_.push_back(scalar(python));
    return static_cast<std::uint32_t>(constants_.size() - 1);
  }
  std::vector<Value> items;
  std::string_view inside = python.substr(1, python.size() - 2);
  while (!inside.empty()) {
    const std::size_t comma = std::min(inside.find(','), inside.size());
    std::string_view item = inside.substr(0, comma);
    while (item.starts_with(' ')) item.remove_prefix(1);
    if (!item.empty()) items.push_back(scalar(item));
    inside.remove_prefix(std::min(comma + 1, inside.size()));
  }
  // Kept as a graph-independent list: its items live behind it in the pool.
  const auto at = static_cast<std::uint32_t>(constants_.size());
  Value list = Value::sequence(Tag::list, at + 1, static_cast<std::uint32_t>(items.size()), Where::constants);
  list.role = type.kind;
  constants_.push_back(list);
  constants_.insert(constants_.end(), items.begin(), items.end());
  return at;
}

// ---------------------------------------------------------------- which schema a call means

std::uint32_t Binding::choose(NodeId n, const FormInfo& info) {
  for (std::uint32_t c = info.first; c < info.first + info.count; ++c) {
    if (kinds_fit(n, *classes_[c])) return c;
  }
  return info.first;
}

namespace {

bool kind_fits(Binding& binding, const Slot& slot, const SchemaType& type) {
  switch (slot.kind) {
    case ArgKind::none:
      return type.optional || type.kind == TypeKind::any;
    case ArgKind::node:
      if (type.list && type.kind != TypeKind::any)
        return type.fixed_length > 0 && is_integer_node(binding, slot.node()) == Truth::yes;
      if (type.kind == TypeKind::tensor || type.kind == TypeKind::any)
        return is_integer_node(binding, slot.node()) != Truth::yes;
      if (type.kind == TypeKind::integer || type.kind == TypeKind::number || type.kind == TypeKind::floating ||
          type.kind == TypeKind::boolean)
        return is_tensor(binding, slot.node()) != Truth::yes;
      return is_tensor(binding, slot.node()) == Truth::unknown;
    case ArgKind::boolean:
      return type.kind == TypeKind::boolean || type.kind == TypeKind::number || type.kind == TypeKind::tensor ||
             type.kind == TypeKind::any;
    case ArgKind::integer:
    case ArgKind::symbolic:
      return type.kind == TypeKind::integer || type.kind == TypeKind::number || type.kind == TypeKind::floating ||
             type.kind == TypeKind::tensor || type.kind == TypeKind::any ||
             type.kind == TypeKind::device;  // an index: x.to(0)
    case ArgKind::floating:
    case ArgKind::complex:
      return type.kind == TypeKind::floating || type.kind == TypeKind::number || type.kind == TypeKind::tensor ||
             type.kind == TypeKind::any;
    case ArgKind::string:
      return type.kind == TypeKind::string || type.kind == TypeKind::device || type.kind == TypeKind::any;
    case ArgKind::bare:
      return type.kind == TypeKind::string || type.kind == TypeKind::device || type.kind == TypeKind::any ||
             type.kind == TypeKind::integer;
    case ArgKind::device:
      return type.kind == TypeKind::device || type.kind == TypeKind::any;
    case ArgKind::dtype:
      return type.kind == TypeKind::dtype || type.kind == TypeKind::any;
    case ArgKind::layout:
      return type.kind == TypeKind::layout || type.kind == TypeKind::any;
    case ArgKind::memory_format:
      return type.kind == TypeKind::memory_format || type.kind == TypeKind::any;
    case ArgKind::tuple:
    case ArgKind::list: {
      if (type.kind == TypeKind::any) return true;
      if (!type.list) return false;
      SchemaType item = type;
      item.list = false;
      item.optional = type.optional_elements;
      for (std::uint32_t i = 0; i < std::min<std::uint32_t>(slot.count(), 4); ++i) {  // a few items decide
        if (!kind_fits(binding, binding.graph()[slot.child(i)], item)) return false;
      }
      return true;
    }
    default:
      return type.kind == TypeKind::any;
  }
}

}  // namespace

bool Binding::kinds_fit(NodeId n, const CallClass& call) {
  if (call.schema == nullptr) return true;
  const SlotId first = graph_->argument(n, 0);
  for (std::size_t a = 0; a < call.by_argument.size(); ++a) {
    const Access& access = call.by_argument[a];
    SchemaType type = call.schema->arguments[a].type;
    if (access.how == Access::How::run) type.list = false;
    if (access.how != Access::How::slot && access.how != Access::How::run) continue;
    for (std::uint32_t i = 0; i < access.count; ++i) {
      const Slot& slot = (*graph_)[SlotId(first.value + access.at + i)];
      // One int stands for a list of ints.
      if (type.list && type.kind == TypeKind::integer && is_scalar_kind(slot.kind)) type.list = false;
      if (!kind_fits(*this, slot, type)) return false;
    }
  }
  return true;
}

// ---------------------------------------------------------------- op patterns

bool Binding::decide(std::uint32_t form_index, Index pattern_index) {
  const OpPattern& pattern = rules_->op_patterns[pattern_index];
  const CallForm& form = graph_->form(FormId(form_index));
  if (!is_call(form.opcode)) return false;
  const std::string_view target = graph_->text(form.target);
  const FormInfo& info = forms_[form_index];
  const CallClass& call = *classes_[info.first];
  if (info.entry && pattern.kind != OpPatternKind::op) return false;  // no call that `*` or a hole would mean
  switch (pattern.kind) {
    case OpPatternKind::any:
      return true;
    case OpPatternKind::op:
      return call.op == pattern.op;
    case OpPatternKind::exact:
      return form.opcode == pattern.opcode && target == pattern.target;
    case OpPatternKind::packet:
      return call.op == pattern.op && call.style >= SpellingStyle::aten_packet;
    case OpPatternKind::in_place: {
      if (call.op.valid()) {
        const std::string_view name = catalogue().op_name(call.op);
        if (!name.ends_with('_') || name.ends_with("__") || name.size() < 2) return false;
        return call.writes && hole_sets_hold(form_index, pattern);
      }
      return form.opcode == Opcode::call_method && target.size() > 1 && target.ends_with('_') &&
             !target.ends_with("__") && !target.starts_with("__");
    }
    case OpPatternKind::any_op:
      return call.op.valid() && hole_sets_hold(form_index, pattern);
    case OpPatternKind::name:
      return call.op.valid() && match_pieces(pattern, catalogue().op_name(call.op), nullptr) &&
             hole_sets_hold(form_index, pattern);
    case OpPatternKind::target:
      return match_pieces(pattern, target, nullptr) && hole_sets_hold(form_index, pattern);
    case OpPatternKind::set: {
      for (const Index m : pattern.members) {
        if (decide(form_index, m)) return true;
      }
      return false;
    }
  }
  return false;
}

// Holes take no dots. Matched from the left with the shortest text first; patterns have few pieces.
bool Binding::match_pieces(const OpPattern& pattern, std::string_view text,
                           std::vector<std::string_view>* holes) const {
  struct Try {
    std::size_t piece, at, hole_end;
  };
  std::vector<Try> tries{{0, 0, 0}};
  const auto& pieces = pattern.pieces;
  while (!tries.empty()) {
    Try& t = tries.back();
    if (t.piece == pieces.size()) {
      if (t.at == text.size()) {
        if (holes != nullptr) {
          holes->clear();
          for (std::size_t k = 0; k + 1 < tries.size(); ++k) {
            if (pieces[tries[k].piece].hole)
              holes->push_back(text.substr(tries[k].at, tries[k].hole_end - tries[k].at));
          }
        }
        return true;
      }
      tries.pop_back();
      continue;
    }
    const program::NamePiece& piece = pieces[t.piece];
    if (!piece.hole) {
      const bool tried = t.hole_end != 0;
      if (tried || !text.substr(t.at).starts_with(piece.text)) {
        tries.pop_back();
        continue;
      }
      t.hole_end = t.at + piece.text.size();
      tries.push_back({t.piece + 1, t.at + piece.text.size(), 0});
      continue;
    }
    t.hole_end = t.hole_end == 0 ? t.at + 1 : t.hole_end + 1;
    if (t.hole_end > text.size() || text[t.hole_end - 1] == '.') {
      tries.pop_back();
      continue;
    }
    const Try next{t.piece + 1, t.hole_end, 0};
    tries.push_back(next);
  }
  return false;
}

bool Binding::hole_sets_hold(std::uint32_t form, const OpPattern& pattern) {
  for (const program::NamePiece& piece : pattern.pieces) {
    if (!piece.hole || piece.set == kNone) continue;
    const OpPattern& set = rules_->op_patterns[piece.set];
    bool held = decide(form, piece.set);
    // `<f: S>_` asks whether the functional form is in S.
    const CallClass& call = *classes_[forms_[form].first];
    if (!held && call.op.valid()) {
      const auto functional = catalogue().functional_form(call.op);
      for (const Index m : set.members) held |= functional && rules_->op_patterns[m].op == *functional;
    }
    if (!held) return false;
  }
  return true;
}

SymbolId Binding::hole(NodeId n, Index pattern_index, std::size_t index) {
  const OpPattern& pattern = rules_->op_patterns[pattern_index];
  const CallClass& call = call_class(n);
  const std::string_view name = call.op.valid() ? catalogue().op_name(call.op) : graph_->target(n);
  switch (pattern.kind) {
    case OpPatternKind::in_place:
      return symbol(name.substr(0, name.size() - 1));
    case OpPatternKind::any_op:
      return symbol(name);
    default: {
      std::vector<std::string_view> holes;
      match_pieces(pattern, pattern.kind == OpPatternKind::target ? graph_->target(n) : name, &holes);
      return index < holes.size() ? symbol(std::string(holes[index])) : symbol("");
    }
  }
}

void Binding::select_tables(const program::MatchProgram& match) {
  auto found = std::find_if(tables_.begin(), tables_.end(), [&](const auto& t) { return &t->match() == &match; });
  if (found == tables_.end()) found = tables_.insert(tables_.end(), std::make_unique<FormTables>(*this, match));
  std::iter_swap(tables_.begin(), found);
}

// ---------------------------------------------------------------- arguments

Value Binding::literal_from_slot(const Slot& slot, TypeKind role) {
  Value v;
  v.role = role;
  v.a = slot.a;
  switch (slot.kind) {
    case ArgKind::none:
      v.tag = Tag::none;
      v.a = 0;
      break;
    case ArgKind::boolean:
      v.tag = Tag::boolean;
      v.i = slot.boolean() ? 1 : 0;
      v.a = 0;
      break;
    case ArgKind::integer:
      v.tag = Tag::integer;
      v.i = slot.integer();
      v.a = 0;
      break;
    case ArgKind::floating:
      v.tag = Tag::floating;
      v.d = slot.floating();
      v.a = 0;
      break;
    case ArgKind::ellipsis:
      v.tag = Tag::ellipsis;
      v.a = 0;
      break;
    case ArgKind::string:
      v.tag = role == TypeKind::device ? Tag::device : Tag::string;
      v.spelled = kAsString;
      break;
    case ArgKind::bare: {
      v.spelled = kAsBare;
      if (role == TypeKind::device) {
        v.tag = Tag::device;
      } else if (role == TypeKind::integer || role == TypeKind::number) {
        const auto size = graph_->metas().expressions().parse(graph_->text(slot.symbol()));
        v.tag = size && size->expr.valid() ? Tag::symbolic : Tag::string;
        if (v.tag == Tag::symbolic) v.i = size->expr.value;
      } else {
        v.tag = Tag::string;
      }
      break;
    }
    case ArgKind::dtype: {
      v.tag = Tag::dtype;
      const auto dtype = parse_dtype(graph_->text(slot.symbol()));
      v.i = static_cast<std::int64_t>(dtype.value_or(Dtype::unknown));
      break;
    }
    case ArgKind::device:
      v.tag = Tag::device;
      break;
    case ArgKind::symbolic: {
      const auto size = graph_->metas().expressions().parse(graph_->text(slot.symbol()));
      v.tag = size && size->expr.valid() ? Tag::symbolic : Tag::spelled;
      v.i = v.tag == Tag::symbolic ? static_cast<std::int64_t>(size->expr.value) : static_cast<std::int64_t>(slot.kind);
      break;
    }
    case ArgKind::complex:
    case ArgKind::layout:
    case ArgKind::memory_format:
    case ArgKind::op:
    case ArgKind::opaque:
      v.tag = Tag::spelled;
      v.i = static_cast<std::int64_t>(slot.kind);
      break;
    case ArgKind::node:
      v.tag = Tag::node;
      break;
    case ArgKind::tuple:
      v.tag = Tag::tuple;
      break;
    case ArgKind::list:
      v.tag = Tag::list;
      break;
    case ArgKind::dict:
      v.tag = Tag::dict;
      break;
    case ArgKind::slice:
      v.tag = Tag::slice;
      break;
    case ArgKind::range:
      v.tag = Tag::range;
      break;
  }
  if (v.is_container()) v.range = {slot.count(), Where::graph};
  return v;
}

Value Binding::other_argument(NodeId n, const Access& access) {
  const auto scalar_as_list = [&](const Slot& slot) {
    // `x.view(-1)`: one int where the schema takes a list of them. A node may be either; only one that is
    // known to be an int is wrapped.
    if (!access.list || access.type != TypeKind::integer) return false;
    return slot.kind == ArgKind::integer || slot.kind == ArgKind::symbolic ||
           (slot.kind == ArgKind::node && is_integer_node(*this, slot.node()) == Truth::yes);
  };
  switch (access.how) {
    case Access::How::absent:
      return Value::unknown(Unknown::operand);
    case Access::How::constant:
      return constants_[access.at];
    case Access::How::slot: {
      const SlotId s(graph_->argument(n, 0).value + access.at);
      const Slot& slot = (*graph_)[s];
      if (!scalar_as_list(slot)) return from_slot(slot, access.type);
      Value v = Value::sequence(Tag::list, s.value, 1, Where::graph);
      v.role = access.type;
      v.spelled = kAsOneInt;
      return v;
    }
    case Access::How::run: {
      Value v = Value::sequence(Tag::list, graph_->argument(n, 0).value + access.at, access.count, Where::graph);
      v.role = access.type;
      return v;
    }
    case Access::How::input:
      return Value::of_node(input_of_entry(n));
  }
  return {};
}

NodeId Binding::input_of_entry(NodeId entry) const {
  const auto place = static_cast<std::size_t>((*graph_)[graph_->argument(entry, 0)].integer());
  return graph_->signature()->outputs[place].input;
}

void Binding::find_entries() {
  if (entries_) return;
  entries_.emplace();
  const std::size_t outputs = graph_->signature() != nullptr ? graph_->output_count() : 0;
  for (std::size_t i = 0; i < outputs; ++i) {
    const Slot& slot = (*graph_)[graph_->output_value(i)];
    if (slot.kind != ArgKind::node || !is_entry(slot.node())) continue;
    if (!first_entry_.valid()) first_entry_ = slot.node();
    const auto [known, fresh] = entries_->try_emplace(input_of_entry(slot.node()).value, slot.node());
    if (!fresh) known->second = NodeId();
  }
}

// Edge overloads where there is one, else overloads; functions where there are only these.
SpellingStyle Binding::style_of_graph() {
  if (style_of_graph_) return *style_of_graph_;
  bool calls = false, overloads = false, edge = false;
  for (const NodeId n : graph_->nodes()) {
    if (!is_call(graph_->opcode(n)) || is_entry(n)) continue;
    const SpellingStyle own = call_class(n).style;
    calls = true;
    overloads |= own == SpellingStyle::aten_overload;
    edge |= own == SpellingStyle::edge_overload;
    if (edge) break;
  }
  style_of_graph_ = edge                  ? SpellingStyle::edge_overload
                    : overloads || !calls ? SpellingStyle::aten_overload
                                          : SpellingStyle::function;
  return *style_of_graph_;
}

NodeId Binding::first_entry() {
  find_entries();
  return first_entry_;
}

NodeId Binding::entry_of(NodeId input) {
  find_entries();
  const auto found = entries_->find(input.value);
  return found == entries_->end() ? NodeId() : found->second;
}

Value Binding::item(const Value& sequence, std::uint32_t i, const std::vector<Value>& heap) {
  switch (sequence.range.where) {
    case Where::graph:
      return from_slot((*graph_)[SlotId(sequence.a + i)], sequence.role);
    case Where::constants:
      return constants_[sequence.a + i];
    case Where::heap:
      return heap[sequence.a + i];
    case Where::heap_reversed:
      return heap[sequence.a + sequence.range.count - 1 - i];
  }
  return {};
}

const CallClass::Rest& Binding::rest(CallClass& call, Index spec) {
  std::unique_ptr<CallClass::Rest>& rest = call.rests[spec];
  if (rest != nullptr) return *rest;
  rest = std::make_unique<CallClass::Rest>();
  const auto mentioned = [&](const Access& access) {
    for (const Index key : rules_->rests[spec].mentioned) {
      const Access& m = call.by_key[key];
      if (m.how == access.how && m.at == access.at && m.how != Access::How::absent) return true;
    }
    return false;
  };
  if (call.schema == nullptr) return *rest;  // literal calls are compared by count in the matcher
  for (std::size_t a = 0; a < call.by_argument.size(); ++a) {
    const Access& access = call.by_argument[a];
    const bool given = access.how == Access::How::slot || (access.how == Access::How::run && access.count > 0);
    if (!given || mentioned(access)) continue;
    const SchemaArgument& argument = call.schema->arguments[a];
    if (argument.has_default) {
      rest->at_default.emplace_back(access, default_constant(argument));
    } else {
      rest->never = true;
    }
  }
  return *rest;
}

Access Binding::find_argument(const CallClass& call, NodeId n, std::string_view name) const {
  if (call.schema != nullptr) {
    const int argument = call.schema->find(name);
    return argument < 0 ? Access{} : call.by_argument[static_cast<std::size_t>(argument)];
  }
  const CallForm& form = graph_->form(n);
  for (std::uint32_t k = 0; k < form.keywords.size(); ++k) {
    if (graph_->text(form.keywords[k]) != name) continue;
    return {Access::How::slot, name == "device" ? TypeKind::device : TypeKind::any, false, form.positional + k, 1};
  }
  return {};
}

// ---------------------------------------------------------------- writes

bool Binding::writes_argument(const CallClass& call, NodeId n, std::size_t argument) {
  const SchemaArgument& a = call.schema->arguments[argument];
  if (!a.writes) return false;
  const Access& access = call.by_argument[argument];
  if (access.how != Access::How::slot && access.how != Access::How::run) return false;  // `out=None`
  if (access.how == Access::How::slot) {
    const Slot& slot = (*graph_)[SlotId(graph_->argument(n, 0).value + access.at)];
    if (slot.kind == ArgKind::none) return false;
  }
  return holds(call, n, a.writes_when);
}

// `inplace=True`, `max_norm!=None`, `name=T|mT`: may hold unless the argument is known to differ.
bool Binding::holds(const CallClass& call, NodeId n, std::string_view condition) {
  if (condition.empty()) return true;
  const std::size_t equals = condition.find('=');
  const bool negated = equals > 0 && condition[equals - 1] == '!';
  const Access access = find_argument(call, n, condition.substr(0, equals - (negated ? 1 : 0)));
  if (access.how == Access::How::absent) return true;
  const Value value = argument(n, access);
  std::string_view wanted = condition.substr(equals + 1);
  if (value.is(Tag::node) || value.unusable()) return true;
  while (!wanted.empty()) {
    const std::size_t bar = std::min(wanted.find('|'), wanted.size());
    if (says(value, wanted.substr(0, bar))) return !negated;
    wanted.remove_prefix(std::min(bar + 1, wanted.size()));
  }
  return negated;
}

bool Binding::says(const Value& value, std::string_view text) const {
  switch (value.tag) {
    case Tag::none:
      return text == "None";
    case Tag::boolean:
      return text == (value.i != 0 ? "True" : "False");
    case Tag::string:
      return graph_->text(value.symbol()) == text;
    default:
      return false;
  }
}

bool Binding::writes_something(NodeId n) {
  const CallClass& call = call_class(n);
  if (const Effects* inside = effects(n); inside != nullptr && !inside->written.empty()) return true;
  if (call.unknown || !call.writes) return false;
  return std::any_of(call.effects.begin(), call.effects.end(), [&](const CallClass::Effect& e) {
    return e.writes && (e.certain || writes_argument(call, n, e.argument));
  });
}

}  // namespace fxrules::rewrite
