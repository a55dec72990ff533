// Writes zip files: packages of Argos. Members are stored as they are, because weights hardly become smaller.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "dragoman/base/files.h"

namespace dragoman::model::foreign {

class ZipWriter {
 public:
  explicit ZipWriter(const std::filesystem::path& path) : file_(path) {}

  // Adds a member with '/' between the parts of its path. Throws an Error if the zip file would become larger than 4
  // GiB, for which it would need an extension that not all programs read.
  void add(const std::string& name, std::string_view contents);
  void add_file(const std::string& name, const std::filesystem::path& path);
  // Writes the list of members, and flushes the file to the disk.
  void finish();

 private:
  void begin(const std::string& name, std::uint32_t checksum, std::uint64_t size);
  void require_size(std::uint64_t more) const;

  FileWriter file_;
  std::uint64_t written_ = 0;  // bytes
  std::uint16_t members_ = 0;
  std::string directory_;  // the list of members
};

}  // namespace dragoman::model::foreign
