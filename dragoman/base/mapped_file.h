// A memory-mapped file for reading: the system loads a page when it is first accessed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace dragoman {

class MappedFile {
 public:
  // Throws an Error if the file cannot be opened or mapped, or is none.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  // Pages that are accessed, and pages around them, stay in this process's memory.
  std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(start_), size_}; }

  // Copies `count` bytes that start at `offset` and keeps no page in memory: for scattered bytes of a file larger than
  // memory, each read once. Throws an Error if the file is too short or the disk fails.
  void read(std::uint64_t offset, void* to, std::size_t count) const;

 private:
  std::filesystem::path path_;
  int file_ = -1;
  void* start_ = nullptr;  // null for an empty file
  std::size_t size_ = 0;
};

}  // namespace dragoman
