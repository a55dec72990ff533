#include "dragoman/model/foreign/zip.h"

#include <algorithm>

#include "dragoman/base/crc32.h"
#include "dragoman/base/error.h"
#include "dragoman/base/printable.h"
#include "dragoman/model/checked.h"
#include "dragoman/model/foreign/inflate.h"
#include "dragoman/model/foreign/zip_format.h"

namespace dragoman::model::foreign {
namespace {

using namespace zip_format;

// Parts of the extension for large files.
constexpr std::uint32_t kLargeEnd = 0x06064B50, kLargeEndLocator = 0x07064B50;
constexpr std::uint64_t kLocatorBytes = 20;
constexpr std::uint64_t kLongestComment = 0xFFFF;
// These values mean that the number is in the extension for large files.
constexpr std::uint16_t kElsewhere16 = 0xFFFF;
constexpr std::uint32_t kElsewhere32 = 0xFFFFFFFF;
constexpr std::uint16_t kLargeSizes = 1;  // the kind of extra field with numbers of 64 bits

constexpr std::uint64_t kLargestDirectory = 8 << 20;
constexpr std::uint64_t kMostMembers = 50'000;
constexpr std::uint64_t kLargestUnpacked = std::uint64_t{1} << 30;
// How much larger than their packed bytes weights may be. (Numbers of bfloat16 stored as float32 come near 2.3.)
constexpr std::uint64_t kBestRatioOfWeights = 3, kAlwaysUnpacked = 1 << 20;
// No stream of deflate unpacks to more than this many times its size.
constexpr std::uint64_t kBestRatio = 1032;

// Whether a path stays inside the directory in which the file is unpacked.
bool stays_inside(const std::string& name) {
  if (name.empty() || name.front() == '/' || name.find_first_of(std::string_view("\\:\0", 3)) != std::string::npos) {
    return false;
  }
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    if (name.substr(begin, end - begin) == "..") return false;
    begin = end + 1;
  }
  return true;
}

void check_sum(const ByteSource& contents, std::uint32_t expected, const std::string& member) {
  std::uint32_t sum = 0;
  for (std::uint64_t done = 0; done < contents.size();) {
    const std::string block = contents.text(done, std::min<std::uint64_t>(contents.size() - done, 1 << 20));
    sum = crc32(block, sum);
    done += block.size();
  }
  require<Error>(sum == expected, contents.name(), " is damaged: its member ", in_quotes(member),
                 " has another checksum than its header says.");
}

}  // namespace

bool looks_like_zip(const ByteSource& bytes) {
  if (bytes.size() < kEndBytes) return false;
  std::uint32_t signature = 0;
  bytes.read(0, &signature, sizeof signature);
  return signature == kHeader || signature == kEnd;
}

ZipFile::ZipFile(Bytes bytes) : bytes_(std::move(bytes)) {
  const Directory directory = find_directory();
  require<Error>(directory.begin <= bytes_->size() && directory.size <= bytes_->size() - directory.begin,
                 bytes_->name(), " is damaged: its list of members is outside the file.");
  require<Error>(directory.size <= kLargestDirectory && directory.count <= directory.size / kEntryBytes, bytes_->name(),
                 " is damaged: its list of members has a wrong size.");
  require<Error>(directory.count <= kMostMembers, bytes_->name(), " has ", directory.count, " members; at most ",
                 kMostMembers, " are read.");
  ByteCursor cursor(part_of(bytes_, directory.begin, directory.size));
  for (std::uint64_t i = 0; i < directory.count; ++i) read_member(cursor);
  // Members that share bytes could unpack to far more than the file's size.
  Checked packed = 0;
  for (const auto& [name, member] : members_) packed = packed + static_cast<std::int64_t>(member.packed_size);
  require<Error>(packed.at_most(static_cast<std::int64_t>(directory.begin)), bytes_->name(),
                 " is damaged: its members are larger than the file.");
}

ZipFile::Directory ZipFile::find_directory() const {
  // The end record is the last thing in the file, except for a comment.
  const std::uint64_t tail = std::min<std::uint64_t>(bytes_->size(), kEndBytes + kLongestComment);
  const std::string text = bytes_->text(bytes_->size() - tail, tail);
  for (std::size_t at = text.rfind("PK\5\6"); at != std::string::npos && text.size() >= kEndBytes;
       at = at == 0 ? std::string::npos : text.rfind("PK\5\6", at - 1)) {
    if (at + kEndBytes > text.size()) continue;
    const std::uint64_t end = bytes_->size() - tail + at;
    ByteCursor cursor(bytes_, end);
    cursor.skip(sizeof kEnd);
    const auto disk = cursor.number<std::uint16_t>(), directory_disk = cursor.number<std::uint16_t>();
    cursor.skip(sizeof(std::uint16_t));  // members on this disk
    const auto count = cursor.number<std::uint16_t>();
    const auto size = cursor.number<std::uint32_t>(), begin = cursor.number<std::uint32_t>();
    const auto comment = cursor.number<std::uint16_t>();
    if (cursor.remaining() != comment) continue;
    if (count == kElsewhere16 || size == kElsewhere32 || begin == kElsewhere32) return find_large_directory(end);
    require<Error>(disk == 0 && directory_disk == 0, bytes_->name(), " is one part of a zip file in several parts.");
    return {.begin = begin, .size = size, .count = count};
  }
  throw Error(join(bytes_->name(), " is not a zip file, or is cut short."));
}

ZipFile::Directory ZipFile::find_large_directory(std::uint64_t end) const {
  require<Error>(end >= kLocatorBytes, bytes_->name(), " is damaged: the end of the zip file is not complete.");
  ByteCursor locator(bytes_, end - kLocatorBytes);
  require<Error>(locator.number<std::uint32_t>() == kLargeEndLocator, bytes_->name(),
                 " is damaged: the end of the zip file is not complete.");
  locator.skip(sizeof(std::uint32_t));  // the disk
  const auto begin = locator.number<std::uint64_t>();
  require<Error>(begin < bytes_->size(), bytes_->name(), " is damaged: its end record is outside the file.");
  ByteCursor record(bytes_, begin);
  require<Error>(record.number<std::uint32_t>() == kLargeEnd, bytes_->name(),
                 " is damaged: its end record is not where it should be.");
  // The record's size, two versions, two disks, and the number of members on this disk.
  record.skip(8 + 2 + 2 + 4 + 4 + 8);
  Directory directory;
  directory.count = record.number<std::uint64_t>();
  directory.size = record.number<std::uint64_t>();
  directory.begin = record.number<std::uint64_t>();
  return directory;
}

void ZipFile::read_member(ByteCursor& cursor) {
  const std::string damaged = bytes_->name() + " is damaged: ";
  require<Error>(cursor.number<std::uint32_t>() == kEntry, damaged, "its list of members cannot be read.");
  cursor.skip(4);  // versions
  const auto flags = cursor.number<std::uint16_t>(), method = cursor.number<std::uint16_t>();
  cursor.skip(4);  // time and date
  Member member{.packed = method == kDeflated, .checksum = cursor.number<std::uint32_t>()};
  member.packed_size = cursor.number<std::uint32_t>();
  member.size = cursor.number<std::uint32_t>();
  const auto name_bytes = cursor.number<std::uint16_t>(), extra_bytes = cursor.number<std::uint16_t>(),
             comment_bytes = cursor.number<std::uint16_t>();
  cursor.skip(2 + 2 + 4);  // disk and attributes
  member.header = cursor.number<std::uint32_t>();
  const std::string name = cursor.text(name_bytes);

  const std::uint64_t extra_end = cursor.position() + extra_bytes;
  while (cursor.position() + 4 <= extra_end) {
    const auto kind = cursor.number<std::uint16_t>(), bytes = cursor.number<std::uint16_t>();
    const std::uint64_t field_end = cursor.position() + bytes;
    require<Error>(field_end <= extra_end, damaged, "its list of members cannot be read.");
    if (kind == kLargeSizes) {
      for (std::uint64_t* value : {&member.size, &member.packed_size, &member.header}) {
        if (*value == kElsewhere32 && cursor.position() + 8 <= field_end) *value = cursor.number<std::uint64_t>();
      }
    }
    cursor.skip(field_end - cursor.position());
  }
  cursor.skip(extra_end - cursor.position() + comment_bytes);

  const std::string which = bytes_->name() + ": the member " + in_quotes(name);
  require<Error>(stays_inside(name), which, " has a name that leaves the directory.");
  if (name.back() == '/') return;
  require<Error>((flags & 1) == 0, which, " is encrypted.");
  require<Error>(method == kStored || method == kDeflated, which, " is packed with method ", method,
                 "; this program reads stored and deflated members.");
  const std::uint64_t file = bytes_->size();
  require<Error>(member.header <= file && member.packed_size <= file - member.header, damaged, "its member ",
                 in_quotes(name), " is outside the file.");
  require<Error>(member.packed ? member.size / kBestRatio <= member.packed_size : member.size == member.packed_size,
                 damaged, "its member ", in_quotes(name), " has sizes that do not fit.");
  require<Error>(members_.emplace(name, member).second, damaged, "it has two members ", in_quotes(name), ".");
}

std::vector<std::string> ZipFile::names() const {
  std::vector<std::string> names;
  for (const auto& [name, member] : members_) names.push_back(name);
  return names;
}

const ZipFile::Member& ZipFile::member(const std::string& name) const {
  const auto found = members_.find(name);
  require<Error>(found != members_.end(), bytes_->name(), " has no member ", in_quotes(name), ".");
  return found->second;
}

std::string ZipFile::text(const std::string& name, std::uint64_t most) const {
  require_size(name, most);
  const Bytes bytes = contents(name);
  return bytes->text(0, bytes->size());
}

Bytes ZipFile::open(const std::string& name) const {
  const Member& opened = member(name);
  if (opened.packed) {
    require_size(name, std::min(kLargestUnpacked, kAlwaysUnpacked + kBestRatioOfWeights * opened.packed_size));
  }
  return contents(name);
}

Bytes ZipFile::open_stored(const std::string& name) const {
  require<Error>(!member(name).packed, bytes_->name(), ": the member ", in_quotes(name),
                 " is packed, which torch.save does not do; save the model again.");
  return contents(name);
}

void ZipFile::require_size(const std::string& name, std::uint64_t most) const {
  const Member& opened = member(name);
  require<Error>(
      opened.size <= most, bytes_->name(), ": the member ", in_quotes(name), " has ", opened.size, " bytes",
      opened.packed ? " when it is unpacked" : "", "; at most ", most,
      opened.packed ? " are read. If the file is not damaged, unpack it and import the directory." : " are read.");
}

Bytes ZipFile::contents(const std::string& name) const {
  const Member& member = this->member(name);
  ByteCursor cursor(bytes_, member.header);
  require<Error>(cursor.number<std::uint32_t>() == kHeader, bytes_->name(), " is damaged: its member ", in_quotes(name),
                 " has no header.");
  // The two lengths at the end of the header; the list of members has the other numbers.
  cursor.skip(kHeaderBytes - sizeof kHeader - 4);
  const auto name_bytes = cursor.number<std::uint16_t>(), extra_bytes = cursor.number<std::uint16_t>();
  Bytes contents = part_of(bytes_, cursor.position() + name_bytes + extra_bytes, member.packed_size);
  if (member.packed) {
    const std::string& quoted = bytes_->name();
    contents = memory_bytes(inflate(*contents, member.size), quoted.substr(1, quoted.size() - 2));
  }
  check_sum(*contents, member.checksum, name);
  return contents;
}

}  // namespace dragoman::model::foreign
