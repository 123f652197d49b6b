// Reads one graph: its lines to nodes, users checked, every problem reported.
#pragma once

#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "formats/text_ir/header.hpp"
#include "formats/text_ir/statement.hpp"
#include "fxrules/column.hpp"
#include "fxrules/formats.hpp"

namespace fxrules::text_ir {

class GraphReader {
 public:
  GraphReader(const SourcePtr& source, const ReadOptions& options);

  // Where the graph ends in the text; the file gets everything but the texts around the graph.
  std::size_t read(const Header& header);
  [[nodiscard]] GraphFile& file() { return file_; }

 private:
  struct Defined {
    std::uint32_t users = 0;     // as the text says
    std::uint32_t users_at = 0;  // where it says so
  };
  struct Unknown {
    std::size_t at, length;
  };

  void start(const Header& header);
  bool line(const Line& line);
  void node(const Line& line, std::size_t at);
  bool parse(const Line& line, std::size_t at);
  void define(std::size_t at);
  bool return_line(const Line& line, std::size_t at);
  void build_arguments();
  MetaId meta_of(std::string_view text);
  bool other_line(const Line& line, std::size_t body);
  void learn_style(const Line& line, std::size_t body, std::size_t indent);
  [[nodiscard]] std::size_t continuation_end(std::size_t from) const;
  [[nodiscard]] bool starts_statement(const Line& line) const;

  [[nodiscard]] std::size_t place_of(NodeId node) const;
  void finish();
  void check_users();
  bool report_lost_use(NodeId node, std::uint32_t count);
  void report_unknown();
  void report_skipped();
  void report(Severity severity, std::string kind, std::string message, std::size_t begin, std::size_t end,
              std::string hint = {});
  void report(const Problem& problem);
  [[nodiscard]] Span span(std::size_t begin, std::size_t end) const;

  SourcePtr source_;
  std::string_view text_;
  std::size_t max_errors_;
  GraphFile file_;
  std::optional<Statement> statement_;
  std::optional<CallBuilder> builder_;
  bool indent_known_ = false, returned_ = false, style_known_ = false;
  bool after_error_ = false;                            // lines behind a broken one belong to it
  std::size_t end_ = 0;                                 // behind the last line that belongs to the graph
  Column<Defined> defined_;                             // by node id
  std::unordered_map<std::string_view, MetaId> metas_;  // by text, which many nodes share; none: kept as text
  std::vector<Unknown> unknown_;
  std::vector<ArgumentScanner::Mention> mentions_;
  std::unordered_set<std::string_view> broken_;  // names of lines that could not be read
  struct Skipped {
    std::size_t begin = 0, end = 0, count = 0;
  };
  Skipped pending_, skipped_;  // behind the last node; between nodes
  Skipped prefixed_;           // lines with something in front of the node
  std::size_t errors_ = 0;
};

}  // namespace fxrules::text_ir
