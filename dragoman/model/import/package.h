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
#include "dragoman/text/vocabulary_limits.h"

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
  // These throw an Error if the file is missing or cannot be read. open() is for weights.
  foreign::Bytes open(const std::string& file) const;
  // The size of a file as it is stored: in a zip file it may be packed.
  std::uint64_t stored_bytes(const std::string& file) const;
  // The text of a file of settings. Throws an Error if it is larger than 1 MiB.
  std::string text(const std::string& file) const;
  // The text of a list of words, such as a SentencePiece model. Throws an Error if it is larger than the limits allow.
  std::string words(const std::string& file, const text::VocabularyLimits& limits) const;

 private:
  std::string text(const std::string& file, std::uint64_t most) const;

  std::filesystem::path path_;
  std::shared_ptr<const foreign::ZipFile> zip_;  // null for a directory
  std::string folder_;                           // of the files in the zip file, with a '/' at its end
};

}  // namespace dragoman::model
