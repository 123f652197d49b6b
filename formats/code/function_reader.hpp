// Reads one `def forward` into a graph: its signature, the ways in which inputs are unpacked, its body.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "formats/code/reporter.hpp"
#include "formats/code/statement.hpp"

namespace fxrules::code {

class FunctionReader {
 public:
  FunctionReader(Reporter& reporter, Graph& graph, CodeStyle& style, const Imports& imports);

  // Reads the function whose `def` stands on the line at `line`; where its text ends.
  std::size_t read(std::size_t line);

 private:
  struct Parameter {
    std::string_view stars, name, alias;
    Annotation annotation;
    std::size_t at = 0, default_at = std::string_view::npos, default_end = 0;
    bool made = false;
  };

  bool signature(std::size_t def);
  std::size_t parameter(std::size_t at);
  std::size_t end_of_default(std::size_t at) const;
  void head();
  bool boxed(std::size_t line);
  bool annotations_line(std::size_t begin, std::size_t end);
  bool unpacked(std::size_t begin, std::size_t end);
  void find_aliases();
  void make_parameters(std::size_t end);
  bool alias_line(std::string_view name, std::size_t at, std::size_t& next);

  void body();
  bool statement(std::size_t line, std::size_t at);
  void skip_broken(std::size_t line);
  void take_lead(std::size_t end);
  void after_return();
  void finish();
  void learn_freed();
  void report_unknown();

  [[nodiscard]] std::size_t line_end(std::size_t at) const { return std::min(text_.find('\n', at), text_.size()); }
  [[nodiscard]] std::size_t next_line(std::size_t at) const { return std::min(line_end(at) + 1, text_.size()); }
  [[nodiscard]] std::size_t first_of(std::size_t line) const;  // the first character that is no blank
  [[nodiscard]] std::size_t first_statement(std::size_t line) const;
  [[nodiscard]] bool blank_at(std::size_t at) const { return at >= text_.size() || text_[at] == '\n'; }

  Reporter& reporter_;
  std::string_view text_;
  Graph& graph_;
  CodeStyle& style_;
  Scope scope_;
  StatementReader statements_;
  std::vector<Parameter> parameters_;
  std::unordered_map<std::string_view, std::size_t> by_name_;
  std::size_t made_ = 0;  // parameters that have their nodes
  std::size_t def_ = 0, at_ = 0, end_ = 0, lead_begin_ = 0, return_at_ = 0, signature_end_ = 0;
  std::uint32_t lead_ = 0;
  bool returned_ = false, self_seen_ = false;
  std::size_t skipped_ = 0, skipped_at_ = 0;
  std::unordered_set<std::string_view> broken_;  // names of statements that could not be read
  std::string leaves_;
};

}  // namespace fxrules::code
