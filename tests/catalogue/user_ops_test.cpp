// Users' own ops, and what is said about lines that nobody can read.
#include "tests/catalogue/shared.hpp"

using namespace fxrules;
using namespace fxrules::test;

namespace {

SourcePtr source(std::string text) { return std::make_shared<Source>(Source{"my.ops", std::move(text)}); }

std::shared_ptr<Catalogue> small() {
  return Catalogue::from_texts({{"small.ops",
                                 "aten::add.Tensor(Tensor self, Tensor other) -> Tensor | method\n"
                                 "aten::add = .add operator.add\n"}});
}

std::string complaint(std::string text) { return render(small()->add(source(std::move(text)))); }

}  // namespace

TEST_CASE("a user's ops are found like torch's") {
  const auto catalogue = small();
  CHECK(catalogue
            ->add(source("# my ops\n\n"
                         "my::fused(Tensor x, Tensor(a!) state, *, str mode=\"a, b | c\") -> Tensor | effect\r\n"
                         "  my::fused = my_package.fused   \n"
                         "my::opaque\n"
                         "my::* | random"))
            .empty());
  const OpId op = catalogue->find_op("my.fused").value();
  const Overload& fused = catalogue->overload(catalogue->find_overload(op, "default").value());
  CHECK(fused.arguments[1].writes);
  CHECK(fused.arguments[2].default_text == "\"a, b | c\"");
  CHECK(has(fused.tags, OpTag::effect));
  CHECK(has(fused.tags, OpTag::random));
  CHECK(catalogue->resolve(Opcode::call_function, "torch.ops.my.fused.default")->op == op);
  CHECK(catalogue->resolve(Opcode::call_function, "my_package.fused")->op == op);
  CHECK(catalogue->function_of(op) == "my_package.fused");
  CHECK(catalogue->overloads(catalogue->find_op("my::opaque").value()).empty());
}

TEST_CASE("a later line replaces a schema, and what was known of it stays") {
  const auto catalogue = small();
  const OpId add = catalogue->find_op("add").value();
  CHECK(catalogue->overload(catalogue->overloads(add)[0]).arguments.size() == 2);
  CHECK(catalogue
            ->add(source("aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor\n"
                         "aten::add | commutative\n"))
            .empty());
  REQUIRE(catalogue->overloads(add).size() == 1);
  const Overload& changed = catalogue->overload(catalogue->overloads(add)[0]);
  CHECK(changed.arguments.size() == 3);
  CHECK(changed.tags == (OpTag::method | OpTag::commutative));
}

TEST_CASE("a later file replaces the Python signatures of a function") {
  const auto catalogue = small();
  CHECK(catalogue->add(source("my::f = pkg.f(Tensor x) -> Tensor\nmy::f = pkg.f(Scalar x) -> Scalar\n")).empty());
  const OpId f = catalogue->find_op("my.f").value();
  CHECK(catalogue->overloads(f).size() == 2);
  CHECK(catalogue->add(source("my::f = pkg.f(Tensor(a!) x) -> Tensor(a!)\n")).empty());
  REQUIRE(catalogue->overloads(f).size() == 1);
  CHECK(catalogue->overload(catalogue->overloads(f)[0]).writes());
}

TEST_CASE("errors have places, and nothing is added when there is one") {
  const auto catalogue = small();
  const auto diagnostics = catalogue->add(source("my::good(Tensor x) -> Tensor\nmy::bad(Tensor) -> Tensor\n"));
  REQUIRE(diagnostics.size() == 1);
  CHECK(render(diagnostics) ==
        "my.ops:2:15: error: expected an argument as `Tensor self` [catalogue-syntax]\n"
        "  2 | my::bad(Tensor) -> Tensor\n"
        "    |               ^\n");
  CHECK_FALSE(catalogue->find_op("my.good"));
}

TEST_CASE("every complaint of the notation") {
  const auto message = [](std::string text) {
    const auto diagnostics = small()->add(source(std::move(text)));
    REQUIRE(diagnostics.size() == 1);
    return diagnostics[0].message;
  };
  CHECK(message("add(Tensor x) -> Tensor") == "a line begins with an op as `name_space::op`");
  CHECK(message("(Tensor x) -> Tensor") == "a line begins with an op as `name_space::op`");
  CHECK(message("my::add Tensor") == "expected `(` and a signature, `=` and spellings, or ` | ` and facts");
  CHECK(message("my::add =") == "no spelling follows `=`");
  CHECK(message("my::add(, Tensor x) -> Tensor") == "expected an argument as `Tensor self`");
  CHECK(message("my::add(Tensor 5) -> Tensor") == "expected the argument's name after its type");
  CHECK(message("my::add(Tensor x y) -> Tensor") == "expected `,` or `)` after the argument");
  CHECK(message("my::add(Tensor x=) -> Tensor") == "expected a default after `=`");
  CHECK(message("my::add(Tensor x:) -> Tensor") == "expected the role's name after `:`");
  CHECK(message("my::add(Tensor(a x) -> Tensor") == "expected `)` after the alias annotation");
  CHECK(message("my::add(Tensor(a! when inplace) x) -> Tensor") == "expected a condition as `inplace=True`");
  CHECK(message("my::add(Tensor x)") == "expected `->` and the results");
  CHECK(message("my::add(Tensor x) -> ") == "expected a result type, or `()` for none");
  CHECK(message("my::add(Tensor x) -> (Tensor, Tensor") == "expected `,` or `)` after the result");
  CHECK(message("my::add(Tensor x) -> Tensor y z") == "expected the end of the line or ` | ` and facts");
  CHECK(message("my::add(Tensor x) -> Tensor | pure") == "unknown fact `pure`");
  CHECK(message("aten::add | pure") == "unknown fact `pure`");
  CHECK(message("aten::ad | pointwise") == "no line before this one declares `aten::ad`");
  CHECK(message("aten::add.out | pointwise") == "`aten::add` has no overload `out`");
}

TEST_CASE("several errors come in the order of the file") {
  const auto diagnostics = small()->add(source("my::a(Tensor) -> Tensor\naten::ad | core\nmy::c(Tensor x)\n"));
  REQUIRE(diagnostics.size() == 3);
  CHECK(diagnostics[0].span.begin < diagnostics[1].span.begin);
  CHECK(diagnostics[1].span.begin < diagnostics[2].span.begin);
}

TEST_CASE("hostile input is answered, whatever its size") {
  const std::string deep(1'000'000, '(');
  CHECK_FALSE(complaint("my::f" + deep).empty());
  CHECK_FALSE(complaint("my::f(Tensor x=" + std::string(1'000'000, '[')).empty());
  CHECK_FALSE(complaint(std::string(1'000'000, ':')).empty());
  std::string long_list = "my::f(Tensor x";
  for (int k = 0; k < 100'000; ++k) long_list += ", int a";
  CHECK(complaint(long_list + ") -> ()").empty());
  CHECK_FALSE(complaint(std::string("my::f(Ten\0sor x) -> Tensor", 26)).empty());
}

TEST_CASE("a shipped file with a bad signature says so where it is first asked for") {
  const auto catalogue = Catalogue::from_texts({{"bad.ops", "my::f(Tensor x -> Tensor\n"}});
  const OpId f = catalogue->find_op("my.f").value();
  CHECK_THROWS_AS(catalogue->overload(catalogue->overloads(f)[0]), Error);
  CHECK_THROWS_AS(Catalogue::from_texts({{"bad.ops", "nonsense\n"}}), Error);
}
