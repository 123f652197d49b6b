#include "formats/pt2/node_text.hpp"

#include "formats/pt2/json.hpp"

namespace fxrules::pt2 {
namespace {

// Names without escapes, as argument names are; they point into the text.
std::string_view plain(std::string_view text, Range token) {
  return text.substr(token.begin + 1, token.end - token.begin - 2);
}

void read_arguments(Json& json, Value& value, std::string_view text, NodeParts& parts) {
  for (auto item : json.array(value, "`inputs`")) {
    Value one = item.value();
    NamedArgument argument;
    argument.index = parts.arguments.size();
    Range range{json.begin(one), 0}, content;
    for (auto field_or_error : json.object(one, "an argument")) {
      Field field = field_of(field_or_error);
      const std::string_view key = json.key(field);
      if (key == "name") {
        argument.name = plain(text, json.skip(field.value()));
      } else if (key == "arg") {
        content = json.skip(field.value());
      } else if (key == "kind" && !json.is_null(field.value())) {
        argument.kind = json.integer(field.value(), "`kind`");
      }
    }
    range.end = json.end();
    parts.arguments.push_back(argument);
    parts.argument_ranges.push_back(range);
    parts.argument_values.push_back(content);
  }
}

}  // namespace

NodeParts parts_of_node(const Source& source, Range node) {
  Json json(source.text, source.room, node);
  NodeParts parts;
  for (auto field_or_error : json.root()) {
    Field field = field_of(field_or_error);
    const std::string_view key = json.key(field);
    Value& value = field.value();
    if (key == "inputs") {
      parts.inputs.begin = json.begin(value);
      read_arguments(json, value, source.text, parts);
      parts.inputs.end = json.end();
    } else if (key == "target") {
      parts.target = json.skip(value);
    } else if (key == "outputs") {
      parts.outputs = json.skip(value);
    } else if (key == "metadata") {
      parts.metadata = json.skip(value);
    } else if (key == "name" && !json.is_null(value)) {
      parts.name = json.skip(value);
    }
  }
  return parts;
}

Range value_of(const Source& source, Range object, std::string_view key) {
  Json json(source.text, source.room, object);
  for (auto field_or_error : json.root()) {
    Field field = field_of(field_or_error);
    if (json.key(field) == key) return json.skip(field.value());
  }
  return {};
}

}  // namespace fxrules::pt2
