#include "formats/pt2/read_program.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "formats/pt2/read_graph.hpp"
#include "formats/pt2/read_signature.hpp"

namespace fxrules::pt2 {
namespace {

// Keys that the program must have, which are found in passing.
struct Found {
  bool graph = false, signature = false;
};

void read_module(Reading& reading, Value& value, Graph& graph, Found& found) {
  Json& json = reading.json;
  SignatureReader signature(reading, graph);
  for (auto field_or_error : json.object(value, "`graph_module`")) {
    Field field = field_of(field_or_error);
    const std::string_view key = json.key(field);
    Value& part = field.value();
    if (key == "graph") {
      const std::uint32_t from = json.begin(part);
      GraphReader(reading, graph, reading.program.top, 0).read(json.object(part, "`graph`"));
      reading.program.whole_graph = {from, json.end()};
      found.graph = true;
    } else if (key == "signature") {
      signature.read(part);
      found.signature = true;
    } else if (key == "module_call_graph") {
      signature.module_calls(part);
    }
  }
}

void read_all(Reading& reading, Graph& graph) {
  Json& json = reading.json;
  Found found;
  for (auto field_or_error : json.root()) {
    Field field = field_of(field_or_error);
    const std::string_view key = json.key(field);
    if (key == "graph_module") {
      Value& value = field.value();
      read_module(reading, value, graph, found);
    } else if (key == "verifiers") {
      Value& value = field.value();
      for (auto item : json.array(value, "`verifiers`")) {
        Value one = item.value();
        Range word;
        if (json.string(one, "a verifier", &word) != "ATEN") continue;
        reading.program.functional = true;
        reading.program.functional_verifiers.push_back(word);
      }
    }
  }
  const Range end{static_cast<std::uint32_t>(reading.program.source->text.size()), 0};
  const Range nowhere{end.begin, end.begin};
  if (!found.graph) throw Problem{"malformed-program", "the program has no `graph_module.graph`", nowhere};
  if (!found.signature) throw Problem{"malformed-program", "the program has no `graph_module.signature`", nowhere};
}

}  // namespace

void read_program(const SourcePtr& source, const ReadOptions& options, Origin& origin, GraphFile& out) {
  Program& program = origin.program;
  program.source = source;
  origin.catalogue = options.catalogue;
  const std::string_view text = source->text;
  out.graph = options.tables != nullptr ? Graph(options.tables) : Graph();
  try {
    Json json(text, source->room, {0, static_cast<std::uint32_t>(text.size())});
    Reading reading{json, program, options.catalogue.get(), out.diagnostics, options.max_errors, 0, {}, false, false};
    try {
      read_all(reading, out.graph);
    } catch (const Problem& problem) {
      out.diagnostics.push_back(
          {Severity::error, problem.kind, problem.message, reading.span(problem.place), problem.hint});
    } catch (const simdjson::simdjson_error& error) {
      const std::uint32_t at = json.last();
      out.diagnostics.push_back(
          {Severity::error, "malformed-json", Json::describe(error.error()), reading.span({at, at + 1}), {}});
    }
    Dialect& dialect = program.dialect;
    const auto has = [](const std::vector<std::string>& keys, std::string_view key) {
      return std::find(keys.begin(), keys.end(), key) != keys.end();
    };
    // What a program without nodes or arguments leaves open is as new releases do it.
    if (dialect.node_keys.empty())
      dialect.node_keys = {"target", "inputs", "outputs", "metadata", "is_hop_single_tensor_return", "name"};
    if (dialect.argument_keys.empty()) dialect.argument_keys = {"name", "arg", "kind"};
    dialect.argument_kinds = has(dialect.argument_keys, "kind");
    // Old releases leave absent values out and write Infinity as Python does; new ones quote it.
    dialect.bare_infinity = reading.bare_infinity || (!reading.quoted_infinity && !dialect.argument_kinds);
    if (!dialect.argument_kinds) dialect.null_fields = false;
  } catch (const simdjson::simdjson_error& error) {
    const auto end = static_cast<std::uint32_t>(text.size());
    out.diagnostics.push_back(
        {Severity::error, "malformed-json", Json::describe(error.error()), {source, end, end}, {}});
  }
  if (!has_errors(out.diagnostics)) program.original = out.graph.clone();
}

SourcePtr with_room(const SourcePtr& source) {
  if (source->room >= Json::kPadding) return source;
  std::string copy;
  copy.reserve(source->text.size() + Json::kPadding);
  copy = source->text;
  return std::make_shared<Source>(source->name, std::move(copy));
}

}  // namespace fxrules::pt2
