// Catch2 under one name: version 2 is a single header, version 3 is many. Tests write against
// version 3's spelling of what both have.
#pragma once

#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_approx.hpp>
#include <catch2/catch_message.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_all.hpp>
#include <catch2/matchers/catch_matchers_all.hpp>
using Catch::Approx;
#else
#include <string>

#include <catch2/catch.hpp>
namespace Catch::Matchers {
inline auto ContainsSubstring(const std::string& text) { return Contains(text); }
}  // namespace Catch::Matchers
#endif
