// From targets to ops and back, and between in-place and functional forms.
#include <algorithm>

#include <fmt/format.h>

#include "engine/catalogue/impl.hpp"

namespace fxrules {
namespace {

using catalogue::OpRecord;
using catalogue::PathRecord;

constexpr std::string_view ops_prefix = "torch.ops.";
constexpr std::string_view edge_prefix = "executorch.exir.dialects.edge._ops.";
constexpr std::string_view tensor_prefix = "torch.Tensor.";
constexpr std::string_view python_namespace = "python::";

bool in_torch_ops(std::string_view full_name) { return !full_name.starts_with(python_namespace); }

std::optional<Spelling> spelling_of(const PathRecord* path) {
  if (path == nullptr) return std::nullopt;
  return Spelling{path->op, path->style, {}, path->reflected};
}

// `name` is what follows the prefix: "aten.add.Tensor".
std::optional<Spelling> resolve_op(const Catalogue& catalogue, std::string_view name, SpellingStyle packet,
                                   SpellingStyle overload) {
  const auto dot = name.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const auto second = name.find('.', dot + 1);
  const auto op = catalogue.find_op(fmt::format("{}::{}", name.substr(0, dot), name.substr(dot + 1, second - dot - 1)));
  if (!op || catalogue.packet_target(*op).empty()) return std::nullopt;
  if (second == std::string_view::npos) return Spelling{*op, packet, {}, false};
  const auto id = catalogue.find_overload(*op, name.substr(second + 1));
  if (!id) return std::nullopt;
  return Spelling{*op, overload, *id, false};
}

bool is_dunder(std::string_view name) { return name.size() > 4 && name.starts_with("__") && name.ends_with("__"); }

// "add_" -> "add", "__iand__" -> "__and__"; "" for a name that is no in-place form.
std::string functional_name(std::string_view name) {
  if (is_dunder(name)) return name[2] == 'i' ? fmt::format("__{}", name.substr(3)) : std::string();
  const bool one_underscore = name.size() > 1 && name.ends_with('_') && !name.ends_with("__");
  return one_underscore ? std::string(name.substr(0, name.size() - 1)) : std::string();
}

std::string in_place_name(std::string_view name) {
  return is_dunder(name) ? fmt::format("__i{}", name.substr(2)) : fmt::format("{}_", name);
}

// The functional overload takes what the in-place one takes; the first operand may be called otherwise.
bool same_arguments(const Overload& a, const Overload& b) {
  if (a.arguments.size() != b.arguments.size()) return false;
  for (std::size_t k = 0; k < a.arguments.size(); ++k) {
    const SchemaArgument &x = a.arguments[k], &y = b.arguments[k];
    if (x.type != y.type || (k > 0 && x.name != y.name)) return false;
  }
  return true;
}

bool writes_first(const Overload& overload) { return !overload.arguments.empty() && overload.arguments.front().writes; }

bool forms_agree(const Catalogue& catalogue, OpId in_place, OpId functional) {
  for (const OverloadId a : catalogue.overloads(in_place)) {
    if (!writes_first(catalogue.overload(a))) continue;
    for (const OverloadId b : catalogue.overloads(functional)) {
      const Overload& candidate = catalogue.overload(b);
      if (!candidate.writes() && same_arguments(catalogue.overload(a), candidate)) return true;
    }
  }
  return false;
}

}  // namespace

std::optional<OpId> Catalogue::functional_form(OpId in_place) const {
  const OpRecord& record = impl_->op(in_place);
  if (!record.functional.empty()) return impl_->index.find_op(record.functional);
  const std::string name = functional_name(op_name(in_place));
  if (name.empty()) return std::nullopt;
  const auto op = impl_->index.find_op(fmt::format("{}::{}", op_namespace(in_place), name));
  return op && forms_agree(*this, in_place, *op) ? op : std::nullopt;
}

std::optional<OpId> Catalogue::in_place_form(OpId functional) const {
  const std::string name = in_place_name(op_name(functional));
  const auto op = impl_->index.find_op(fmt::format("{}::{}", op_namespace(functional), name));
  return op && functional_form(*op) == functional ? op : std::nullopt;
}

std::optional<Spelling> Catalogue::resolve(Opcode opcode, std::string_view target) const {
  if (opcode == Opcode::call_method) return spelling_of(impl_->index.find_method(target));
  if (opcode != Opcode::call_function) return std::nullopt;
  if (target.starts_with(ops_prefix)) {
    return resolve_op(*this, target.substr(ops_prefix.size()), SpellingStyle::aten_packet,
                      SpellingStyle::aten_overload);
  }
  if (target.starts_with(edge_prefix)) {
    return resolve_op(*this, target.substr(edge_prefix.size()), SpellingStyle::edge_packet,
                      SpellingStyle::edge_overload);
  }
  if (const PathRecord* path = impl_->index.find_path(target)) return spelling_of(path);
  if (!target.starts_with(tensor_prefix)) return std::nullopt;
  auto spelling = spelling_of(impl_->index.find_method(target.substr(tensor_prefix.size())));
  if (spelling) spelling->style = SpellingStyle::dunder;
  return spelling;
}

std::string_view Catalogue::printed_target(std::string_view path) const {
  const PathRecord* record = impl_->index.find_path(path);
  return record == nullptr || record->printed.empty() ? path : record->printed;
}

std::string_view Catalogue::method_of(OpId op) const { return impl_->op(op).method; }
std::string_view Catalogue::function_of(OpId op) const { return impl_->op(op).function; }
std::string_view Catalogue::operator_of(OpId op) const { return impl_->op(op).operator_; }

std::string Catalogue::packet_target(OpId op) const {
  if (!in_torch_ops(impl_->op(op).full_name)) return {};
  return fmt::format("{}{}.{}", ops_prefix, op_namespace(op), op_name(op));
}

std::string Catalogue::overload_target(OverloadId id) const {
  const catalogue::SignatureRecord& record = impl_->index.signatures().at(id.value);
  if (record.python || !in_torch_ops(impl_->op(record.op).full_name)) return {};
  return fmt::format("{}.{}", packet_target(record.op), record.name);
}

std::string Catalogue::edge_target(OverloadId id) const {
  const std::string target = overload_target(id);
  return target.empty() ? target : fmt::format("{}{}", edge_prefix, target.substr(ops_prefix.size()));
}

}  // namespace fxrules
