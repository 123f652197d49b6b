#include "tests/arrows/arrows.hpp"

#include <algorithm>
#include <fstream>
#include <optional>
#include <string_view>

namespace fxrules::arrows {
namespace {

namespace fs = std::filesystem;

const std::string kPublicFolder = "include/fxrules";
const std::string kEverybody = "everybody";

bool contains(const std::vector<std::string>& list, const std::string& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

bool is_below(const std::string& path, const std::string& folder) { return path.rfind(folder + "/", 0) == 0; }

struct Include {
  std::string path;
  bool angled;
};

// The include of a line that has one.
std::optional<Include> include_of(std::string_view line) {
  const auto skip_blanks = [&] { line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size())); };
  const auto skip = [&](std::string_view word) {
    skip_blanks();
    if (line.substr(0, word.size()) != word) return false;
    line.remove_prefix(word.size());
    return true;
  };
  if (!skip("#") || !skip("include")) return {};
  skip_blanks();
  if (line.empty()) return {};
  const bool angled = line.front() == '<';
  const std::size_t end = line.find(angled ? '>' : '"', 1);
  if (end == std::string_view::npos) return {};
  return Include{std::string(line.substr(1, end - 1)), angled};
}

class Reader {
 public:
  Reader(fs::path root, const std::vector<Room>& rooms, const std::vector<std::string>& common_headers)
      : root_(std::move(root)), rooms_(rooms), common_headers_(common_headers) {}

  Findings read() {
    for (const std::string& path : sources()) read_file(path);
    return std::move(findings_);
  }

 private:
  // Paths below the root, with slashes, sorted.
  [[nodiscard]] std::vector<std::string> sources() const {
    std::vector<std::string> paths;
    for (const char* top : {"include", "engine", "formats", "dsl", "cli", "python"}) {
      if (!fs::exists(root_ / top)) continue;
      for (const auto& entry : fs::recursive_directory_iterator(root_ / top)) {
        const std::string extension = entry.path().extension().string();
        if (extension != ".cpp" && extension != ".hpp" && extension != ".inc") continue;
        paths.push_back(entry.path().lexically_relative(root_).generic_string());
      }
    }
    std::sort(paths.begin(), paths.end());
    return paths;
  }

  // The folder of the room that a file belongs to; `everybody`; or nothing.
  [[nodiscard]] std::string owner(const std::string& path) const {
    const std::string name = is_below(path, kPublicFolder) ? path.substr(kPublicFolder.size() + 1) : "";
    if (!name.empty() && contains(common_headers_, name)) return kEverybody;
    for (const Room& room : rooms_) {
      if (is_below(path, room.folder) || contains(room.headers, name)) return room.folder;
    }
    return {};
  }

  void read_file(const std::string& path) {
    ++findings_.files;
    const std::string folder = owner(path);
    if (folder.empty()) return wrong(path, 1, "belongs to no room: name it in tests/arrows/rooms.hpp");
    std::ifstream in(root_ / path);
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) {
      const std::optional<Include> include = include_of(line);
      if (!include) continue;
      ++findings_.includes;
      check(path, number, folder, *include);
    }
  }

  void check(const std::string& path, int line, const std::string& folder, const Include& include) {
    const Room* room = room_at(folder);
    const std::string first = include.path.substr(0, include.path.find('/'));
    const bool of_the_system = first == include.path || first == "sys";
    if (include.angled && first != "fxrules") {
      const bool allowed = of_the_system || (room != nullptr && contains(room->libraries, first));
      if (!allowed) wrong(path, line, folder + " may not use the library <" + include.path + ">");
      return;
    }
    const std::string target = resolve(path, include.path);
    if (target.empty()) return wrong(path, line, "no such file: " + include.path);
    const std::string target_folder = owner(target);
    const bool allowed = target_folder == folder || target_folder == kEverybody ||
                         (room != nullptr && contains(room->uses, target_folder));
    if (!allowed) wrong(path, line, folder + " may not include " + target);
  }

  [[nodiscard]] const Room* room_at(const std::string& folder) const {
    const auto found = std::find_if(rooms_.begin(), rooms_.end(), [&](const Room& r) { return r.folder == folder; });
    return found == rooms_.end() ? nullptr : &*found;
  }

  // Where the compiler would find it: beside the file, below the root or in include/.
  [[nodiscard]] std::string resolve(const std::string& path, const std::string& included) const {
    for (const fs::path& base : {fs::path(path).parent_path(), fs::path(), fs::path("include")}) {
      const fs::path candidate = (base / included).lexically_normal();
      if (fs::is_regular_file(root_ / candidate)) return candidate.generic_string();
    }
    return {};
  }

  void wrong(const std::string& path, int line, const std::string& what) {
    findings_.wrong.push_back(path + ":" + std::to_string(line) + ": " + what);
  }

  fs::path root_;
  const std::vector<Room>& rooms_;
  const std::vector<std::string>& common_headers_;
  Findings findings_;
};

}  // namespace

Findings read_includes(const fs::path& root, const std::vector<Room>& rooms,
                       const std::vector<std::string>& common_headers) {
  return Reader(root, rooms, common_headers).read();
}

}  // namespace fxrules::arrows
