#include "dragoman/train/report/events.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "dragoman/base/crc32.h"
#include "dragoman/base/fields_json.h"
#include "dragoman/train/report/metrics.h"

namespace dragoman::train {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBeginning = "events.out.tfevents.", kEnding = ".dragoman";

// The value's bytes, the lowest first.
template <class Integer>
std::string little_endian(Integer value) {
  std::string bytes;
  for (std::size_t i = 0; i < sizeof value; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xFF);
  return bytes;
}

// Seven bits a byte, the lowest first; the high bit says that more follow.
std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value > 0x7F; value >>= 7) bytes += static_cast<char>((value & 0x7F) | 0x80);
  return bytes + static_cast<char>(value);
}

// Fields of a protocol buffer. A field begins with its number and its wire type.
enum WireType : std::uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };
std::string key(int field, WireType type) { return varint(static_cast<std::uint64_t>(field << 3 | type)); }
std::string double_field(int field, double value) {
  return key(field, kFixed64) + little_endian(std::bit_cast<std::uint64_t>(value));
}
std::string float_field(int field, float value) {
  return key(field, kFixed32) + little_endian(std::bit_cast<std::uint32_t>(value));
}
std::string bytes_field(int field, std::string_view bytes) {
  return key(field, kBytes) + varint(bytes.size()) + std::string(bytes);
}

// A checksum of data that contains checksums would be weak, so they are stored rotated and shifted.
std::uint32_t masked_crc(std::string_view data) { return std::rotr(crc32c(data), 15) + 0xA282EAD8; }

// Removes the event files that runs in this directory wrote; those of other programs stay.
const fs::path& without_old_files(const fs::path& directory) {
  make_directory(directory);
  for (const fs::path& path : list_directory(directory)) {
    const std::string name = path.filename().string();
    if (name.starts_with(kBeginning) && name.ends_with(kEnding)) remove_file(path);
  }
  return directory;
}

// TensorBoard reads the files of a directory in the order of their names.
fs::path file_in(const fs::path& directory, double time) {
  return directory / fmt::format("{}{:010}{}", kBeginning, static_cast<std::int64_t>(time), kEnding);
}

}  // namespace

std::string tf_record(std::string_view data) {
  const std::string length = little_endian(static_cast<std::uint64_t>(data.size()));
  return length + little_endian(masked_crc(length)) + std::string(data) + little_endian(masked_crc(data));
}

std::string version_event(double time) { return double_field(1, time) + bytes_field(3, "brain.Event:2"); }

std::string record_event(const Json& record, double time) {
  const std::string group = record.at("kind") == "validation" ? "validation/" : "train/";
  std::string summary;
  for (const auto& [name, value] : record.items()) {
    if (name == "step" || name == "time" || !(value.is_number() || value.is_null())) continue;
    const float number = value.is_null() ? std::numeric_limits<float>::quiet_NaN() : value.get<float>();
    summary += bytes_field(1, bytes_field(1, group + name) + float_field(2, number));
  }
  return double_field(1, record.value("time", time)) + key(2, kVarint) +
         varint(record.at("step").get<std::uint64_t>()) + bytes_field(5, summary);
}

EventFile::EventFile(const fs::path& directory, std::span<const Json> records)
    : start_(unix_time()), file_(file_in(without_old_files(directory), start_)) {
  std::string events = tf_record(version_event(start_));
  for (const Json& record : records) events += tf_record(record_event(record, start_));
  file_.append(events);
}

void EventFile::add(const Json& record) { file_.append(tf_record(record_event(record, start_))); }

}  // namespace dragoman::train
