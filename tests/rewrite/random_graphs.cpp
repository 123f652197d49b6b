#include <vector>

#include "random_pairs.hpp"

namespace fxrules::testing {
namespace {

class GraphMaker {
 public:
  explicit GraphMaker(std::uint64_t seed) : dice_(seed) {}

  Graph make(std::uint32_t calls) {
    const std::uint32_t inputs = 1 + dice_.below(3);
    for (std::uint32_t i = 0; i < inputs; ++i) {
      const std::string name = "x" + std::to_string(i);
      values_.push_back(with_meta(CallBuilder(graph_).create(Opcode::placeholder, name, name)));
    }
    if (dice_.one_in(4)) values_.push_back(CallBuilder(graph_).create(Opcode::get_attr, "weight"));
    hub_ = dice_.one_in(2) ? values_.front() : NodeId();
    writes_ = dice_.one_in(3) ? 5 : 0;
    if (calls == 0) calls = 6 + dice_.below(dice_.one_in(3) ? 36 : 14);
    for (std::uint32_t i = 0; i < calls; ++i) call();
    output();
    return std::move(graph_);
  }

 private:
  NodeId value() {
    if (hub_.valid() && dice_.one_in(3)) return hub_;
    if (dice_.percent(60)) {  // a recent one: chains
      const auto recent = static_cast<std::uint32_t>(std::min<std::size_t>(values_.size(), 3));
      return values_[values_.size() - 1 - dice_.below(recent)];
    }
    return values_[dice_.below(static_cast<std::uint32_t>(values_.size()))];
  }

  NodeId with_meta(NodeId n) {
    if (dice_.one_in(3)) return n;
    const std::string_view text = dice_.of({"f32[4,4] strides=(4,1)", "f32[4,4]", "f32[4,4]", "f32[2,4]", "i64[4,4]"});
    graph_.set_meta(n, *graph_.metas().parse(text));
    return n;
  }

  void add(CallBuilder& builder, Opcode opcode, const std::string& target) {
    values_.push_back(with_meta(builder.create(opcode, target)));
  }

  void number(CallBuilder& builder) {
    switch (dice_.below(5)) {
      case 0:
        builder.floating(1.0);
        break;
      case 1:
        builder.floating(1.5);
        break;
      default:
        builder.integer(dice_.below(3));
    }
  }

  void call() {
    const std::uint32_t kind = dice_.below(100);
    if (kind < 27) return unary();
    if (kind < 55) return binary();
    if (kind < 63) return reduction();
    if (kind < 71) return view();
    if (kind < 77) return cat();
    if (kind < 82) return several_results();
    if (kind < 86) return subscript();
    if (kind < 91) return conversion();
    if (kind < 91 + writes_) return write();
    if (kind < 97) return factory();
    other();
  }

  void unary() {
    const std::string op(dice_.of({"neg", "abs", "relu", "exp"}));
    CallBuilder builder(graph_);
    const NodeId x = value();
    const std::uint32_t how = dice_.below(6);
    if (how == 0 && dice_.one_in(2)) {
      builder.keyword("input").node(x);
      return add(builder, Opcode::call_function, "torch." + op);
    }
    builder.node(x);
    switch (how) {
      case 0:
      case 1:
        return add(builder, Opcode::call_function, "torch." + op);
      case 2:
        return add(builder, Opcode::call_method, op);
      case 3:
        return add(builder, Opcode::call_function, "torch.ops.aten." + op + ".default");
      case 4:
        if (op == "neg" || op == "abs") return add(builder, Opcode::call_function, "operator." + op);
        return add(builder, Opcode::call_function, "torch.ops.aten." + op);
      default:
        if (op != "relu") return add(builder, Opcode::call_function, "torch.ops.aten." + op);
        if (dice_.one_in(2)) builder.keyword("inplace").boolean(dice_.one_in(5));
        return add(builder, Opcode::call_function, "torch.nn.functional.relu");
    }
  }

  void binary() {
    const std::string op(dice_.of({"add", "mul", "sub", "add"}));
    CallBuilder builder(graph_);
    const NodeId x = value(), y = value();
    const bool scalar = dice_.percent(45);
    const auto second = [&] { scalar ? number(builder) : static_cast<void>(builder.node(y)); };
    const auto alpha = [&] {
      if (op != "mul" && dice_.percent(30)) builder.keyword("alpha").integer(1 + dice_.below(2));
    };
    switch (dice_.below(8)) {
      case 0:
        builder.node(x);
        second();
        return add(builder, Opcode::call_function, "operator." + op);
      case 1:
        builder.node(x);
        second();
        alpha();
        return add(builder, Opcode::call_method, op);
      case 2:
        builder.node(x);
        second();
        alpha();
        return add(builder, Opcode::call_function, "torch.ops.aten." + op + (scalar ? ".Scalar" : ".Tensor"));
      case 3:
        builder.node(x);
        second();
        return add(builder, Opcode::call_function, "torch.ops.aten." + op);
      case 4:
        builder.node(x).keyword("other");
        second();
        alpha();
        return add(builder, Opcode::call_function, "torch." + op);
      case 5:
        builder.keyword("other");
        second();
        builder.keyword("input").node(x);
        return add(builder, Opcode::call_function, "torch." + op);
      case 6:
        builder.node(x);
        number(builder);
        return add(builder, Opcode::call_method, "__r" + op + "__");
      default:
        builder.node(x);
        second();
        alpha();
        return add(builder, Opcode::call_function, "torch." + op);
    }
  }

  void sizes(CallBuilder& builder, bool tuple, std::initializer_list<std::int64_t> sizes) {
    builder.open(tuple ? ArgKind::tuple : ArgKind::list);
    for (const std::int64_t size : sizes) builder.integer(size);
    builder.close();
  }

  void reduction() {
    CallBuilder builder(graph_);
    builder.node(value());
    const std::int64_t dim = dice_.below(2);
    switch (dice_.below(3)) {
      case 0:
        builder.integer(dim);
        break;
      case 1:
        sizes(builder, dice_.one_in(2), {dim});
        break;
      default:
        builder.keyword("dim").integer(dim);
    }
    if (dice_.one_in(2)) builder.keyword("keepdim").boolean(dice_.one_in(2));
    if (dice_.one_in(2)) return add(builder, Opcode::call_method, "sum");
    add(builder, Opcode::call_function, "torch.sum");
  }

  void view() {
    CallBuilder builder(graph_);
    builder.node(value());
    const std::int64_t a = dice_.one_in(3) ? 2 : 4, b = dice_.one_in(3) ? -1 : 4;
    switch (dice_.below(6)) {
      case 0:
        builder.integer(a).integer(b);
        return add(builder, Opcode::call_method, "reshape");
      case 1:
        sizes(builder, true, {a, b});
        return add(builder, Opcode::call_method, "reshape");
      case 2:
        sizes(builder, dice_.one_in(2), {a, b});
        return add(builder, Opcode::call_function, "torch.reshape");
      case 3:
        sizes(builder, false, {a, b});
        return add(builder, Opcode::call_function, "torch.ops.aten.view.default");
      case 4:
        builder.integer(dice_.below(2)).integer(1);
        return add(builder, Opcode::call_method, "permute");
      default:
        builder.integer(0).integer(1);
        return add(builder, Opcode::call_function, "torch.transpose");
    }
  }

  void cat() {
    CallBuilder builder(graph_);
    const bool keyword = dice_.one_in(6);
    if (keyword) builder.keyword("tensors");
    builder.open(dice_.one_in(3) ? ArgKind::tuple : ArgKind::list);
    for (std::uint32_t i = dice_.below(5); i-- > 0;) builder.node(value());
    builder.close();
    if (dice_.one_in(3)) builder.keyword("dim").integer(dice_.below(2));
    add(builder, Opcode::call_function, dice_.one_in(3) ? "torch.ops.aten.cat.default" : "torch.cat");
  }

  void several_results() {
    NodeId split;
    {
      CallBuilder builder(graph_);
      builder.node(value()).integer(2);
      if (dice_.one_in(3)) builder.keyword("dim").integer(0);
      split = dice_.one_in(2) ? builder.create(Opcode::call_function, "torch.split")
                              : builder.create(Opcode::call_method, "split");
    }
    for (std::int64_t i = 0; i < 2; ++i) {
      if (dice_.one_in(4)) continue;
      CallBuilder builder(graph_);
      builder.node(split).integer(i);
      add(builder, Opcode::call_function, "operator.getitem");
    }
  }

  void subscript() {
    CallBuilder builder(graph_);
    builder.node(value());
    const bool tuple = dice_.one_in(3);
    if (tuple) builder.open(ArgKind::tuple);
    builder.open(ArgKind::slice);
    dice_.one_in(2) ? builder.none() : builder.integer(0);
    builder.integer(2 + 2 * dice_.below(2));
    dice_.one_in(4) ? builder.integer(1) : builder.none();
    builder.close();
    if (tuple) builder.integer(0).close();
    add(builder, Opcode::call_function, "operator.getitem");
  }

  void conversion() {
    CallBuilder builder(graph_);
    builder.node(value());
    switch (dice_.below(4)) {
      case 0:
        return add(builder, Opcode::call_method, "clone");
      case 1:
        return add(builder, Opcode::call_function, "torch.ops.aten.clone.default");
      case 2:
        builder.spelled(ArgKind::dtype, "torch.float32");
        return add(builder, Opcode::call_method, "to");
      default:
        builder.keyword("dtype").spelled(ArgKind::dtype, dice_.one_in(2) ? "torch.float32" : "torch.float16");
        return add(builder, Opcode::call_method, "to");
    }
  }

  void write() {
    CallBuilder builder(graph_);
    builder.node(value());
    switch (dice_.below(6)) {
      case 0:
        builder.node(value());
        return add(builder, Opcode::call_method, "add_");
      case 1:
        return add(builder, Opcode::call_method, "relu_");
      case 2:
        builder.node(value());
        return add(builder, Opcode::call_method, "copy_");
      case 3:
        builder.node(value());
        return add(builder, Opcode::call_function, "operator.iadd");
      case 4:
        builder.integer(0).node(value());
        return add(builder, Opcode::call_function, "operator.setitem");
      default:
        builder.integer(2);
        return add(builder, Opcode::call_function, "torch.ops.aten.mul_.Scalar");
    }
  }

  void factory() {
    CallBuilder builder(graph_);
    sizes(builder, dice_.one_in(2), {4, 4});
    number(builder);
    if (dice_.one_in(2))
      builder.keyword("device").spelled(dice_.one_in(2) ? ArgKind::device : ArgKind::string,
                                        dice_.of({"cpu", "cuda:0"}));
    add(builder, Opcode::call_function, "torch.full");
  }

  void other() {
    CallBuilder builder(graph_);
    builder.node(value());
    switch (dice_.below(5)) {
      case 0:
        return add(builder, Opcode::call_function, "mine.blackbox");
      case 1:
        builder.keyword("scale").integer(dice_.below(2));
        return add(builder, Opcode::call_function, "mine.blackbox");
      case 2:
        return add(builder, Opcode::call_method, dice_.one_in(2) ? "frobnicate" : "frob_");
      case 3:
        return add(builder, Opcode::call_module, "layers.0");
      default:
        return add(builder, Opcode::call_function, "torch.bernoulli");
    }
  }

  void output() {
    CallBuilder builder(graph_);
    switch (dice_.below(4)) {
      case 0:
        builder.node(value());
        break;
      case 1:
        builder.open(ArgKind::dict).key("a").node(value()).key("b").open(ArgKind::list).node(value()).close().close();
        break;
      default:
        builder.open(ArgKind::tuple).node(values_.back());
        for (std::uint32_t i = dice_.below(3); i-- > 0;) builder.node(value());
        builder.close();
    }
    builder.create(Opcode::output, "output", "output");
  }

  Dice dice_;
  Graph graph_;
  std::vector<NodeId> values_;
  NodeId hub_;
  std::uint32_t writes_ = 0;  // per cent of all calls
};

}  // namespace

Graph random_graph(std::uint64_t seed, std::uint32_t calls) { return GraphMaker(seed).make(calls); }

}  // namespace fxrules::testing
