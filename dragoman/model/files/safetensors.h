// Reads and writes files in the safetensors format: eight bytes with the length of the header, the header (JSON: for
// each name the type, the shape and the place of the data), and the data of the tensors. Reads and writes float32,
// bfloat16 and 8-bit integers; reads float16, which other programs write.
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

enum class StoredType : std::uint8_t { kF32, kF16, kBF16, kI8 };

// Describes a tensor of a file.
struct TensorLabel {
  std::string name;
  std::vector<std::int64_t> shape;
  StoredType type = StoredType::kF32;

  std::int64_t count() const;
  bool operator==(const TensorLabel&) const = default;
};

// Writes a file from front to back.
class SafetensorsWriter {
 public:
  // `metadata` are names and values that other programs look for.
  SafetensorsWriter(const std::filesystem::path& path, std::span<const TensorLabel> labels,
                    const std::map<std::string, std::string>& metadata = {});
  // Each call writes the next values: tensor after tensor in the order of the labels, each with the function for its
  // type, which is not float16. write_bfloat16 rounds to the nearest.
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

// A file opened for reading. The constructor checks all sizes, types and places; for a damaged file, or one of another
// format, it throws an Error that names the file.
class SafetensorsFile {
 public:
  explicit SafetensorsFile(const std::filesystem::path& path);
  ~SafetensorsFile();
  SafetensorsFile(const SafetensorsFile&) = delete;
  SafetensorsFile& operator=(const SafetensorsFile&) = delete;

  // All tensors, in the order of their data.
  std::vector<TensorLabel> labels() const;
  const std::filesystem::path& path() const { return path_; }
  bool has(const std::string& name) const { return entries_.contains(name); }
  std::size_t count() const { return entries_.size(); }
  // Shape and type of a tensor; requires has(name).
  const std::vector<std::int64_t>& shape(const std::string& name) const { return entries_.at(name).shape; }
  StoredType type(const std::string& name) const { return entries_.at(name).type; }

  // Reads values.size() values of a tensor, from `first` on. Requires has(name), and that the tensor has at least first
  // + values.size() values. Throws an Error if the tensor holds integers and `values` floats, or the other way round.
  void read(const std::string& name, std::int64_t first, std::span<float> values) const;
  void read(const std::string& name, std::int64_t first, std::span<std::int8_t> values) const;

 private:
  struct Entry {
    std::vector<std::int64_t> shape;
    StoredType type;
    std::uint64_t begin = 0;  // offset of its data from the start of the file
  };

  void parse_header(const std::string& text, std::uint64_t data_begin, std::uint64_t file_bytes);
  void read_bytes(std::uint64_t begin, void* to, std::size_t count) const;

  std::filesystem::path path_;
  int file_ = -1;
  std::map<std::string, Entry> entries_;
};

}  // namespace dragoman::model
