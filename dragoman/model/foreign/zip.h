// Reads zip files, with the extension for large files (zip64): packages of Argos, and PyTorch's checkpoints.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "dragoman/model/foreign/byte_source.h"

namespace dragoman::model::foreign {

// Whether the bytes begin as a zip file does.
bool looks_like_zip(const ByteSource& bytes);

class ZipFile {
 public:
  // Reads the list of members. Throws an Error if the file is damaged, or has a member that is encrypted, packed with
  // another method than deflate, or named so that its path would leave the directory that it is unpacked in.
  explicit ZipFile(Bytes bytes);

  // The paths of all members but directories, sorted, with '/' between their parts.
  std::vector<std::string> names() const;
  bool has(const std::string& name) const { return members_.contains(name); }
  // The bytes of a member in the file, which may be packed. Throws an Error if there is no such member.
  std::uint64_t stored_bytes(const std::string& name) const { return member(name).packed_size; }

  // These return the contents of a member, after its checksum was checked. They throw an Error if there is no such
  // member, or if it is damaged. A stored member is read from the file when it is needed; a packed one is unpacked into
  // memory. text() is for settings and lists of words: it refuses a member of more than `most` bytes before it unpacks
  // anything. open() is for weights, which hardly become smaller: it refuses a packed member of more than 1 MiB and
  // three times its packed size, or more than 1 GiB. open_stored() refuses all packed members: PyTorch packs none.
  std::string text(const std::string& name, std::uint64_t most) const;
  Bytes open(const std::string& name) const;
  Bytes open_stored(const std::string& name) const;

 private:
  struct Member {
    bool packed = false;
    std::uint32_t checksum = 0;
    std::uint64_t packed_size = 0, size = 0;
    std::uint64_t header = 0;  // offset of its header in the file
  };
  struct Directory {
    std::uint64_t begin = 0, size = 0, count = 0;
  };
  Directory find_directory() const;
  Directory find_large_directory(std::uint64_t end) const;
  void read_member(ByteCursor& cursor);
  const Member& member(const std::string& name) const;
  void require_size(const std::string& name, std::uint64_t most) const;
  Bytes contents(const std::string& name) const;

  Bytes bytes_;
  std::map<std::string, Member> members_;
};

}  // namespace dragoman::model::foreign
