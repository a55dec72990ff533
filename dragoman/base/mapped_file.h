// A file as memory, read when it is touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace dragoman {

class MappedFile {
 public:
  // Throws an Error if the file cannot be opened or mapped.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  // What is touched stays in this process's memory, with the pages around it.
  std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(start_), size_}; }

  // Copies `count` bytes from `offset` on and keeps no page: for what is read once, here and there, in a file larger
  // than memory. Throws an Error if the file ends before or the disk fails.
  void read(std::uint64_t offset, void* to, std::size_t count) const;

 private:
  std::filesystem::path path_;
  int file_ = -1;
  void* start_ = nullptr;  // null for an empty file
  std::size_t size_ = 0;
};

}  // namespace dragoman
