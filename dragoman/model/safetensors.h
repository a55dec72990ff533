// The safetensors format: eight bytes with the header's length, the header (JSON: name -> type, shape, place), and the
// tensors' bytes. Files written here hold float32.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "dragoman/base/files.h"
#include "dragoman/base/hash.h"
#include "dragoman/nn/parameters.h"

namespace dragoman::model {

struct TensorLabel {
  std::string name;
  std::vector<std::int64_t> shape;

  std::int64_t count() const;
  bool operator==(const TensorLabel&) const = default;
};

// A file written from front to back.
class SafetensorsWriter {
 public:
  SafetensorsWriter(const std::filesystem::path& path, std::span<const TensorLabel> labels);
  // The next values, tensor after tensor in the order of the labels.
  void write(std::span<const float> values);
  // Flushes the file to the disk and returns its Hash in hex.
  std::string finish();

 private:
  void write_bytes(const void* bytes, std::size_t count);

  FileWriter file_;
  Hash hash_;
};

// The tensors' values as a file; returns its Hash in hex.
std::string write_safetensors(const std::filesystem::path& path, Backend& on, std::span<const nn::NamedTensor> tensors);

// A file opened for reading. Sizes, types and places are checked before anything is read: a foreign or damaged file
// gives an Error that names it.
class SafetensorsFile {
 public:
  explicit SafetensorsFile(const std::filesystem::path& path);
  ~SafetensorsFile();
  SafetensorsFile(const SafetensorsFile&) = delete;
  SafetensorsFile& operator=(const SafetensorsFile&) = delete;

  // In the order of their values.
  std::vector<TensorLabel> labels() const;
  // The values of the tensor from `first` on, as many as `values` has room for. The tensor must be there and hold them.
  void read(const std::string& name, std::int64_t first, std::span<float> values) const;
  // Reads every tensor of the list. Throws an Error unless the file holds exactly these names with these shapes.
  void read(Backend& on, std::span<const nn::NamedTensor> tensors) const;

 private:
  struct Entry {
    std::vector<std::int64_t> shape;
    std::uint64_t begin = 0;  // of its bytes, from the start of the file
  };

  void parse_header(const std::string& text, std::uint64_t data_begin, std::uint64_t file_bytes);
  void check_names(std::span<const nn::NamedTensor> tensors) const;
  void read_bytes(std::uint64_t begin, void* to, std::size_t count) const;

  std::filesystem::path path_;
  int file_ = -1;
  std::map<std::string, Entry> entries_;
};

}  // namespace dragoman::model
