// The files of another program's model: a directory, or a folder in a zip file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/model/foreign/byte_source.h"
#include "dragoman/model/foreign/zip.h"

namespace dragoman::model {

class Package {
 public:
  // Files of a directory.
  explicit Package(std::filesystem::path directory) : path_(std::move(directory)) {}
  // Files of a zip file whose names begin with `folder`, which is empty or ends with '/'.
  Package(std::filesystem::path file, std::shared_ptr<const foreign::ZipFile> zip, std::string folder)
      : path_(std::move(file)), zip_(std::move(zip)), folder_(std::move(folder)) {}

  const std::filesystem::path& path() const { return path_; }
  // What a file is called in messages, in quotes; the package itself if `file` is empty.
  std::string where(const std::string& file = "") const;

  bool has(const std::string& file) const;
  // The first of these files that is there.
  std::optional<std::string> first_of(const std::vector<std::string>& files) const;
  // These throw an Error if the file is missing, or damaged in the zip file. text() is for small files: it throws an
  // Error if the file is larger than 64 MiB.
  foreign::Bytes open(const std::string& file) const;
  std::string text(const std::string& file) const;

 private:
  std::filesystem::path path_;
  std::shared_ptr<const foreign::ZipFile> zip_;  // null for a directory
  std::string folder_;
};

}  // namespace dragoman::model
