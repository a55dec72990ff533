// The files of another program's model: in a directory, or in a zip file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dragoman/model/foreign/byte_source.h"
#include "dragoman/model/foreign/zip.h"

namespace dragoman::model {

class Package {
 public:
  // A directory, or a zip file, whose files are in its only directory. Throws an Error if it is neither, or damaged.
  explicit Package(const std::filesystem::path& from);
  // A directory in this one.
  Package inside(const std::string& folder) const;

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
  std::shared_ptr<const foreign::ZipFile> zip_;  // null for a directory
  std::string folder_;                           // of the files in the zip file, with a '/' at its end
};

}  // namespace dragoman::model
