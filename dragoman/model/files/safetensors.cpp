#include "dragoman/model/files/safetensors.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <iterator>
#include <string_view>

#include "dragoman/base/fields_json.h"
#include "dragoman/base/half.h"
#include "dragoman/model/checked.h"

namespace dragoman::model {
namespace {

static_assert(std::endian::native == std::endian::little, "safetensors are little-endian");

// The format allows 100 MB, but a parsed header takes up to 27 times its size. So the largest header that is read grows
// with the data behind it. Without data it is enough for 8,000 tensors.
constexpr std::uint64_t largest_header(std::uint64_t data_bytes) { return (1 << 20) + data_bytes / 16; }

struct TypeName {
  StoredType type;
  const char* name;
  std::int64_t bytes;
};
constexpr TypeName kTypes[] = {{StoredType::kF32, "F32", 4},
                               {StoredType::kF16, "F16", 2},
                               {StoredType::kBF16, "BF16", 2},
                               {StoredType::kI8, "I8", 1}};

const TypeName& type_entry(StoredType type) { return *std::ranges::find(kTypes, type, &TypeName::type); }

Json header_of(std::span<const TensorLabel> labels) {
  Json header = Json::object();
  std::int64_t begin = 0;
  for (const TensorLabel& label : labels) {
    const std::int64_t end = begin + label.count() * type_entry(label.type).bytes;
    header[label.name] = {
        {"dtype", type_entry(label.type).name}, {"shape", label.shape}, {"data_offsets", {begin, end}}};
    begin = end;
  }
  return header;
}

// A tensor's entry in the header. `begin` and `end` are offsets from the first byte after the header.
struct Place {
  StoredType type;
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0, end = 0;
};

bool is_list_of_sizes(const Json& list) {
  return list.is_array() && std::ranges::all_of(list, [](const Json& size) { return size.is_number_unsigned(); });
}

Place parse_place(const Json& entry, std::uint64_t data_bytes, const std::string& tensor) {
  const auto type_name = json_entry<std::string>(entry, "dtype", tensor);
  const auto* type = std::ranges::find(kTypes, std::string_view(type_name), &TypeName::name);
  require<Error>(type != std::end(kTypes), tensor, " is of type '", type_name,
                 "'; this program reads F32, F16, BF16 and I8.");
  const Json shape = json_entry<Json>(entry, "shape", tensor);
  const Json offsets = json_entry<Json>(entry, "data_offsets", tensor);
  require<Error>(is_list_of_sizes(shape) && is_list_of_sizes(offsets) && offsets.size() == 2, tensor,
                 " has a shape or data_offsets that cannot be read.");
  Place place{.type = type->type,
              .shape = {},
              .begin = offsets[0].get<std::uint64_t>(),
              .end = offsets[1].get<std::uint64_t>()};
  require<Error>(place.begin <= place.end, tensor, " lies outside the file.");
  // `tensor` begins with the name of the file.
  require<Error>(place.end <= data_bytes, tensor.substr(0, tensor.find("': ") + 1), " is cut short; copy it again.");
  Checked count = 1;
  for (const Json& size : shape) {
    place.shape.push_back(static_cast<std::int64_t>(size.get<std::uint64_t>()));
    if (place.shape.back() < 0) count.overflowed = true;
    count = count * place.shape.back();
  }
  const Checked bytes = count * type->bytes;
  require<Error>(!bytes.overflowed && static_cast<std::uint64_t>(bytes.value) == place.end - place.begin, tensor,
                 " has a shape that does not fit its bytes.");
  return place;
}

}  // namespace

std::int64_t TensorLabel::count() const {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count *= size;
  return count;
}

SafetensorsWriter::SafetensorsWriter(const std::filesystem::path& path, std::span<const TensorLabel> labels,
                                     const std::map<std::string, std::string>& metadata)
    : file_(path) {
  Json entries = Json::object();
  if (!metadata.empty()) entries["__metadata__"] = metadata;
  entries.update(header_of(labels));
  std::string header = entries.dump();
  header.resize((header.size() + 7) / 8 * 8, ' ');  // so that the data begins at a multiple of 8 bytes
  const std::uint64_t header_bytes = header.size();
  write_bytes(&header_bytes, sizeof header_bytes);
  write_bytes(header.data(), header.size());
}

void SafetensorsWriter::write(std::span<const float> values) { write_bytes(values.data(), values.size_bytes()); }

void SafetensorsWriter::write(std::span<const std::int8_t> values) { write_bytes(values.data(), values.size_bytes()); }

void SafetensorsWriter::write_bfloat16(std::span<const float> values) {
  std::vector<std::uint16_t> halves;
  halves.reserve(values.size());
  for (const float value : values) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;  // to nearest, ties to even
    const std::uint32_t quiet_nan = bits >> 16 | 0x40;  // the set bit keeps a NaN from becoming infinity
    halves.push_back(static_cast<std::uint16_t>(std::isnan(value) ? quiet_nan : rounded));
  }
  write_bytes(halves.data(), halves.size() * sizeof(std::uint16_t));
}

void SafetensorsWriter::write_bytes(const void* bytes, std::size_t count) {
  hash_.add(bytes, count);
  file_.write(bytes, count);
}

std::string SafetensorsWriter::finish() {
  file_.finish();
  return hash_.hex();
}

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path) : path_(path) {
  // O_NONBLOCK: do not wait for a pipe; it is refused below.
  file_ = open_file(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  require<Error>(file_ >= 0, "cannot read '", path.string(), "' ", system_reason(), ".");
  try {
    struct stat status {};
    require<Error>(::fstat(file_, &status) == 0 && S_ISREG(status.st_mode), "'", path.string(), "' is not a file.");
    const auto file_bytes = static_cast<std::uint64_t>(status.st_size);
    std::uint64_t header_bytes = 0;
    require<Error>(file_bytes >= sizeof header_bytes, "'", path.string(), "' is cut short: it has no header.");
    read_bytes(0, &header_bytes, sizeof header_bytes);
    require<Error>(header_bytes <= file_bytes - sizeof header_bytes, "'", path.string(),
                   "' is cut short, or not a safetensors file.");
    const std::uint64_t largest = largest_header(file_bytes - sizeof header_bytes - header_bytes);
    require<Error>(header_bytes <= largest, "'", path.string(), "' has a header of ", header_bytes,
                   " bytes, or is not a safetensors file; a header of at most ", largest, " bytes is read.");
    std::string header(header_bytes, '\0');
    read_bytes(sizeof header_bytes, header.data(), header.size());
    parse_header(header, sizeof header_bytes + header_bytes, file_bytes);
  } catch (...) {
    ::close(file_);
    throw;
  }
}

SafetensorsFile::~SafetensorsFile() { ::close(file_); }

void SafetensorsFile::read_bytes(std::uint64_t begin, void* to, std::size_t count) const {
  for (auto* next = static_cast<char*>(to); count > 0;) {
    const ssize_t got = ::pread(file_, next, count, static_cast<off_t>(begin));
    if (got < 0 && errno == EINTR) continue;
    require<Error>(got >= 0, "cannot read '", path_.string(), "' ", system_reason(), ".");
    require<Error>(got > 0, "'", path_.string(), "' became shorter while it was read.");
    next += got;
    begin += static_cast<std::uint64_t>(got);
    count -= static_cast<std::size_t>(got);
  }
}

void SafetensorsFile::parse_header(const std::string& text, std::uint64_t data_begin, std::uint64_t file_bytes) {
  const std::string where = "'" + path_.string() + "'";
  const Json header = parse_json(text, where);
  require<Error>(header.is_object(), where, " has a header that is not an object.");
  std::map<std::uint64_t, std::uint64_t> places;  // begin -> end
  for (const auto& [name, value] : header.items()) {
    if (name == "__metadata__") continue;
    const std::string tensor = where + ": the tensor '" + name + "'";
    Place place = parse_place(value, file_bytes - data_begin, tensor);
    if (place.begin < place.end) {
      const bool is_new = places.try_emplace(place.begin, place.end).second;
      require<Error>(is_new, tensor, " shares its bytes with another.");
    }
    entries_.emplace(name, Entry{std::move(place.shape), place.type, data_begin + place.begin});
  }
  std::uint64_t next = 0;
  for (const auto& [begin, end] : places) {
    require<Error>(begin == next, where, " has tensors that overlap or leave gaps.");
    next = end;
  }
  require<Error>(next == file_bytes - data_begin, where, " has bytes that belong to no tensor.");
}

std::vector<TensorLabel> SafetensorsFile::labels() const {
  std::vector<std::pair<std::uint64_t, TensorLabel>> placed;
  for (const auto& [name, entry] : entries_) placed.push_back({entry.begin, {name, entry.shape, entry.type}});
  std::ranges::stable_sort(placed, {}, [](const auto& tensor) { return tensor.first; });
  std::vector<TensorLabel> labels;
  for (auto& [begin, label] : placed) labels.push_back(std::move(label));
  return labels;
}

void SafetensorsFile::read(const std::string& name, std::int64_t first, std::span<float> values) const {
  const Entry& entry = entries_.at(name);
  const auto place = [&](std::size_t bytes) { return entry.begin + static_cast<std::uint64_t>(first) * bytes; };
  if (entry.type == StoredType::kF32) return read_bytes(place(sizeof(float)), values.data(), values.size_bytes());
  require<Error>(entry.type != StoredType::kI8, "'", path_.string(), "': the tensor '", name,
                 "' holds 8-bit integers, but floats are needed.");
  std::vector<std::uint16_t> halves(values.size());
  read_bytes(place(sizeof(std::uint16_t)), halves.data(), halves.size() * sizeof(std::uint16_t));
  const auto widened = entry.type == StoredType::kF16 ? float_from_float16 : float_from_bfloat16;
  std::ranges::transform(halves, values.begin(), widened);
}

void SafetensorsFile::read(const std::string& name, std::int64_t first, std::span<std::int8_t> values) const {
  const Entry& entry = entries_.at(name);
  require<Error>(entry.type == StoredType::kI8, "'", path_.string(), "': the tensor '", name,
                 "' does not hold 8-bit integers.");
  read_bytes(entry.begin + static_cast<std::uint64_t>(first), values.data(), values.size_bytes());
}

}  // namespace dragoman::model
