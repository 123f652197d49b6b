// What the tests of graph files share.
#pragma once

#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "fxrules/formats.hpp"
#include "tests/support/catch.hpp"

namespace fxrules::testing {

inline SourcePtr source_of(std::string text, std::string name = "graph.txt") {
  return std::make_shared<Source>(Source{std::move(name), std::move(text)});
}

inline std::string file_text(const std::string& path) {
  std::ifstream in(std::string(FXRULES_SOURCE_DIR "/tests/data/") + path, std::ios::binary);
  REQUIRE(in.good());
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// Reads one graph that must be free of errors.
inline GraphFile read(const std::string& text) {
  GraphFile file = read_graph(source_of(text));
  INFO(text.substr(0, 2000));
  INFO(render(file.diagnostics));
  REQUIRE_FALSE(has_errors(file.diagnostics));
  INFO(render(verify(file.graph)));
  REQUIRE(verify(file.graph).empty());
  return file;
}

// A dump of one call whose arguments are given, between two inputs and an output.
inline std::string call_with(const std::string& arguments, const std::string& keywords = "", int x_users = 1,
                             int y_users = 0) {
  return "graph():\n    %x : [num_users=" + std::to_string(x_users) +
         "] = placeholder[target=x]\n    %y : [num_users=" + std::to_string(y_users) +
         "] = placeholder[target=y]\n    %call : [num_users=1] = call_function[target=torch.f](args = (" + arguments +
         "), kwargs = {" + keywords + "})\n    return (call,)\n";
}

// What is known of a node, as annotations say it; `?`: nothing.
inline std::string meta_of(const Graph& graph, const char* name) {
  const MetaId meta = graph.meta(graph.find(name));
  return meta.valid() ? graph.metas().text(meta) : "?";
}

}  // namespace fxrules::testing
