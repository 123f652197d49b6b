// The public face: loading, ops and their overloads. Spellings are in spellings.cpp.
#include "fxrules/catalogue.hpp"

#include <array>
#include <fstream>
#include <stdexcept>

#include <fmt/format.h>

#include "engine/catalogue/impl.hpp"
#include "engine/catalogue/place.hpp"
#include "engine/catalogue/signature.hpp"

namespace fxrules {
namespace {

using catalogue::IndexError;

SourcePtr read_source(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw Error({{Severity::error, "catalogue-missing", fmt::format("cannot read `{}`", path.string()), {}, {}}});
  }
  std::string text(static_cast<std::size_t>(std::filesystem::file_size(path)), '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  return std::make_shared<Source>(path.string(), std::move(text));
}

// Searched in this order for a name without a name space.
constexpr std::array<std::string_view, 3> default_namespaces{"aten", "python", "prims"};

// "aten.add" and "aten::add" alike; the first dot separates.
std::string with_colons(std::string_view name) {
  const auto dot = name.find("::") == std::string_view::npos ? name.find('.') : std::string_view::npos;
  if (dot == std::string_view::npos) return std::string(name);
  return fmt::format("{}::{}", name.substr(0, dot), name.substr(dot + 1));
}

}  // namespace

void Catalogue::Impl::index_source(const SourcePtr& source, std::vector<Diagnostic>& diagnostics) {
  std::vector<IndexError> errors;
  sources.push_back(source);
  index.add(source->text, errors);
  for (IndexError& error : errors) {
    diagnostics.push_back(catalogue::diagnostic_at(source, error.at, "catalogue-syntax", std::move(error.message)));
  }
}

Catalogue::Catalogue() : impl_(std::make_unique<Impl>()) {}
Catalogue::~Catalogue() = default;

std::shared_ptr<Catalogue> Catalogue::load(const std::filesystem::path& data_dir) {
  std::shared_ptr<Catalogue> result(new Catalogue);
  std::vector<Diagnostic> diagnostics;
  for (const char* name : {"torch.ops", "overlay.ops"}) {
    result->impl_->index_source(read_source(data_dir / "catalogue" / name), diagnostics);
  }
  if (!diagnostics.empty()) throw Error(std::move(diagnostics));
  result->impl_->store.reset();
  return result;
}

std::shared_ptr<Catalogue> Catalogue::from_texts(std::vector<Source> sources) {
  std::shared_ptr<Catalogue> result(new Catalogue);
  std::vector<Diagnostic> diagnostics;
  for (Source& source : sources) {
    result->impl_->index_source(std::make_shared<Source>(std::move(source)), diagnostics);
  }
  if (!diagnostics.empty()) throw Error(std::move(diagnostics));
  result->impl_->store.reset();
  return result;
}

std::vector<Diagnostic> Catalogue::add(SourcePtr source) {
  std::vector<Diagnostic> diagnostics = catalogue::check_source(source, impl_->index);
  if (!diagnostics.empty()) return diagnostics;
  impl_->index_source(source, diagnostics);
  impl_->store.reset();
  return diagnostics;
}

std::optional<OpId> Catalogue::find_op(std::string_view name) const {
  if (name.find_first_of(".:") != std::string_view::npos) return impl_->index.find_op(with_colons(name));
  for (const std::string_view name_space : default_namespaces) {
    if (const auto op = impl_->index.find_op(fmt::format("{}::{}", name_space, name))) return op;
  }
  return std::nullopt;
}

std::string_view Catalogue::op_name(OpId op) const {
  const std::string_view name = impl_->op(op).full_name;
  return name.substr(name.find("::") + 2);
}

std::string_view Catalogue::op_namespace(OpId op) const {
  const std::string_view name = impl_->op(op).full_name;
  return name.substr(0, name.find("::"));
}

std::size_t Catalogue::op_count() const { return impl_->index.ops().size(); }

std::vector<std::string_view> Catalogue::all_op_names() const {
  std::vector<std::string_view> names;
  names.reserve(op_count());
  for (std::uint32_t op = 0; op < op_count(); ++op) names.push_back(op_name(OpId(op)));
  return names;
}

const std::vector<OverloadId>& Catalogue::overloads(OpId op) const { return impl_->store.overloads(op); }

const Overload& Catalogue::overload(OverloadId id) const { return impl_->store.overload(id); }

std::optional<OverloadId> Catalogue::find_overload(OpId op, std::string_view name) const {
  for (const OverloadId id : overloads(op)) {
    const catalogue::SignatureRecord& record = impl_->index.signatures()[id.value];
    if (!record.python && record.name == name) return id;
  }
  return std::nullopt;
}

std::optional<OpId> Catalogue::find_role(std::string_view role) const { return impl_->index.role(role); }
const GraphCall* Catalogue::graph_call(OpId op) const { return impl_->index.graph_call(op); }

OpId Catalogue::role(std::string_view role) const {
  if (const auto op = find_role(role)) return *op;
  throw std::out_of_range(fmt::format("the catalogue names no op for the role `{}`", role));
}

}  // namespace fxrules
