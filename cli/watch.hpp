// The edit loop: `apply --watch` and `test --watch` run again whenever a file that they read was saved.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/console.hpp"

namespace fxrules::cli {

// Tells which of some files were saved since it was last asked. Looks at size, time and inode: editors that write a new
// file and rename it are seen, and a file that is gone for a moment counts as unchanged until it is there again.
class FileWatch {
 public:
  // The files to look at from now on; those that were watched before keep their state.
  void watch(const std::vector<std::string>& paths);
  [[nodiscard]] std::vector<std::string> saved();

 private:
  struct State {
    std::int64_t seconds = 0, nanoseconds = 0, size = 0;
    std::uint64_t inode = 0;
    friend bool operator==(const State&, const State&) = default;
  };
  struct File {
    std::string path;
    std::optional<State> state;  // none: it was never there
  };
  [[nodiscard]] static std::optional<State> state_of(const std::string& path);

  std::vector<File> files_;
};

// When a watch ends: asked between two looks. Without one it goes on until the process ends.
using Until = std::function<bool()>;

using RunOnce = std::function<int(const Options&, Console&)>;
// Each round prints what `apply --report text` says and the difference to the last result, at first to the graph as it
// came; a round that fails leaves the last result as it is. With -o the graph is written each time. Returns the exit
// code of the last round.
[[nodiscard]] int watch_apply(const Options& options, Console& console, const RunOnce& apply, const Until& until = {});
// Each round prints the tests whose outcome differs from the last round's, at first those that fail, and the count.
[[nodiscard]] int watch_test(const Options& options, Console& console, const RunOnce& test, const Until& until = {});

}  // namespace fxrules::cli
