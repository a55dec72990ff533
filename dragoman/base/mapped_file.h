// A file as memory, read when it is touched.
#pragma once

#include <cstddef>
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

  std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(start_), size_}; }

  // Takes the pages out of this process's memory; they stay in the system's cache while there is room, and come back
  // when they are touched. Without it, a process that jumps about in a file comes to hold all of it.
  void release_pages() const;

 private:
  void* start_ = nullptr;  // null for an empty file
  std::size_t size_ = 0;
};

}  // namespace dragoman
