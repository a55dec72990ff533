// The safetensors format: eight bytes with the header's length, the header (JSON: name -> type, shape, place), and the
// tensors' bytes. Files written here hold float32.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "dragoman/nn/parameters.h"

namespace dragoman::model {

// Writes the tensors' values in their order and flushes them to the disk; returns the file's Hash in hex. `metadata`
// is a list of names and texts for whoever opens the file.
std::string write_safetensors(const std::filesystem::path& path, Backend& on, std::span<const nn::NamedTensor> tensors,
                              const std::map<std::string, std::string>& metadata = {});

// A file opened for reading. Sizes, types and places are checked before anything is read: a foreign or damaged file
// gives an Error that names it.
class SafetensorsFile {
 public:
  explicit SafetensorsFile(const std::filesystem::path& path);
  ~SafetensorsFile();
  SafetensorsFile(const SafetensorsFile&) = delete;
  SafetensorsFile& operator=(const SafetensorsFile&) = delete;

  struct Entry {
    std::vector<std::int64_t> shape;
    std::uint64_t begin = 0;  // of its bytes, from the start of the file
  };
  const std::map<std::string, Entry>& entries() const { return entries_; }

  // Reads every tensor of the list. Throws an Error unless the file holds exactly these names with these shapes.
  void read(Backend& on, std::span<const nn::NamedTensor> tensors) const;

 private:
  void parse_header(const std::string& text, std::uint64_t data_begin, std::uint64_t file_bytes);
  void check_names(std::span<const nn::NamedTensor> tensors) const;
  void read_bytes(std::uint64_t begin, void* to, std::size_t count) const;

  std::filesystem::path path_;
  int file_ = -1;
  std::map<std::string, Entry> entries_;
};

}  // namespace dragoman::model
