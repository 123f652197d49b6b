#include "fxrules/diagnostic.hpp"
#include "tests/support/catch.hpp"

using fxrules::nearest_names;
using Names = std::vector<std::string>;

TEST_CASE("nearest names come nearest first, equals in alphabetical order") {
  CHECK(nearest_names("slice_scater", {"select_scatter", "slice_scatter", "slice_scatters"}) ==
        Names{"slice_scatter", "slice_scatters", "select_scatter"});
  CHECK(nearest_names("abd", {"abz", "abc", "xyz"}) == Names{"abc", "abz"});
}

TEST_CASE("one step is an insertion, a deletion, a replacement or a swap of neighbours") {
  CHECK(nearest_names("relu", {"relu6", "rel", "rely", "rleu", "rule"}, 9) == Names{"rel", "relu6", "rely", "rleu"});
}

TEST_CASE("the distance that is allowed grows with the name and stops at four") {
  CHECK(nearest_names("mu", {"mul", "mean"}) == Names{"mul"});
  CHECK(nearest_names("abcdef", {"abcdXY", "abcXYZ"}) == Names{"abcdXY"});
  CHECK(nearest_names("abcdefghijklmnopqr", {"abcdefghijklmn1234", "abcdefghijklm12345"}) ==
        Names{"abcdefghijklmn1234"});
}

TEST_CASE("at most `limit` names, none twice, never the name itself") {
  CHECK(nearest_names("add", {"sadd", "addd", "adds", "add", "addd"}, 2) == Names{"addd", "adds"});
  CHECK(nearest_names("add", {"add"}).empty());
}

TEST_CASE("a name of any length is answered at once") {
  const std::string huge(10'000'000, 'a');
  CHECK(nearest_names(huge, {huge, "a"}).empty());
  CHECK(nearest_names("", {"a"}).empty());
  CHECK(nearest_names("a", {huge, "", "b"}) == Names{"", "b"});
}
