// The directory of another program's model.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "dragoman/model/foreign/byte_source.h"

namespace dragoman::model {

class Package {
 public:
  explicit Package(std::filesystem::path directory) : path_(std::move(directory)) {}

  const std::filesystem::path& path() const { return path_; }
  // What a file is called in messages, in quotes; the directory itself if `file` is empty.
  std::string where(const std::string& file = "") const;

  bool has(const std::string& file) const;
  // The first of these files that is there.
  std::optional<std::string> first_of(const std::vector<std::string>& files) const;
  // These throw an Error if the file is missing or cannot be read. text() is for small files: it throws an Error if the
  // file is larger than 64 MiB.
  foreign::Bytes open(const std::string& file) const;
  std::string text(const std::string& file) const;

 private:
  std::filesystem::path path_;
};

}  // namespace dragoman::model
