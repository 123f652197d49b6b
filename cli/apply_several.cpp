#include "cli/apply_several.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <filesystem>
#include <mutex>
#include <new>
#include <sstream>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "cli/apply_file.hpp"
#include "cli/graph_file.hpp"
#include "cli/progress.hpp"
#include "cli/report.hpp"

namespace fxrules::cli {
namespace {

namespace fs = std::filesystem;

// One graph file: what it is asked for, and what came of it.
struct Job {
  Options options;
  std::ostringstream out, err;
  int code = kFailure;
  std::exception_ptr wrong_use;
};

std::vector<Job> jobs_of(const Options& options) {
  std::vector<std::string> graphs{options.graph};
  graphs.insert(graphs.end(), options.more_graphs.begin(), options.more_graphs.end());
  std::vector<Job> jobs(graphs.size());
  std::vector<std::pair<std::string, std::size_t>> names;
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    const fs::path name = fs::path(graphs[i]).filename();
    names.emplace_back(name.string(), i);
    Options& own = jobs[i].options;
    own = options;
    own.graph = graphs[i];
    own.more_graphs.clear();
    if (!options.out.empty()) own.out = (fs::path(options.out) / name).string();
  }
  std::sort(names.begin(), names.end());
  const auto twice =
      std::adjacent_find(names.begin(), names.end(), [](const auto& a, const auto& b) { return a.first == b.first; });
  if (twice != names.end())
    throw UsageError(fmt::format("`{}` and `{}` have one name in {}", graphs[twice->second],
                                 graphs[(twice + 1)->second], options.out),
                     "give them other names, or apply the rules to one of them at a time");
  return jobs;
}

void make_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!fs::is_directory(folder, error))
    throw UsageError(fmt::format("several graphs were given, and `-o {}` is no folder for them", folder));
}

void carry_out(Job& job, const RuleSet& rules, const std::shared_ptr<const Catalogue>& catalogue, const Console& like) {
  std::istringstream nothing;
  Console console{nothing, job.out, job.err, like.out_color, like.err_color, false};
  try {
    const SourcePtr source = read_graph_source(job.options.graph, console);
    ChosenGraphs graphs = read_chosen(source, job.options.choice, catalogue, console);
    job.code = apply_to_file(job.options, rules, source, catalogue, std::move(graphs), console);
  } catch (const UsageError&) {
    job.wrong_use = std::current_exception();
  } catch (const Error& error) {
    print(console, error.diagnostics());
  } catch (const std::bad_alloc&) {
    job.err << fmt::format("fxrules: there is not enough memory for {}\n", job.options.graph);
  }
}

// How many jobs are done, as a bar on a terminal.
std::string bar(std::size_t done, std::size_t all) {
  constexpr std::size_t kWidth = 30;
  const std::size_t filled = kWidth * done / all;
  return fmt::format("[{}{}] {} of {} graphs", std::string(filled, '#'), std::string(kWidth - filled, '.'), done, all);
}

void run(std::vector<Job>& jobs, const RuleSet& rules, const std::shared_ptr<const Catalogue>& catalogue,
         Console& console) {
  std::mutex mutex;
  std::condition_variable ended;
  std::size_t next = 0, done = 0;
  const auto work = [&] {
    for (std::unique_lock lock(mutex); next < jobs.size();) {
      Job& job = jobs[next++];
      lock.unlock();
      carry_out(job, rules, catalogue, console);
      lock.lock();
      ++done;
      ended.notify_one();
    }
  };
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  const std::size_t wanted = jobs.front().options.jobs == 0 ? cores : jobs.front().options.jobs;
  std::vector<std::jthread> workers;
  for (std::size_t i = 0; i < std::min(wanted, jobs.size()); ++i) workers.emplace_back(work);
  ProgressLine progress(console);
  for (std::unique_lock lock(mutex); done < jobs.size();) {
    ended.wait_for(lock, std::chrono::milliseconds(200));
    progress.show(bar(done, jobs.size()));
  }
}

void write_results(const std::vector<Job>& jobs, int code, Console& console) {
  const bool json = jobs.front().options.report == ReportForm::json;
  if (json) console.out << fmt::format("{{\n\"exit_code\": {},\n\"files\": [", code);
  for (const Job& job : jobs) {
    console.err << job.err.str();
    const std::string out = job.out.str();
    if (json) {
      console.out << fmt::format("{}\n{{\"file\": {}, \"report\":\n{}}}", &job == &jobs.front() ? "" : ",",
                                 json_string(job.options.graph), out.empty() ? "null" : out);
    } else if (!out.empty()) {
      console.out << (job.options.report == ReportForm::text ? fmt::format("=== {}\n", job.options.graph) : "") << out;
    }
  }
  if (json) console.out << "\n]\n}\n";
}

}  // namespace

int apply_to_several(const Options& options, const RuleSet& rules, const std::shared_ptr<const Catalogue>& catalogue,
                     Console& console) {
  std::vector<Job> jobs = jobs_of(options);
  if (!options.out.empty()) make_folder(options.out);
  run(jobs, rules, catalogue, console);
  int code = kSuccess;
  for (const Job& job : jobs) {
    if (job.wrong_use) std::rethrow_exception(job.wrong_use);
    code = std::max(code, job.code);
  }
  write_results(jobs, code, console);
  return code;
}

}  // namespace fxrules::cli
