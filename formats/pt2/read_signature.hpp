// What the program says of its inputs and outputs, and the calling conventions that it keeps for its modules.
#pragma once

#include "formats/pt2/read_graph.hpp"

namespace fxrules::pt2 {

class SignatureReader {
 public:
  SignatureReader(Reading& reading, Graph& graph) : reading_(reading), json_(reading.json), graph_(graph) {}
  void read(Value& value);
  void module_calls(Value& value);

 private:
  struct Spec {
    std::string_view tag;
    std::string_view name;  // of the value
    std::string_view path;  // parameter_name, buffer_name, user_input_name, …
    bool persistent = true;
    Range range, name_token, path_token;
  };
  [[nodiscard]] Spec spec(Value& value);
  void inputs(Value& value);
  void outputs(Value& value);
  [[nodiscard]] NodeId target_of(const Spec& spec, OutputRole role);
  void names(Value& value, SymbolId module);

  Reading& reading_;
  Json& json_;
  Graph& graph_;
  Signature signature_;
  std::unordered_map<std::string_view, NodeId> by_path_;  // parameters and buffers
};

}  // namespace fxrules::pt2
