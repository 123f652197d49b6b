// Runs the entry on files and on seeded mutations of them, where libFuzzer is not there to do it:
//   fuzz_code --runs 10000 --seconds 15 tests/data/graphs/904_code_zoo_args_214.txt ...
// The mutations are the same in each run; a slow machine may not get to the last ones.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

void run(const std::string& text) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
}

// One edit of the kinds that break parsers: a byte, a piece left out, doubled or moved.
void mutate(std::string& text, std::mt19937_64& random) {
  static constexpr char kBytes[] = "()[]{},:;='\"\\#. \n\t%*-+x0";
  if (text.empty()) text = " ";
  const std::size_t at = random() % text.size(), length = 1 + random() % std::min<std::size_t>(text.size() - at, 40);
  switch (random() % 5) {
    case 0:
      text[at] = kBytes[random() % (sizeof kBytes - 1)];
      break;
    case 1:
      text.erase(at, length);
      break;
    case 2:
      text.insert(at, text, random() % text.size(), length);
      break;
    case 3:
      text.insert(at, 1, kBytes[random() % (sizeof kBytes - 1)]);
      break;
    default:
      text.resize(at);
      break;
  }
}

}  // namespace

int main(int count, char** words) {
  using Clock = std::chrono::steady_clock;
  std::size_t runs = 1000, seconds = 3600, done = 0;
  std::vector<std::string> seeds;
  for (int i = 1; i < count; ++i) {
    if (std::strcmp(words[i], "--runs") == 0 && i + 1 < count) {
      runs = std::strtoull(words[++i], nullptr, 10);
      continue;
    }
    if (std::strcmp(words[i], "--seconds") == 0 && i + 1 < count) {
      seconds = std::strtoull(words[++i], nullptr, 10);
      continue;
    }
    std::ifstream in(words[i], std::ios::binary);
    if (!in) {
      std::fprintf(stderr, "cannot read %s\n", words[i]);
      return 1;
    }
    seeds.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    run(seeds.back());
  }
  const Clock::time_point end = Clock::now() + std::chrono::seconds(seconds);
  std::mt19937_64 random(1);
  for (; done < runs && !seeds.empty() && Clock::now() < end; ++done) {
    std::string text = seeds[random() % seeds.size()];
    for (std::size_t edits = 1 + random() % 4; edits > 0; --edits) mutate(text, random);
    run(text);
  }
  std::printf("%zu files, %zu of %zu mutations\n", seeds.size(), done, runs);
  return 0;
}
