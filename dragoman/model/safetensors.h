// The safetensors format: eight bytes with the header's length, the header (JSON: name -> type, shape, place), and the
// tensors' bytes. Files written here hold float32, bfloat16 or 8-bit integers, and these are read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "dragoman/base/files.h"
#include "dragoman/base/hash.h"

namespace dragoman::model {

enum class StoredType : std::uint8_t { kF32, kBF16, kI8 };

struct TensorLabel {
  std::string name;
  std::vector<std::int64_t> shape;
  StoredType type = StoredType::kF32;

  std::int64_t count() const;
  bool operator==(const TensorLabel&) const = default;
};

// A file written from front to back.
class SafetensorsWriter {
 public:
  SafetensorsWriter(const std::filesystem::path& path, std::span<const TensorLabel> labels);
  // The next values, tensor after tensor in the order of the labels and of their types. Numbers become bfloat16 by
  // rounding to the nearest.
  void write(std::span<const float> values);
  void write_bfloat16(std::span<const float> values);
  void write(std::span<const std::int8_t> values);
  // Flushes the file to the disk and returns its Hash in hex.
  std::string finish();

 private:
  void write_bytes(const void* bytes, std::size_t count);

  FileWriter file_;
  Hash hash_;
};

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
  const std::filesystem::path& path() const { return path_; }
  bool has(const std::string& name) const { return entries_.contains(name); }
  std::size_t count() const { return entries_.size(); }
  // Of a tensor that is there.
  const std::vector<std::int64_t>& shape(const std::string& name) const { return entries_.at(name).shape; }
  StoredType type(const std::string& name) const { return entries_.at(name).type; }

  // The values of the tensor from `first` on, as many as `values` has room for. The tensor must be there and hold them.
  // Throws an Error if it is made of integers where numbers are wanted, or the other way round.
  void read(const std::string& name, std::int64_t first, std::span<float> values) const;
  void read(const std::string& name, std::int64_t first, std::span<std::int8_t> values) const;

 private:
  struct Entry {
    std::vector<std::int64_t> shape;
    StoredType type;
    std::uint64_t begin = 0;  // of its bytes, from the start of the file
  };

  void parse_header(const std::string& text, std::uint64_t data_begin, std::uint64_t file_bytes);
  void read_bytes(std::uint64_t begin, void* to, std::size_t count) const;

  std::filesystem::path path_;
  int file_ = -1;
  std::map<std::string, Entry> entries_;
};

}  // namespace dragoman::model
