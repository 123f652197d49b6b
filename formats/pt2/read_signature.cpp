#include "formats/pt2/read_signature.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace fxrules::pt2 {
namespace {

struct InputTag {
  std::string_view tag, path_key;
  InputRole role;
};
constexpr InputTag kInputTags[] = {
    {"user_input", "", InputRole::user},
    {"parameter", "parameter_name", InputRole::parameter},
    {"buffer", "buffer_name", InputRole::buffer},
    {"tensor_constant", "tensor_constant_name", InputRole::constant},
    {"custom_obj", "custom_obj_name", InputRole::object},
    {"token", "", InputRole::token},
    {"constant_input", "", InputRole::literal},
};

struct OutputTag {
  std::string_view tag, path_key;
  OutputRole role;
};
constexpr OutputTag kOutputTags[] = {
    {"user_output", "", OutputRole::user},
    {"loss_output", "", OutputRole::loss},
    {"buffer_mutation", "buffer_name", OutputRole::buffer_mutation},
    {"parameter_mutation", "parameter_name", OutputRole::parameter_mutation},
    {"user_input_mutation", "user_input_name", OutputRole::input_mutation},
    {"gradient_to_parameter", "parameter_name", OutputRole::parameter_gradient},
    {"gradient_to_user_input", "user_input_name", OutputRole::input_gradient},
    {"token", "", OutputRole::token},
};

bool names_path(std::string_view key) {
  return key == "parameter_name" || key == "buffer_name" || key == "tensor_constant_name" || key == "custom_obj_name" ||
         key == "user_input_name";
}

}  // namespace

void SignatureReader::read(Value& value) {
  for (auto field_or_error : json_.object(value, "`signature`")) {
    Field field = field_of(field_or_error);
    const std::string_view key = json_.key(field);
    Value& part = field.value();
    const std::uint32_t from = json_.begin(part);
    if (key == "input_specs") {
      inputs(part);
      reading_.program.input_specs_list = {from, json_.end()};
    } else if (key == "output_specs") {
      outputs(part);
      reading_.program.output_specs_list = {from, json_.end()};
    }
  }
  if (signature_.inputs.size() == reading_.program.top.inputs.size() &&
      signature_.outputs.size() == graph_.output_count())
    graph_.set_signature(std::move(signature_));
}

// {"buffer": {"arg": {"name": "b_k"}, "buffer_name": "k", "persistent": true}}
SignatureReader::Spec SignatureReader::spec(Value& value) {
  Spec out;
  out.range.begin = json_.begin(value);
  for (auto tag : json_.object(value, "an entry of the signature")) {
    Field field = field_of(tag);
    out.tag = json_.key(field);
    Value inside = field.value();
    for (auto part_or_error : json_.object(inside, "an entry of the signature")) {
      Field part = field_of(part_or_error);
      const std::string_view key = json_.key(part);
      Value& content = part.value();
      if (key == "name") {
        out.name = json_.string(content, "a name", &out.name_token);
      } else if (key == "persistent") {
        out.persistent = json_.boolean(content, "`persistent`");
      } else if (names_path(key)) {
        out.path = json_.string(content, "a name", &out.path_token);
      } else if (key == "arg") {
        for (auto named : json_.object(content, "`arg`")) {
          Field argument = field_of(named);
          const std::string_view word = json_.key(argument);
          Value& inner = argument.value();
          if (word == "name") {
            out.name = json_.string(inner, "a name", &out.name_token);
          } else if (inner.type() == simdjson::ondemand::json_type::object) {
            for (auto deep : json_.object(inner, "`arg`")) {
              Field name = field_of(deep);
              if (json_.key(name) == "name" || json_.key(name) == "as_name")
                out.name = json_.string(name.value(), "a name", &out.name_token);
            }
          }
        }
      }
    }
  }
  out.range.end = json_.end();
  return out;
}

void SignatureReader::inputs(Value& value) {
  NodeId node = graph_.first();
  for (auto item : json_.array(value, "`input_specs`")) {
    Value one = item.value();
    const Spec s = spec(one);
    const auto tag =
        std::find_if(std::begin(kInputTags), std::end(kInputTags), [&](auto& t) { return t.tag == s.tag; });
    if (tag == std::end(kInputTags))
      throw Problem{"malformed-program", fmt::format("inputs of the kind `{}` are not known", s.tag), s.range};
    if (!node.valid() || graph_.opcode(node) != Opcode::placeholder)
      throw Problem{"signature", "the signature has more inputs than the graph", s.range};
    InputSpec input;
    input.node = node;
    input.role = tag->role;
    input.persistent = s.persistent;
    if (!s.path.empty()) {
      input.path = graph_.symbols().intern(s.path);
      by_path_.emplace(s.path, node);
    }
    if (tag->role == InputRole::literal) {
      const SymbolId name = graph_.symbols().intern(s.name);
      if (!s.name.empty() && !graph_.find(name).valid()) {
        graph_.rename(node, name);
        CallBuilder(graph_).reassign(node, Opcode::placeholder, name);
      }
    } else if (!s.name.empty() && s.name != graph_.name(node)) {
      reading_.report({"signature", fmt::format("this input is `{}` in the graph", graph_.name(node)), s.name_token});
    }
    reading_.program.input_specs.push_back(s.range);
    signature_.inputs.push_back(input);
    node = graph_.next(node);
  }
  if (node.valid() && graph_.opcode(node) == Opcode::placeholder)
    throw Problem{"signature", "the signature has fewer inputs than the graph", {json_.last(), json_.last() + 1}};
}

NodeId SignatureReader::target_of(const Spec& s, OutputRole role) {
  if (role == OutputRole::input_mutation || role == OutputRole::input_gradient) {
    const NodeId n = graph_.find(s.path);
    return n.valid() && graph_.opcode(n) == Opcode::placeholder ? n : NodeId();
  }
  const auto found = by_path_.find(s.path);
  return found == by_path_.end() ? NodeId() : found->second;
}

void SignatureReader::outputs(Value& value) {
  for (auto item : json_.array(value, "`output_specs`")) {
    Value one = item.value();
    const Spec s = spec(one);
    const auto tag =
        std::find_if(std::begin(kOutputTags), std::end(kOutputTags), [&](auto& t) { return t.tag == s.tag; });
    if (tag == std::end(kOutputTags))
      throw Problem{"malformed-program", fmt::format("outputs of the kind `{}` are not known", s.tag), s.range};
    const std::size_t index = signature_.outputs.size();
    if (index >= graph_.output_count())
      throw Problem{"signature", "the signature has more outputs than the graph", s.range};
    OutputSpec output;
    output.role = tag->role;
    if (!tag->path_key.empty()) {
      output.input = target_of(s, tag->role);
      if (!output.input.valid() && is_mutation(tag->role))
        reading_.report({"signature", fmt::format("no input is called `{}`", s.path), s.path_token});
    }
    if (is_mutation(tag->role)) {
      const Slot& slot = graph_[graph_.output_value(index)];
      if (slot.kind == ArgKind::node && graph_.name(slot.node()) != s.name)
        reading_.report(
            {"signature", fmt::format("this output is `{}` in the graph", graph_.name(slot.node())), s.name_token});
    }
    reading_.program.output_specs.push_back(s.range);
    signature_.outputs.push_back(output);
  }
  if (signature_.outputs.size() < graph_.output_count())
    throw Problem{"signature", "the signature has fewer outputs than the graph", {json_.last(), json_.last() + 1}};
}

// [{"fqn": "", "signature": {"inputs": [Argument], "outputs": [Argument], "in_spec": …}}]
void SignatureReader::module_calls(Value& value) {
  const std::uint32_t from = json_.begin(value);
  for (auto item : json_.array(value, "`module_call_graph`")) {
    Value one = item.value();
    SymbolId module = graph_.symbols().intern("");
    for (auto entry : json_.object(one, "an entry of `module_call_graph`")) {
      Field field = field_of(entry);
      const std::string_view key = json_.key(field);
      Value& part = field.value();
      if (key == "fqn") {
        module = graph_.symbols().intern(json_.string(part, "`fqn`"));
      } else if (key == "signature" && !json_.is_null(part)) {
        for (auto side_or_error : json_.object(part, "`signature`")) {
          Field side = field_of(side_or_error);
          const std::string_view word = json_.key(side);
          if (word == "inputs" || word == "outputs") names(side.value(), module);
        }
      }
    }
  }
  reading_.program.module_calls = {from, json_.end()};
}

void SignatureReader::names(Value& value, SymbolId module) {
  for (auto item : json_.array(value, "a calling convention")) {
    Value one = item.value();
    for (auto tag : json_.object(one, "an argument")) {
      Field field = field_of(tag);
      Value& inside = field.value();
      if (inside.type() != simdjson::ondemand::json_type::object) continue;
      for (auto part : json_.object(inside, "an argument")) {
        Field named = field_of(part);
        if (json_.key(named) != "name" && json_.key(named) != "as_name") continue;
        ModuleName name;
        name.module = module;
        name.name = graph_.symbols().intern(json_.string(named.value(), "a name", &name.token));
        reading_.program.module_names.push_back(name);
      }
    }
  }
}

}  // namespace fxrules::pt2
