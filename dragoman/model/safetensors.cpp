#include "dragoman/model/safetensors.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "dragoman/base/hash.h"
#include "dragoman/model/checked.h"

namespace dragoman::model {
namespace {

static_assert(std::endian::native == std::endian::little, "safetensors are little-endian");

constexpr std::uint64_t kLargestHeader = 100'000'000;  // the format's own limit
Json header_of(std::span<const nn::NamedTensor> tensors, const std::map<std::string, std::string>& metadata) {
  Json header = Json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  std::int64_t begin = 0;
  for (const nn::NamedTensor& tensor : tensors) {
    std::vector<std::int64_t> shape;
    for (int axis = 0; axis < tensor.shape.rank(); ++axis) shape.push_back(tensor.shape.dim(axis));
    const std::int64_t end = begin + tensor.shape.count() * static_cast<std::int64_t>(sizeof(float));
    header[tensor.name] = {{"dtype", "F32"}, {"shape", shape}, {"data_offsets", {begin, end}}};
    begin = end;
  }
  return header;
}

// A tensor's entry in the header; places count from the first byte after the header.
struct Place {
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0, end = 0;
};

bool is_list_of_sizes(const Json& list) {
  return list.is_array() && std::ranges::all_of(list, [](const Json& size) { return size.is_number_unsigned(); });
}

Place parse_place(const Json& entry, std::uint64_t data_bytes, const std::string& tensor) {
  require<Error>(json_entry<std::string>(entry, "dtype", tensor) == "F32", tensor, " is not of type F32.");
  const Json shape = json_entry<Json>(entry, "shape", tensor);
  const Json offsets = json_entry<Json>(entry, "data_offsets", tensor);
  require<Error>(is_list_of_sizes(shape) && is_list_of_sizes(offsets) && offsets.size() == 2, tensor,
                 " has a shape or a place that does not read.");
  Place place{.shape = {}, .begin = offsets[0].get<std::uint64_t>(), .end = offsets[1].get<std::uint64_t>()};
  require<Error>(place.begin <= place.end && place.end <= data_bytes, tensor,
                 " lies outside the file, which may be cut short.");
  Checked count = 1;
  for (const Json& size : shape) {
    place.shape.push_back(static_cast<std::int64_t>(size.get<std::uint64_t>()));
    if (place.shape.back() < 0) count.overflowed = true;
    count = count * place.shape.back();
  }
  const Checked bytes = count * sizeof(float);
  require<Error>(!bytes.overflowed && static_cast<std::uint64_t>(bytes.value) == place.end - place.begin, tensor,
                 " has a shape that does not fit its bytes.");
  return place;
}

}  // namespace

std::string write_safetensors(const std::filesystem::path& path, Backend& on, std::span<const nn::NamedTensor> tensors,
                              const std::map<std::string, std::string>& metadata) {
  std::string header = header_of(tensors, metadata).dump();
  header.resize((header.size() + 7) / 8 * 8, ' ');
  FileWriter file(path);
  Hash hash;
  const auto write = [&](const void* bytes, std::size_t count) {
    hash.add(bytes, count);
    file.write(bytes, count);
  };
  const std::uint64_t header_bytes = header.size();
  write(&header_bytes, sizeof header_bytes);
  write(header.data(), header.size());
  std::vector<float> host;
  for (const nn::NamedTensor& tensor : tensors) {
    tensor.values.for_row_ranges(nn::kStagedElements, [&](const Array& piece) {
      const ArenaScope scratch(on.arena());
      Array staged = on.empty(piece.shape(), DType::kFloat32);
      on.scaled(piece, 1.0, Sink::overwrite(staged));
      host.resize(static_cast<std::size_t>(piece.count()));
      on.copy_out(staged, host.data());
      write(host.data(), host.size() * sizeof(float));
    });
  }
  file.finish();
  return hash.hex();
}

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path) : path_(path) {
  file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  require<Error>(file_ >= 0, "cannot read '", path.string(), "' ", system_reason(), ".");
  try {
    struct stat status {};
    require<Error>(::fstat(file_, &status) == 0 && S_ISREG(status.st_mode), "'", path.string(), "' is not a file.");
    const auto file_bytes = static_cast<std::uint64_t>(status.st_size);
    std::uint64_t header_bytes = 0;
    require<Error>(file_bytes >= sizeof header_bytes, "'", path.string(), "' is cut short: it has no header.");
    read_bytes(0, &header_bytes, sizeof header_bytes);
    require<Error>(header_bytes <= kLargestHeader && header_bytes <= file_bytes - sizeof header_bytes, "'",
                   path.string(), "' is cut short, or not a safetensors file.");
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
    entries_.emplace(name, Entry{std::move(place.shape), data_begin + place.begin});
  }
  std::uint64_t next = 0;
  for (const auto& [begin, end] : places) {
    require<Error>(begin == next, where, " has tensors that overlap or leave gaps.");
    next = end;
  }
  require<Error>(next == file_bytes - data_begin, where, " has bytes that belong to no tensor.");
}

void SafetensorsFile::check_names(std::span<const nn::NamedTensor> tensors) const {
  for (const nn::NamedTensor& tensor : tensors) {
    const auto found = entries_.find(tensor.name);
    require<Error>(found != entries_.end(), "'", path_.string(), "' has no tensor '", tensor.name,
                   "', which this model needs.");
    const std::vector<std::int64_t>& shape = found->second.shape;
    bool equal = static_cast<int>(shape.size()) == tensor.shape.rank();
    std::string stored;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      equal = equal && shape[axis] == tensor.shape.dim(static_cast<int>(axis));
      stored += join(axis == 0 ? "" : ", ", shape[axis]);
    }
    require<Error>(equal, "'", path_.string(), "': the tensor '", tensor.name, "' is [", stored,
                   "], but this model needs ", tensor.shape, ".");
  }
  require<Error>(entries_.size() == tensors.size(), "'", path_.string(), "' has ", entries_.size(),
                 " tensors, but this model has ", tensors.size(), ".");
}

void SafetensorsFile::read(Backend& on, std::span<const nn::NamedTensor> tensors) const {
  check_names(tensors);
  std::vector<float> host;
  for (const nn::NamedTensor& tensor : tensors) {
    std::uint64_t begin = entries_.at(tensor.name).begin;
    tensor.values.for_row_ranges(nn::kStagedElements, [&](const Array& piece) {
      host.resize(static_cast<std::size_t>(piece.count()));
      const std::size_t bytes = host.size() * sizeof(float);
      read_bytes(begin, host.data(), bytes);
      begin += bytes;
      const ArenaScope scratch(on.arena());
      Array staged = on.empty(piece.shape(), DType::kFloat32);
      on.copy_in(host.data(), staged);
      on.scaled(staged, 1.0, Sink::overwrite(piece));
    });
  }
}

}  // namespace dragoman::model
