// Zip files: the names in one, a member's text, and a copy in which one member is another. Members are copied
// piece by piece as they are stored: weights are never held.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "fxrules/formats.hpp"

namespace fxrules::pt2 {

// Says what is wrong with an archive, as "the table of contents is damaged".
class ArchiveError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Archive {
 public:
  explicit Archive(const std::string& path);
  explicit Archive(std::string_view bytes);  // which outlive this
  ~Archive();
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] std::uint64_t size_of(std::size_t member) const;
  // The member's text in a string with `room` more bytes of capacity.
  [[nodiscard]] std::string read(std::size_t member, std::size_t room);
  // A zip file of the same members in the same order, stored as they were, but for `replaced`, whose text is
  // `content`. With `align` each member's bytes start at a multiple of 64, as torch lays them out for mapping.
  void copy(std::size_t replaced, const std::function<void(const Sink&)>& content, bool align, const Sink& sink,
            const Patch& patch);

 private:
  struct Zip;
  void list();
  std::unique_ptr<Zip> zip_;
  std::vector<std::string> names_;
};

// A zip file as torch.export.save lays it out, with that program and no weights.
void write_new_archive(const std::function<void(const Sink&)>& program, const Sink& sink, const Patch& patch);

}  // namespace fxrules::pt2
