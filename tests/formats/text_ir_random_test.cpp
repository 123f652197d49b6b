// Random graphs with arguments of every kind: written, read back, compared slot by slot, written again.
#include <bit>
#include <cstdlib>
#include <random>

#include <fmt/format.h>

#include "tests/formats/support.hpp"

using namespace fxrules;
using namespace fxrules::testing;

namespace {

using Random = std::mt19937_64;

class Maker {
 public:
  explicit Maker(std::uint64_t seed) : random_(seed) {}

  Graph make() {
    Graph graph;
    CallBuilder builder(graph);
    const std::size_t count = 2 + pick(12);
    for (std::size_t i = 0; i < count; ++i) {
      if (i == 0 || pick(5) == 0) {
        leaf(graph, builder, i);
      } else {
        call(graph, builder, i);
      }
    }
    builder.open(ArgKind::tuple);  // a string alone would be printed without quotes
    value(graph, builder, true, 3);
    builder.close().create(Opcode::output, "output", "output");
    return graph;
  }

 private:
  std::size_t pick(std::size_t n) { return random_() % n; }
  template <std::size_t N>
  std::string_view one_of(const std::string_view (&texts)[N]) {
    return texts[pick(N)];
  }

  void leaf(Graph& graph, CallBuilder& builder, std::size_t i) {
    static constexpr std::string_view kTargets[] = {"x", "L_x_", "*args", "**kwargs", "p_layers.0.weight"};
    static constexpr std::string_view kDefaults[] = {"mean", "a b", "it's (", "", "cpu"};
    const bool attribute = pick(3) == 0;
    if (!attribute && pick(3) == 0) {
      if (pick(2) == 0) {
        builder.spelled(ArgKind::bare, one_of(kDefaults));
      } else {  // inside a tuple strings are quoted and symbols are not
        builder.open(ArgKind::tuple);
        literal(builder, true);
        builder.close();
      }
    }
    finish(graph, builder.create(attribute ? Opcode::get_attr : Opcode::placeholder, one_of(kTargets), name(i)));
  }

  void call(Graph& graph, CallBuilder& builder, std::size_t i) {
    static constexpr std::string_view kKeywords[] = {"dim", "out", "dtype", "device", "alpha"};
    static constexpr std::string_view kTargets[] = {"torch.add", "operator.getitem", "torch.ops.aten.add.Tensor",
                                                    "lambda x: [x]", "builtins.len"};
    const Opcode opcode = pick(3) == 0   ? Opcode::call_method
                          : pick(3) == 0 ? Opcode::call_module
                                         : Opcode::call_function;
    const std::size_t positional = pick(4) + (opcode == Opcode::call_method ? 1 : 0);
    for (std::size_t p = 0; p < positional; ++p) value(graph, builder, false, 4);
    for (const std::string_view keyword : kKeywords) {
      if (pick(4) != 0) continue;
      builder.keyword(keyword);
      value(graph, builder, false, 3);
    }
    finish(graph,
           builder.create(opcode, opcode == Opcode::call_function ? one_of(kTargets) : "layers.0.view", name(i)));
  }

  std::string name(std::size_t i) {
    static constexpr std::string_view kNames[] = {"x", "slice_", "getattr_", "output_", "size", "range_", "none_"};
    return fmt::format("{}{}", one_of(kNames), i);
  }

  void finish(Graph& graph, NodeId node) {
    static constexpr std::string_view kTypes[] = {"torch.Tensor", "typing.List[torch.Tensor]", "int | None",
                                                  "torch.SymInt"};
    static constexpr std::string_view kMetas[] = {"f32[4, s77 + 1][s77 + 1, 1]cpu", "i64[][]cuda:0", "b8[3]",
                                                  "bf16[Min(16384, s1)][1]meta"};
    if (pick(4) == 0) graph.set_type(node, graph.symbols().intern(one_of(kTypes)));
    const Opcode opcode = graph.opcode(node);
    if (opcode == Opcode::placeholder || opcode == Opcode::get_attr) return;
    if (pick(4) == 0) graph.set_meta(node, *graph.metas().parse(one_of(kMetas))), graph.set_type(node, {});
  }

  // One value of any kind; `python`: as in a return value, where strings are quoted and nodes bare.
  void value(Graph& graph, CallBuilder& builder, bool python, std::size_t depth) {
    const std::size_t kind = pick(depth == 0 ? 3 : 10);
    if (kind < 2) {
      node(graph, builder);
    } else if (kind < 5) {
      literal(builder, python);
    } else if (kind < 7) {
      sequence(graph, builder, python, depth);
    } else if (kind == 7) {
      dict(graph, builder, python, depth);
    } else if (kind == 8) {
      builder.open(ArgKind::slice);
      for (int i = 0; i < 3; ++i) value(graph, builder, true, depth - 1);
      builder.close();
    } else {
      builder.open(ArgKind::range);
      for (std::size_t n = 1 + pick(3); n > 0; --n) builder.integer(static_cast<std::int64_t>(pick(100)) - 50);
      builder.close();
    }
  }

  void node(Graph& graph, CallBuilder& builder) {
    NodeId n = graph.last();
    if (!n.valid()) {
      builder.none();
      return;
    }
    for (std::size_t back = pick(6); back > 0 && graph.prev(n).valid(); --back) n = graph.prev(n);
    builder.node(n);
  }

  void sequence(Graph& graph, CallBuilder& builder, bool python, std::size_t depth) {
    const bool tuple = pick(2) == 0;
    builder.open(tuple ? ArgKind::tuple : ArgKind::list);
    for (std::size_t n = pick(4); n > 0; --n) value(graph, builder, python, depth - 1);
    builder.close();
  }

  void dict(Graph& graph, CallBuilder& builder, bool python, std::size_t depth) {
    static constexpr std::string_view kKeys[] = {"k", "b c", "0", "it's", ""};
    builder.open(ArgKind::dict);
    for (std::size_t n = pick(3); n > 0; --n) {
      builder.key(one_of(kKeys));
      value(graph, builder, python, depth - 1);
    }
    builder.close();
  }

  void literal(CallBuilder& builder, bool python) {
    static constexpr double kFloats[] = {0.0, -0.0, 1.5, 1e-5, 1e20, 0.1, 2.0, 1e16, 123456.789, 5e-324};
    static constexpr std::string_view kStrings[] = {
        "a", "it's", "\"", "a\nb", "%x", "(", "a, b", "\\", "\t\x01", "gr\xc3\xbc\xc3\x9f", ""};
    static constexpr std::string_view kBare[] = {
        "mean",           "cuda:0",    "cpu",  "s0",       "2*s0",      "((s72 + 1)//2)",
        "weird name",     "ij,kj->ik", "it's", "a\nb\"c",  "x{a, b} y", "(a) [b]",
        "Min(16384, s1)", "1e5",       "0x10", "%d items", "[a] b"};
    static constexpr std::string_view kComplex[] = {"(1+2j)", "2j", "(-0-1.5j)"};
    static constexpr std::string_view kDtypes[] = {"torch.float16", "torch.bool", "torch.int64"};
    static constexpr std::string_view kSymbolic[] = {"s0", "2*s0", "((s72 + 1)//2)", "Min(16384, s1)", "u3"};
    static constexpr std::string_view kOpaque[] = {"<class 'int'>", "<Enum.A: 1>", "9223372036854775808"};
    switch (pick(14)) {
      case 0:
        builder.none();
        break;
      case 1:
        builder.boolean(pick(2) == 0);
        break;
      case 2:
        builder.integer(static_cast<std::int64_t>(random_()));
        break;
      case 3:
        builder.integer(static_cast<std::int64_t>(pick(20)) - 10);
        break;
      case 4:
        builder.floating(kFloats[pick(std::size(kFloats))]);
        break;
      case 5:
        builder.floating(pick(2) == 0 ? std::numeric_limits<double>::infinity()
                                      : std::numeric_limits<double>::quiet_NaN());
        break;
      case 6:
        builder.floating(finite(random_()));
        break;
      case 7:
        builder.spelled(ArgKind::complex, one_of(kComplex));
        break;
      case 8:
        builder.spelled(ArgKind::dtype, one_of(kDtypes));
        break;
      case 9:
        builder.spelled(ArgKind::opaque, one_of(kOpaque));
        break;
      case 10:
        builder.ellipsis();
        break;
      case 11:
        if (pick(2) == 0) {
          builder.spelled(ArgKind::layout, "torch.strided");
        } else {
          builder.spelled(ArgKind::memory_format, "torch.channels_last");
        }
        break;
      case 12:
        if (!python) {
          builder.spelled(ArgKind::op, "aten.add.Tensor");
        } else {
          builder.spelled(ArgKind::symbolic, one_of(kSymbolic));
        }
        break;
      default:
        if (python) {
          builder.spelled(ArgKind::string, one_of(kStrings));
        } else {
          builder.spelled(ArgKind::bare, one_of(kBare));
        }
        break;
    }
  }

  static double finite(std::uint64_t bits) {
    const double value = std::bit_cast<double>(bits);
    return value - value == 0 ? value : 0.5;
  }

  Random random_;
};

std::string difference(const Graph& a, const Graph& b) {
  if (a.size() != b.size()) return fmt::format("{} and {} nodes", a.size(), b.size());
  NodeId m = b.first();
  for (const NodeId n : a.nodes()) {
    const std::string where = fmt::format("node {}: ", a.name(n));
    if (a.name(n) != b.name(m) && a.opcode(n) != Opcode::output) return where + "name";
    if (a.opcode(n) != b.opcode(m) || a.target(n) != b.target(m)) return where + "opcode or target";
    if (a.type(n).valid() != b.type(m).valid() || (a.type(n).valid() && a.text(a.type(n)) != b.text(b.type(m))))
      return where + "type";
    if (a.metas().text(a.meta(n)) != b.metas().text(b.meta(m))) return where + "metadata";
    const auto x = a.slots(n), y = b.slots(m);
    if (x.size() != y.size()) return where + "number of slots";
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Slot &s = x[i], &t = y[i];
      if (s.kind != t.kind) return where + fmt::format("{} became {}", to_string(s.kind), to_string(t.kind));
      if (s.kind == ArgKind::node ? a.name(s.node()) != b.name(t.node())
          : is_spelled(s.kind)    ? a.text(s.symbol()) != b.text(t.symbol())
          : is_container(s.kind)  ? s.a - a.slots_begin(n) != t.a - b.slots_begin(m) || s.b != t.b
                                  : s.b != t.b || s.c != t.c)
        return where + fmt::format("value of a {}", to_string(s.kind));
    }
    const CallForm &f = a.form(n), &g = b.form(m);
    if (f.positional != g.positional || f.keywords.size() != g.keywords.size()) return where + "number of arguments";
    for (std::size_t i = 0; i < f.keywords.size(); ++i) {
      if (a.text(f.keywords[i]) != b.text(g.keywords[i])) return where + "keyword";
    }
    m = b.next(m);
  }
  return "";
}

}  // namespace

TEST_CASE("random graphs come back equal and as the same bytes", "[formats]") {
  const std::uint64_t rounds = std::getenv("FXRULES_FULL") != nullptr ? 200000 : 5000;
  for (std::uint64_t seed = 0; seed < rounds; ++seed) {
    const Graph graph = Maker(seed).make();
    TextIrStyle style;
    style.metadata = true;
    const std::string text = to_text(graph, style);
    const GraphFile file = read_graph(source_of(text));
    if (has_errors(file.diagnostics)) FAIL("seed " << seed << "\n" << text << render(file.diagnostics));
    if (to_text(file) != text) FAIL("seed " << seed << "\n" << text << "became\n" << to_text(file));
    const std::string differs = difference(graph, file.graph);
    if (!differs.empty()) FAIL("seed " << seed << ": " << differs << "\n" << text);
    if (!verify(file.graph).empty()) FAIL("seed " << seed << "\n" << text << render(verify(file.graph)));
  }
}

TEST_CASE("user counts of a dump are those of the graph", "[formats]") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Graph graph = Maker(seed).make();
    const std::string text = to_text(graph);
    for (const NodeId n : graph.nodes()) {
      const std::string line = format_node(graph, n);
      if (text.find("    " + line + "\n") == std::string::npos)
        FAIL("seed " << seed << ": " << line << "\nnot in\n" << text);
    }
  }
}
