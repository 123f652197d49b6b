// Guards that ask the signature of an exported program.
#include "support.hpp"
#include "tests/support/catch.hpp"

using namespace fxrules;
using namespace fxrules::testing;

namespace {

// w is a parameter, k a buffer whose new value is `u`, t one that stays, x the caller's and updated in place.
const std::string kProgram =
    "w: f32[4] = placeholder\nk: f32[4] = placeholder\nt: f32[4] = placeholder\nx: f32[4] = placeholder\n"
    "u = torch.ops.aten.add.Tensor(k, w)\nv = torch.ops.aten.add_.Tensor(x, t)\n"
    "p = torch.ops.aten.cat.default([w, k, t, x, u, v])\nreturn (u, v, p)";

Graph exported() {
  Graph g = graph_of(kProgram);
  Signature s;
  const auto input = [&](std::string_view name, InputRole role) { s.inputs.push_back({g.find(name), role, {}, true}); };
  input("w", InputRole::parameter);
  input("k", InputRole::buffer);
  input("t", InputRole::buffer);
  input("x", InputRole::user);
  s.outputs = {{OutputRole::buffer_mutation, g.find("k")}, {OutputRole::input_mutation, g.find("x")}, {}};
  g.set_signature(std::move(s));
  return g;
}

std::string asked(const std::string& question, Graph graph) {
  const Applied run = applied(
      rules_of("phase ask once\ntorch.ops.aten.cat.default([w, k, t, x, u, v])\n"
               "  => note \"yes\" if " +
               question + "\n  => note \"no\" if not (" + question + ")\n  => note \"unknown {w}{k}{t}{x}{u}{v}\"\n"),
      std::move(graph));
  if (run.report.notes.size() != 1) return "?";
  return run.report.notes[0].text.substr(0, run.report.notes[0].text.find(' '));
}

std::string asked(const std::string& question) { return asked(question, exported()); }

}  // namespace

TEST_CASE("parameters and buffers are told apart", "[signature]") {
  CHECK(asked("is_parameter(w)") == "yes");
  CHECK(asked("is_parameter(k)") == "no");
  CHECK(asked("is_buffer(k)") == "yes");
  CHECK(asked("is_buffer(x)") == "no");
  CHECK(asked("is_buffer(u)") == "no");
  CHECK(asked("is_input(k)") == "yes");
  CHECK(asked("is_input(u)") == "no");
}

TEST_CASE("inputs that get a new value are known", "[signature]") {
  CHECK(asked("written_back(k)") == "yes");
  CHECK(asked("written_back(t)") == "no");
  CHECK(asked("written_back(u)") == "no");
  CHECK(asked("mutated(k)") == "yes");
  CHECK(asked("mutated(t)") == "no");
  CHECK(asked("mutated(x)") == "yes");
}

TEST_CASE("updates in place and write-backs are known", "[signature]") {
  CHECK(asked("in_place(v, x)") == "yes");
  CHECK(asked("in_place(x, x)") == "yes");
  CHECK(asked("in_place(u, k)") == "no");
  CHECK(asked("is_writeback(v)") == "yes");
  CHECK(asked("is_writeback(u)") == "no");
}

TEST_CASE("without a signature nothing of it is known", "[signature]") {
  const auto plain = [](const std::string& question) { return asked(question, graph_of(kProgram)); };
  CHECK(plain("is_parameter(w)") == "unknown");
  CHECK(plain("is_parameter(u)") == "no");
  CHECK(plain("written_back(k)") == "unknown");
  CHECK(plain("mutated(x)") == "yes");
  CHECK(plain("mutated(k)") == "unknown");
  CHECK(plain("in_place(v, x)") == "yes");
}
