// A case: rules, a graph, what must become of it. tests/cases/README.md describes the files.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace fxrules::cases {

struct Section {
  std::string text;
  std::size_t line = 0;  // of its first line, from 1
};

struct CaseFile {
  std::string path, name;
  std::map<std::string, std::string> headers;          // rules, options
  std::map<std::string, Section> sections;             // rules, inputs, before, after, unchanged, report
  std::vector<std::vector<std::string>> expectations;  // words of the lines of `report`
};

// Throws std::runtime_error with a sentence for what is no case.
[[nodiscard]] CaseFile read_case(const std::string& path);
[[nodiscard]] std::string read_text(const std::string& path);
void write_text(const std::string& path, const std::string& text);

}  // namespace fxrules::cases
