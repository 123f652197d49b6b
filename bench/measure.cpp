#include "bench/measure.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>

#include <fmt/format.h>
#include <time.h>

namespace fxrules::bench {
namespace {

std::string first_line(const char* path, std::string_view prefix = "") {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(prefix)) return line;
  }
  return "unknown";
}

std::string processor() {
  const std::string line = first_line("/proc/cpuinfo", "model name");
  const std::size_t colon = line.find(": ");
  return colon == std::string::npos ? line : line.substr(colon + 2);
}

std::string variable(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

std::atomic<std::uint64_t> kept;

}  // namespace

double cpu_now() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

double median(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const std::size_t middle = samples.size() / 2;
  return samples.size() % 2 == 1 ? samples[middle] : (samples[middle - 1] + samples[middle]) / 2;
}

void keep(std::uint64_t value) { kept.fetch_add(value, std::memory_order_relaxed); }

std::string environment() {
  return fmt::format(
      "machine   {}\ncompiler  {} {}\npages     transparent huge pages {}; GLIBC_TUNABLES {}\ncommit    {}\nload      "
      "{}\n",
      processor(),
#ifdef __clang__
      "clang",
#else
      "g++",
#endif
      __VERSION__, first_line("/sys/kernel/mm/transparent_hugepage/enabled"), variable("GLIBC_TUNABLES", "unset"),
      variable("FXRULES_COMMIT", "unknown"), first_line("/proc/loadavg"));
}

}  // namespace fxrules::bench
