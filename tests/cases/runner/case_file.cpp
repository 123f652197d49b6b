#include "tests/cases/runner/case_file.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>

namespace fxrules::cases {
namespace {

constexpr std::array kSections{"rules", "inputs", "before", "after", "unchanged", "report"};
constexpr std::array kHeaders{"rules", "options"};
constexpr std::string_view kMark = "--- ";

template <class Names>
bool is_one_of(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

[[noreturn]] void wrong(const CaseFile& file, std::size_t line, const std::string& what) {
  throw std::runtime_error(fmt::format("{}:{}: {}", file.path, line, what));
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \r\n");
  return first == std::string::npos ? std::string() : text.substr(first, text.find_last_not_of(" \r\n") + 1 - first);
}

void read_header(CaseFile& file, const std::string& text, std::size_t line) {
  if (trimmed(text).empty() || text[0] == '#') return;
  const std::size_t colon = text.find(':');
  const std::string key = trimmed(text.substr(0, colon));
  if (colon == std::string::npos || !is_one_of(kHeaders, key))
    wrong(file, line, "expected `rules: …`, `options: …` or `--- SECTION`");
  file.headers[key] = trimmed(text.substr(colon + 1));
}

void read_expectations(CaseFile& file) {
  const auto report = file.sections.find("report");
  if (report == file.sections.end()) return;
  std::istringstream lines(report->second.text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::vector<std::string> found{std::istream_iterator<std::string>(words), {}};
    if (found.empty() || found[0][0] == '#') continue;
    const std::size_t rest = line.find(found[0]) + found[0].size();
    found.push_back(trimmed(line.substr(rest)));  // the text behind the first word stands last
    file.expectations.push_back(std::move(found));
  }
}

void check(const CaseFile& file) {
  const bool result = file.sections.count("after") + file.sections.count("unchanged") > 0;
  if (file.sections.count("before") == 0) wrong(file, 1, "there is no section `before`");
  if (!result && file.sections.count("report") == 0)
    wrong(file, 1, "there is no section `after`, `unchanged` or `report`");
  if (file.headers.count("rules") + file.sections.count("rules") == 0) wrong(file, 1, "there are no rules");
}

}  // namespace

std::string read_text(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw std::runtime_error(fmt::format("cannot read {}", path));
  return {std::istreambuf_iterator<char>(stream), {}};
}

void write_text(const std::string& path, const std::string& text) {
  std::ofstream stream(path, std::ios::binary);
  stream << text;
  if (!stream.flush()) throw std::runtime_error(fmt::format("cannot write {}", path));
}

CaseFile read_case(const std::string& path) {
  CaseFile file;
  file.path = path;
  file.name = std::filesystem::path(path).stem().string();
  std::istringstream lines(read_text(path));
  Section* section = nullptr;
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.rfind(kMark, 0) == 0) {
      const std::string name = trimmed(line.substr(kMark.size()));
      if (!is_one_of(kSections, name)) wrong(file, number, fmt::format("there is no section `{}`", name));
      if (file.sections.count(name) > 0) wrong(file, number, fmt::format("a second section `{}`", name));
      section = &file.sections[name];
      section->line = number + 1;
    } else if (section != nullptr) {
      section->text += line + "\n";
    } else {
      read_header(file, line, number);
    }
  }
  read_expectations(file);
  check(file);
  return file;
}

}  // namespace fxrules::cases
