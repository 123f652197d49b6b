#include "cli/watch.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <map>
#include <ostream>
#include <sstream>
#include <string_view>
#include <thread>

#include <fmt/format.h>
#include <sys/stat.h>

#include "cli/files.hpp"
#include "cli/rule_files.hpp"
#include "cli/trees.hpp"
#include "cli/unified.hpp"

namespace fxrules::cli {

std::optional<FileWatch::State> FileWatch::state_of(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return std::nullopt;
  return State{found.st_mtim.tv_sec, found.st_mtim.tv_nsec, found.st_size, found.st_ino};
}

void FileWatch::watch(const std::vector<std::string>& paths) {
  std::vector<File> files;
  for (const std::string& path : paths) {
    const auto same = [&](const File& f) { return f.path == path; };
    if (std::any_of(files.begin(), files.end(), same)) continue;
    const auto known = std::find_if(files_.begin(), files_.end(), same);
    files.push_back(known != files_.end() ? *known : File{path, state_of(path)});
  }
  files_ = std::move(files);
}

std::vector<std::string> FileWatch::saved() {
  std::vector<std::string> out;
  for (File& file : files_) {
    const std::optional<State> now = state_of(file.path);
    if (!now || now == file.state) continue;
    file.state = now;
    out.push_back(file.path);
  }
  return out;
}

namespace {

constexpr std::chrono::milliseconds kLook{100};

// Runs `round` now and whenever one of `files()` was saved; what was saved is told to it.
void loop(const std::function<std::vector<std::string>()>& files,
          const std::function<void(const std::vector<std::string>&)>& round, const Until& until) {
  FileWatch watch;
  std::vector<std::string> saved;
  for (;;) {
    watch.watch(files());  // before the round: what is saved while it runs is seen
    round(saved);
    do {
      if (until && until()) return;
      std::this_thread::sleep_for(kLook);
      saved = watch.saved();
    } while (saved.empty());
    // Several files are often saved together, and a large one in pieces.
    for (std::vector<std::string> more; std::this_thread::sleep_for(kLook / 2), more = watch.saved(), !more.empty();)
      saved.insert(saved.end(), more.begin(), more.end());
    std::sort(saved.begin(), saved.end());
    saved.erase(std::unique(saved.begin(), saved.end()), saved.end());
  }
}

void refuse_standard_input(const Options& options) {
  if (options.graph == "-" || std::count(options.rules.begin(), options.rules.end(), "-") != 0)
    throw UsageError("--watch reads files again and again, which standard input does not allow");
}

void write_head(const std::vector<std::string>& saved, Console& console) {
  char time[16];
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  std::strftime(time, sizeof time, "%H:%M:%S", localtime_r(&now, &local));
  std::string names;
  for (const std::string& path : saved) names += (names.empty() ? " " : ", ") + path;
  console.out << fmt::format("{}== {}{}{}\n", console.out_color ? "\x1b[1m" : "", time,
                             saved.empty() ? "" : names + " was saved", console.out_color ? "\x1b[0m" : "");
}

// What a round printed; its mistakes are shown, and end the round alone.
struct Round {
  int code = kFailure;
  std::string out, err;
};

Round run_round(const Options& options, const Console& like, const RunOnce& command) {
  Round round;
  std::istringstream nothing;
  std::ostringstream out, err;
  Console console{nothing, out, err, false, like.err_color, false};
  try {
    round.code = command(options, console);
  } catch (const Error& error) {
    print(console, error.diagnostics());
  }
  round.out = out.str();
  round.err = err.str();
  return round;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// The outcome of each test, and what was said of it.
std::map<std::string, std::string> outcomes(const std::string& out) {
  std::map<std::string, std::string> tests;
  std::string* open = nullptr;
  for (const std::string& line : lines_of(out)) {
    if (line.starts_with("PASS ") || line.starts_with("FAIL ")) {
      open = &tests[line.substr(5)];
      *open += line + "\n";
    } else if (open != nullptr && line.starts_with("  ")) {
      *open += line + "\n";
    }
  }
  return tests;
}

}  // namespace

int watch_apply(const Options& options, Console& console, const RunOnce& apply, const Until& until) {
  refuse_standard_input(options);
  Options once = options;
  once.watch = once.diff = false;
  once.out.clear();
  once.report = ReportForm::text;
  std::string last(read_source(options.graph, console.in)->text);
  int code = kFailure;
  const auto files = [&] {
    std::vector<std::string> paths = files_of_rules(options.rules, load_options(options, load_catalogue()));
    paths.push_back(options.graph);
    if (!options.inputs_file.empty()) paths.push_back(options.inputs_file);
    return paths;
  };
  const auto round = [&](const std::vector<std::string>& saved) {
    Round ran = run_round(once, console, apply);
    code = ran.code;
    write_head(saved, console);
    console.out << ran.err;
    if (ran.code == kSuccess) {
      DiffStyle style;
      style.headers = false;
      style.color = console.out_color;
      unified_diff(last, ran.out, style, [&](std::string_view piece) { console.out << piece; });
      if (ran.out == last) console.out << (saved.empty() ? "nothing changes\n" : "the result is the same\n");
      last = std::move(ran.out);
      if (!options.out.empty()) {
        OutputFile out(options.out);
        out.write(last);
        out.commit();
      }
    }
    console.out.flush();
  };
  loop(files, round, until);
  return code;
}

int watch_test(const Options& options, Console& console, const RunOnce& test, const Until& until) {
  refuse_standard_input(options);
  Options once = options;
  once.watch = false;
  std::map<std::string, std::string> last;
  int code = kFailure;
  const auto files = [&] { return files_of_rules(options.rules, load_options(options, load_catalogue())); };
  const auto round = [&](const std::vector<std::string>& saved) {
    const Round ran = run_round(once, console, test);
    code = ran.code;
    write_head(saved, console);
    console.out << ran.err;
    std::map<std::string, std::string> now = outcomes(ran.out);
    for (const auto& [name, said] : now) {
      const auto before = last.find(name);
      const bool fails = said.starts_with("FAIL");
      if (before == last.end() ? fails || !saved.empty() : before->second != said) console.out << said;
    }
    for (const auto& [name, said] : last) {
      if (!now.contains(name) && !now.empty()) console.out << "GONE " << name << '\n';
    }
    const std::vector<std::string> lines = lines_of(ran.out);
    if (!lines.empty()) console.out << lines.back() << '\n';
    if (!now.empty()) last = std::move(now);
    console.out.flush();
  };
  loop(files, round, until);
  return code;
}

}  // namespace fxrules::cli
