#include "formats/pt2/read.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>

#include <fmt/format.h>

#include "formats/pt2/archive.hpp"
#include "formats/pt2/json.hpp"
#include "formats/pt2/read_program.hpp"
#include "formats/recognise.hpp"

namespace fxrules {
namespace pt2 {
namespace {

constexpr std::string_view kLegacyProgram = "serialized_exported_program.json";
constexpr std::string_view kModels = "/models/";

Diagnostic trouble(std::string kind, std::string message, std::string hint = {}) {
  return {Severity::error, std::move(kind), std::move(message), {}, std::move(hint)};
}

// <root>/models/<name>.json
bool is_program(std::string_view member) {
  const std::size_t at = member.find('/');
  return at != std::string_view::npos && member.substr(at).starts_with(kModels) && member.ends_with(".json") &&
         member.find('/', at + kModels.size()) == std::string_view::npos;
}

// Indices of the members that hold programs; the one that torch.export.load takes stands first.
std::vector<std::size_t> programs(const Archive& archive, GraphForm form) {
  std::vector<std::size_t> out;
  for (std::size_t m = 0; m < archive.names().size(); ++m) {
    const std::string& name = archive.names()[m];
    if (form == GraphForm::legacy_export_archive ? name == kLegacyProgram : is_program(name)) out.push_back(m);
  }
  std::stable_partition(out.begin(), out.end(),
                        [&](std::size_t m) { return archive.names()[m].ends_with("/models/model.json"); });
  return out;
}

GraphForm form_of(const Archive& archive) {
  std::string table;
  for (const std::string& name : archive.names()) table += name + "\n";
  return archive_form(table);
}

// What the file is called in messages; `origin` says where its bytes are.
GraphFile read_from(Archive& archive, const std::string& file, std::shared_ptr<Origin> origin,
                    const ReadOptions& options) {
  GraphFile out;
  out.form = form_of(archive);
  if (out.form != GraphForm::pt2_archive && out.form != GraphForm::legacy_export_archive) {
    out.diagnostics.push_back(refusal(file, out.form));
    return out;
  }
  const std::vector<std::size_t> found = programs(archive, out.form);
  if (found.empty()) {
    out.diagnostics.push_back(trouble("no-graph", fmt::format("{}: this archive holds no program", file)));
    return out;
  }
  const std::string& member = archive.names()[found[0]];
  if (std::count(archive.names().begin(), archive.names().end(), member) > 1) {
    out.diagnostics.push_back(trouble("damaged-archive", fmt::format("{}: two members are called `{}`", file, member)));
    return out;
  }
  if (archive.size_of(found[0]) >= std::numeric_limits<std::uint32_t>::max() - Json::kPadding) {
    out.diagnostics.push_back(trouble("too-large", fmt::format("{}: programs of 4 GiB and more are not read", file)));
    return out;
  }
  if (found.size() > 1)
    out.diagnostics.push_back({Severity::note,
                               "several-graphs",
                               fmt::format("{}: of {} programs, `{}` is read", file, found.size(), member),
                               {},
                               {}});
  const auto source = std::make_shared<Source>(file + ":" + member, archive.read(found[0], Json::kPadding));
  origin->member = member;
  read_program(source, options, *origin, out);
  out.exported = std::move(origin);
  return out;
}

GraphFile damaged(const std::string& file, const ArchiveError& error) {
  GraphFile out;
  out.form = GraphForm::archive;
  out.diagnostics.push_back(trouble("damaged-archive", fmt::format("{}: {}", file, error.what()),
                                    "the file may have been cut, or may still be written"));
  return out;
}

}  // namespace

GraphFile read(const SourcePtr& source, GraphForm form, const ReadOptions& options) {
  auto origin = std::make_shared<Origin>();
  if (form == GraphForm::program_json) {
    GraphFile out;
    out.form = form;
    read_program(with_room(source), options, *origin, out);
    out.exported = std::move(origin);
    return out;
  }
  try {
    Archive archive(std::string_view(source->text));
    origin->bytes = source;
    return read_from(archive, source->name, std::move(origin), options);
  } catch (const ArchiveError& error) {
    return damaged(source->name, error);
  }
}

}  // namespace pt2

bool is_archive(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return false;
  char start[4] = {};
  const std::size_t got = std::fread(start, 1, sizeof start, file);
  std::fclose(file);
  return std::string_view(start, got) == "PK\x03\x04";
}

GraphFile read_archive(const std::string& path, const ReadOptions& options) {
  try {
    pt2::Archive archive(path);
    auto origin = std::make_shared<pt2::Origin>();
    origin->path = path;
    return pt2::read_from(archive, path, std::move(origin), options);
  } catch (const pt2::ArchiveError& error) {
    return pt2::damaged(path, error);
  }
}

}  // namespace fxrules
