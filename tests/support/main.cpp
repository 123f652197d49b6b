// The entry point of every test binary, where the distribution's Catch2 does not bring one.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
