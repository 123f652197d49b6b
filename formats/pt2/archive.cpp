// zlib's minizip does the zip format; this file gives it memory to read from and a sink to write to.
#include "formats/pt2/archive.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>

#include <fmt/format.h>
#include <minizip/unzip.h>
#include <minizip/zip.h>

namespace fxrules::pt2 {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;
constexpr std::uint64_t kAlignment = 64;
constexpr std::uint64_t kZip64 = 0xFFFFFFFFu;

// ---------------------------------------------------------------- an archive in memory

struct Memory {
  std::string_view bytes;
  std::uint64_t at = 0;
};

std::uint64_t moved(std::uint64_t at, std::uint64_t end, std::uint64_t by, int origin) {
  return origin == ZLIB_FILEFUNC_SEEK_SET ? by : (origin == ZLIB_FILEFUNC_SEEK_END ? end : at) + by;
}

void* open_memory(void* opaque, const void*, int) { return opaque; }
unsigned long read_memory(void*, void* stream, void* buffer, unsigned long size) {
  auto& memory = *static_cast<Memory*>(stream);
  if (memory.at >= memory.bytes.size()) return 0;
  const std::string_view piece = memory.bytes.substr(memory.at, size);
  std::memcpy(buffer, piece.data(), piece.size());
  memory.at += piece.size();
  return piece.size();
}
unsigned long no_write(void*, void*, const void*, unsigned long) { return 0; }
ZPOS64_T tell_memory(void*, void* stream) { return static_cast<Memory*>(stream)->at; }
long seek_memory(void*, void* stream, ZPOS64_T by, int origin) {
  auto& memory = *static_cast<Memory*>(stream);
  memory.at = moved(memory.at, memory.bytes.size(), by, origin);
  return memory.at <= memory.bytes.size() ? 0 : -1;
}
int nothing(void*, void*) { return 0; }

// ---------------------------------------------------------------- an archive that is written

// What is written behind the end goes to the sink; headers are completed through the patch. Exceptions do not
// pass through the library: they wait until it has returned.
struct Output {
  const Sink& sink;
  const Patch& patch;
  std::uint64_t at = 0, end = 0;
  std::exception_ptr failure = {};
};

void* open_output(void* opaque, const void*, int) { return opaque; }
unsigned long no_read(void*, void*, void*, unsigned long) { return 0; }
unsigned long write_output(void*, void* stream, const void* buffer, unsigned long size) {
  auto& out = *static_cast<Output*>(stream);
  const std::string_view piece(static_cast<const char*>(buffer), size);
  try {
    if (out.at == out.end) {
      out.sink(piece);
    } else {
      out.patch(out.at, piece);
    }
  } catch (...) {
    out.failure = std::current_exception();
    return 0;
  }
  out.at += size;
  out.end = std::max(out.end, out.at);
  return size;
}
ZPOS64_T tell_output(void*, void* stream) { return static_cast<Output*>(stream)->at; }
long seek_output(void*, void* stream, ZPOS64_T by, int origin) {
  auto& out = *static_cast<Output*>(stream);
  out.at = moved(out.at, out.end, by, origin);
  return out.at <= out.end ? 0 : -1;
}
int has_failed(void*, void* stream) { return static_cast<Output*>(stream)->failure ? 1 : 0; }

// A field that readers skip, of the length that puts the member's bytes at a multiple of 64.
std::string padding(std::uint64_t header, std::size_t name, bool zip64) {
  constexpr std::uint64_t kHeader = 30, kZip64Field = 20, kField = 4;
  const std::uint64_t start = header + kHeader + name + (zip64 ? kZip64Field : 0) + kField;
  const std::size_t length = (kAlignment - start % kAlignment) % kAlignment;
  std::string field{'F', 'B', static_cast<char>(length), '\0'};
  return field + std::string(length, 'Z');
}

// A zip file that goes to a sink, member by member.
class Writer {
 public:
  Writer(const Sink& sink, const Patch& patch) : output_{sink, patch} {
    zlib_filefunc64_def functions{open_output, no_read, write_output, tell_output,
                                  seek_output, nothing, has_failed,   &output_};
    zip_ = zipOpen2_64("", APPEND_STATUS_CREATE, nullptr, &functions);
  }
  ~Writer() {
    if (zip_ != nullptr) zipClose(zip_, nullptr);
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void add(const std::string& name, const std::function<void(const Sink&)>& content) {
    const std::string field = padding(output_.end, name.size(), false);
    zip_fileinfo info{};
    if (zipOpenNewFileInZip3_64(zip_, name.c_str(), &info, field.data(), static_cast<unsigned>(field.size()), nullptr,
                                0, nullptr, 0, 0, 0, -MAX_WBITS, DEF_MEM_LEVEL, Z_DEFAULT_STRATEGY, nullptr, 0,
                                0) != ZIP_OK)
      fail(name);
    content([&](std::string_view text) { write(name, text); });
    if (zipCloseFileInZip(zip_) != ZIP_OK) fail(name);
  }

  void close() {
    const zipFile last = std::exchange(zip_, nullptr);
    if (zipClose(last, nullptr) != ZIP_OK || output_.failure) fail("table of contents");
  }

 private:
  void write(const std::string& name, std::string_view text) {
    for (; !text.empty(); text.remove_prefix(std::min(kPiece, text.size()))) {
      const std::string_view some = text.substr(0, kPiece);
      if (zipWriteInFileInZip(zip_, some.data(), static_cast<unsigned>(some.size())) != ZIP_OK) fail(name);
    }
  }
  [[noreturn]] void fail(const std::string& name) const {
    if (output_.failure) std::rethrow_exception(output_.failure);
    throw ArchiveError(fmt::format("its member `{}` cannot be written", name));
  }

  Output output_;
  zipFile zip_ = nullptr;
};

}  // namespace

void write_new_archive(const std::function<void(const Sink&)>& program, const Sink& sink, const Patch& patch) {
  // Torch wants each of them; an empty pickle stands for no sample inputs.
  constexpr std::string_view kNoWeights = R"({"config": {}})";
  const auto text = [](std::string_view content) { return [content](const Sink& out) { out(content); }; };
  Writer zip(sink, patch);
  zip.add("model/data/weights/model_weights_config.json", text(kNoWeights));
  zip.add("model/data/constants/model_constants_config.json", text(kNoWeights));
  zip.add("model/models/model.json", program);
  zip.add("model/data/sample_inputs/model.pt", text(""));
  zip.add("model/archive_format", text("pt2"));
  zip.add("model/archive_version", text("0"));
  zip.add("model/.data/version", text("6\n"));
  zip.add("model/byteorder", text("little"));
  zip.close();
}

struct Archive::Zip {
  unzFile file = nullptr;
  Memory memory;
  std::vector<unz64_file_pos> places;
  std::vector<unz_file_info64> facts;
  std::string name;  // for messages

  ~Zip() {
    if (file != nullptr) unzClose(file);
  }
  void go_to(std::size_t member) {
    if (unzGoToFilePos64(file, &places[member]) != UNZ_OK) damaged(member);
  }
  [[noreturn]] void damaged(std::size_t member) const {
    throw ArchiveError(fmt::format("its member {} cannot be read", member));
  }
};

Archive::Archive(const std::string& path) : zip_(std::make_unique<Zip>()) {
  zip_->file = unzOpen64(path.c_str());
  list();
}

Archive::Archive(std::string_view bytes) : zip_(std::make_unique<Zip>()) {
  zip_->memory.bytes = bytes;
  zlib_filefunc64_def functions{open_memory, read_memory, no_write, tell_memory,
                                seek_memory, nothing,     nothing,  &zip_->memory};
  zip_->file = unzOpen2_64("", &functions);
  list();
}

Archive::~Archive() = default;

void Archive::list() {
  if (zip_->file == nullptr) throw ArchiveError("its table of contents is damaged or missing");
  int status = unzGoToFirstFile(zip_->file);
  while (status == UNZ_OK) {
    unz_file_info64 facts{};
    unz64_file_pos place{};
    if (unzGetCurrentFileInfo64(zip_->file, &facts, nullptr, 0, nullptr, 0, nullptr, 0) != UNZ_OK ||
        unzGetFilePos64(zip_->file, &place) != UNZ_OK)
      throw ArchiveError("its table of contents is damaged");
    std::string name(facts.size_filename, '\0');
    unzGetCurrentFileInfo64(zip_->file, nullptr, name.data(), name.size(), nullptr, 0, nullptr, 0);
    names_.push_back(std::move(name));
    zip_->facts.push_back(facts);
    zip_->places.push_back(place);
    status = unzGoToNextFile(zip_->file);
  }
  if (status != UNZ_END_OF_LIST_OF_FILE) throw ArchiveError("its table of contents is damaged");
}

std::uint64_t Archive::size_of(std::size_t member) const { return zip_->facts[member].uncompressed_size; }

std::string Archive::read(std::size_t member, std::size_t room) {
  zip_->go_to(member);
  const auto damaged = [&] { return ArchiveError(fmt::format("its member `{}` is damaged", names_[member])); };
  if ((zip_->facts[member].flag & 1) != 0)
    throw ArchiveError(fmt::format("its member `{}` is encrypted", names_[member]));
  if (unzOpenCurrentFile(zip_->file) != UNZ_OK) throw damaged();
  std::string text;
  const std::uint64_t size = size_of(member);
  text.reserve(std::min(size, kZip64) + room);
  std::string piece(kPiece, '\0');
  int got = 0;
  while ((got = unzReadCurrentFile(zip_->file, piece.data(), kPiece)) > 0)
    text.append(piece.data(), static_cast<std::size_t>(got));
  const bool whole = unzCloseCurrentFile(zip_->file) == UNZ_OK && got == 0 && text.size() == size;
  if (!whole) throw damaged();
  if (text.capacity() - text.size() < room) text.reserve(text.size() + room);
  return text;
}

void Archive::copy(std::size_t replaced, const std::function<void(const Sink&)>& content, bool align, const Sink& sink,
                   const Patch& patch) {
  Output output{sink, patch};
  zlib_filefunc64_def functions{open_output, no_read, write_output, tell_output,
                                seek_output, nothing, has_failed,   &output};
  zipFile zip = zipOpen2_64("", APPEND_STATUS_CREATE, nullptr, &functions);
  const auto fail = [&](std::size_t member) {
    if (output.failure) std::rethrow_exception(output.failure);
    throw ArchiveError(fmt::format("its member `{}` cannot be copied", names_[member]));
  };
  struct Closer {
    zipFile& zip;
    ~Closer() {
      if (zip != nullptr) zipClose(zip, nullptr);
    }
  } closer{zip};
  std::string piece(kPiece, '\0');
  for (std::size_t m = 0; m < names_.size(); ++m) {
    const unz_file_info64& facts = zip_->facts[m];
    const bool is_content = m == replaced;
    const bool zip64 = facts.uncompressed_size >= kZip64 / 2 || facts.compressed_size >= kZip64 / 2;
    const std::string field = align ? padding(output.end, names_[m].size(), zip64) : "";
    zip_fileinfo info{};
    info.dosDate = facts.dosDate;
    info.internal_fa = facts.internal_fa;
    info.external_fa = facts.external_fa;
    constexpr unsigned kKeptFlags = 0x806;  // UTF-8 names, how it was deflated
    const int method = is_content ? 0 : static_cast<int>(facts.compression_method);
    if (zipOpenNewFileInZip4_64(zip, names_[m].c_str(), &info, field.data(), static_cast<unsigned>(field.size()),
                                nullptr, 0, nullptr, method, 0, is_content ? 0 : 1, -MAX_WBITS, DEF_MEM_LEVEL,
                                Z_DEFAULT_STRATEGY, nullptr, 0, facts.version,
                                facts.flag & (is_content ? 0x800u : kKeptFlags), zip64 ? 1 : 0) != ZIP_OK)
      fail(m);
    if (is_content) {
      content([&](std::string_view text) {
        while (!text.empty()) {
          const std::string_view some = text.substr(0, kPiece);
          if (zipWriteInFileInZip(zip, some.data(), static_cast<unsigned>(some.size())) != ZIP_OK) fail(m);
          text.remove_prefix(some.size());
        }
      });
      if (zipCloseFileInZip(zip) != ZIP_OK) fail(m);
      continue;
    }
    if ((facts.flag & 1) != 0) throw ArchiveError(fmt::format("its member `{}` is encrypted", names_[m]));
    zip_->go_to(m);
    int unused_method = 0, unused_level = 0;
    if (unzOpenCurrentFile2(zip_->file, &unused_method, &unused_level, 1) != UNZ_OK) fail(m);
    std::uint64_t copied = 0;
    int got = 0;
    while ((got = unzReadCurrentFile(zip_->file, piece.data(), kPiece)) > 0) {
      if (zipWriteInFileInZip(zip, piece.data(), static_cast<unsigned>(got)) != ZIP_OK) fail(m);
      copied += static_cast<std::uint64_t>(got);
    }
    unzCloseCurrentFile(zip_->file);
    if (got < 0 || copied != facts.compressed_size) fail(m);
    if (zipCloseFileInZipRaw64(zip, facts.uncompressed_size, facts.crc) != ZIP_OK) fail(m);
  }
  zipFile last = zip;
  zip = nullptr;
  if (zipClose(last, nullptr) != ZIP_OK || output.failure) fail(replaced);
}

}  // namespace fxrules::pt2
