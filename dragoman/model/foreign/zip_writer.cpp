#include "dragoman/model/foreign/zip_writer.h"

#include <limits>

#include "dragoman/base/crc32.h"
#include "dragoman/model/foreign/zip_format.h"

namespace dragoman::model::foreign {
namespace {

using namespace zip_format;

constexpr std::uint16_t kNeededVersion = 20;      // to read such a file: 2.0
constexpr std::uint16_t kNamesAreUtf8 = 1 << 11;  // a flag
constexpr std::uint32_t kTime = 0x0021'0000;      // 1 January 1980, the earliest that there is

template <class Number>
void append(std::string& text, Number value) {
  text.append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace

void ZipWriter::require_size(std::uint64_t more) const {
  require<Error>(written_ + directory_.size() + kEndBytes + more <= std::numeric_limits<std::uint32_t>::max(),
                 "the package would be larger than 4 GiB, which zip files of this kind cannot be.");
}

void ZipWriter::begin(const std::string& name, std::uint32_t checksum, std::uint64_t size) {
  require_size(kHeaderBytes + kEntryBytes + 2 * name.size() + size);
  std::string common;  // what the header of the member and its entry in the list share
  append(common, kNeededVersion);
  append(common, kNamesAreUtf8);
  append(common, kStored);
  append(common, kTime);
  append(common, checksum);
  append(common, static_cast<std::uint32_t>(size));  // packed
  append(common, static_cast<std::uint32_t>(size));
  append(common, static_cast<std::uint16_t>(name.size()));
  append(common, std::uint16_t{0});  // length of further fields

  append(directory_, kEntry);
  append(directory_, kNeededVersion);
  directory_ += common;
  directory_.append(10, '\0');  // length of a comment, disk, and attributes
  append(directory_, static_cast<std::uint32_t>(written_));
  directory_ += name;
  ++members_;

  std::string header;
  append(header, kHeader);
  header += common + name;
  file_.write(header);
  written_ += header.size() + size;
}

void ZipWriter::add(const std::string& name, std::string_view contents) {
  begin(name, crc32(contents), contents.size());
  file_.write(contents);
}

void ZipWriter::add_file(const std::string& name, const std::filesystem::path& path) {
  std::uint32_t checksum = 0;
  std::uint64_t size = 0;
  read_blocks(path, [&](std::string_view block) {
    checksum = crc32(block, checksum);
    size += block.size();
  });
  begin(name, checksum, size);
  read_blocks(path, [&](std::string_view block) { file_.write(block); });
}

void ZipWriter::finish() {
  std::string end;
  append(end, kEnd);
  append(end, std::uint32_t{0});  // disks
  append(end, members_);          // on this disk
  append(end, members_);
  append(end, static_cast<std::uint32_t>(directory_.size()));
  append(end, static_cast<std::uint32_t>(written_));
  append(end, std::uint16_t{0});  // length of a comment
  file_.write(directory_);
  file_.write(end);
  file_.finish();
}

}  // namespace dragoman::model::foreign
