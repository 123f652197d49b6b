// The catalogue's names: which ops, signatures and spellings its files hold, and where each signature
// stands. Built line by line without reading a signature.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/catalogue/facts.hpp"
#include "engine/catalogue/line_head.hpp"
#include "engine/catalogue/name_table.hpp"
#include "fxrules/catalogue.hpp"

namespace fxrules::catalogue {

struct OpRecord {
  std::string_view full_name;                    // "aten::add"
  OverloadId first, last;                        // chain through SignatureRecord::next
  std::string_view method, function, operator_;  // preferred spellings; `method` without its dot
  OpTag tags = OpTag::none;                      // of every overload
  std::string_view functional;                   // as the overlay says; "" when nothing
};

struct SignatureRecord {
  OpId op;
  OverloadId next;
  std::string_view name;     // overload, or target of a Python signature
  std::string_view body;     // "(…) -> … | facts"
  OpTag tags = OpTag::none;  // said elsewhere than on its line
  std::uint32_t source = 0;
  bool python = false;
  bool replaced = false;  // by a line of a later source
};

struct PathRecord {
  std::string_view target;   // "torch.add", "operator.add", method "add"
  std::string_view printed;  // where FX prints this path otherwise
  OpId op;
  SpellingStyle style = SpellingStyle::function;
  bool reflected = false;
  std::uint32_t source = 0;
  bool plain = false;  // listed without a signature: the schemas hold
};

struct IndexError {
  std::string_view at;
  std::string message;
};

class Index {
 public:
  Index();

  // Adds every line of a source, which must outlive the index; what cannot be understood goes to `errors`.
  // Facts about an op that no line before declares are errors.
  void add(std::string_view text, std::vector<IndexError>& errors);

  [[nodiscard]] std::optional<OpId> find_op(std::string_view full_name) const;
  [[nodiscard]] const PathRecord* find_path(std::string_view target) const;
  [[nodiscard]] const PathRecord* find_method(std::string_view name) const;
  // Tags of every op of a name space (`c10d::* | effect`).
  [[nodiscard]] OpTag namespace_tags(std::string_view name_space) const;

  [[nodiscard]] const std::vector<OpRecord>& ops() const { return ops_; }
  [[nodiscard]] const std::vector<SignatureRecord>& signatures() const { return signatures_; }
  [[nodiscard]] std::optional<OpId> role(std::string_view name) const;
  [[nodiscard]] const GraphCall* graph_call(OpId op) const;

 private:
  struct Role {
    std::string_view name;
    OpId op;
  };
  struct NamespaceTags {
    std::string_view name_space;
    OpTag tags;
  };

  void add_line(std::string_view line, std::vector<IndexError>& errors);
  void add_schema(const LineHead& head);
  void add_python(const LineHead& head);
  void add_spellings(const LineHead& head, std::vector<IndexError>& errors);
  void add_facts(const LineHead& head, std::vector<IndexError>& errors);
  void add_op_facts(OpId op, const Facts& facts);
  void add_facts_of(std::string_view name, const Facts& facts, std::vector<IndexError>& errors);
  void add_overload_tags(OpId op, std::string_view overload, const Facts& facts, std::string_view at,
                         std::vector<IndexError>& errors);
  OpId op_for(std::string_view full_name);
  PathRecord& path_for(std::string_view target);
  void append(OpId op, SignatureRecord record);
  void prefer(OpId op, const PathRecord& path);

  std::vector<OpRecord> ops_;
  std::vector<SignatureRecord> signatures_;
  std::vector<PathRecord> paths_;
  NameTable op_names_, path_names_, method_names_;
  std::vector<Role> roles_;
  std::vector<NamespaceTags> namespaces_;
  std::map<std::uint32_t, GraphCall> graph_calls_;  // by op
  std::uint32_t source_ = 0;
  OpId last_op_;  // lines come grouped by op
};

}  // namespace fxrules::catalogue
