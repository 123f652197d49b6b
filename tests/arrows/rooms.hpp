// Who may include whom. A new public header, library or room is named here first.
#pragma once

#include <string>
#include <vector>

namespace fxrules::arrows {

struct Room {
  std::string folder;
  std::vector<std::string> headers;    // its public ones, in include/fxrules
  std::vector<std::string> uses;       // rooms whose headers it may include
  std::vector<std::string> libraries;  // first path component of the angle includes it may have
};

// Headers of include/fxrules that everybody may include and nobody implements.
inline const std::vector<std::string> kCommonHeaders{"ids.hpp", "column.hpp"};

inline const std::string kDiagnostic = "engine/diagnostic";
inline const std::string kCatalogue = "engine/catalogue";
inline const std::string kGraph = "engine/graph";
inline const std::string kProgram = "engine/program";
inline const std::string kRewrite = "engine/rewrite";

// Bottom up, like the list in CMakeLists.txt.
inline const std::vector<Room> kRooms{
    {kDiagnostic, {"diagnostic.hpp"}, {}, {"fmt"}},
    {kCatalogue, {"catalogue.hpp", "dtype.hpp"}, {kDiagnostic}, {"fmt", "tao"}},
    {kGraph,
     {"boost_graph.hpp", "graph.hpp", "meta.hpp", "nested.hpp", "signature.hpp", "symbolic.hpp", "symbols.hpp"},
     {kDiagnostic, kCatalogue},
     {"fmt", "boost"}},
    {kProgram, {"functions.hpp", "rule_set.hpp"}, {kDiagnostic, kCatalogue, kGraph}, {"fmt", "boost"}},
    {kRewrite,
     {"apply.hpp", "explain.hpp", "infer.hpp"},
     {kDiagnostic, kCatalogue, kGraph, kProgram},
     {"fmt", "boost"}},
    {"formats", {"formats.hpp"}, {kDiagnostic, kCatalogue, kGraph}, {"fmt", "tao", "boost", "simdjson.h", "minizip"}},
    {"dsl", {}, {kDiagnostic, kCatalogue, kGraph, kProgram}, {"fmt", "tao", "boost"}},
    {"cli", {}, {kDiagnostic, kCatalogue, kGraph, kProgram, kRewrite, "formats", "dsl"}, {"fmt", "CLI", "nlohmann"}},
    {"python", {}, {kDiagnostic, kCatalogue, kGraph, kProgram, kRewrite, "formats", "dsl"}, {"Python.h", "nanobind"}},
};

}  // namespace fxrules::arrows
