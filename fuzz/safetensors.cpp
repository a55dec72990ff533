// Fuzzes the safetensors loader: for any bytes, it reads every tensor of the file or throws an Error.
#include "dragoman/model/files/safetensors.h"

#include <algorithm>

#include "dragoman/base/error.h"
#include "fuzz/scratch_file.h"

namespace dragoman::fuzz {
namespace {

template <class Value>
void read_all(const model::SafetensorsFile& file, const model::TensorLabel& label) {
  std::vector<Value> values(static_cast<std::size_t>(label.count()));
  file.read(label.name, 0, std::span<Value>(values));
}

void read_as_file(std::string_view bytes) {
  static const ScratchFile scratch("model.safetensors");
  scratch.hold(bytes);
  try {
    const model::SafetensorsFile file(scratch.path());
    for (const model::TensorLabel& label : file.labels()) {
      if (label.type == model::StoredType::kI8) {
        read_all<std::int8_t>(file, label);
      } else {
        read_all<float>(file, label);
      }
    }
  } catch (const Error&) {
  }
}

}  // namespace
}  // namespace dragoman::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dragoman::fuzz;
  const std::string_view bytes = as_text(data, size);
  read_as_file(bytes);
  // In the first reading, most changes that make the header longer or shorter are refused, because the length in front
  // of the header is then wrong. So a second reading takes the bytes up to the first zero as the header and the rest as
  // values, and puts the right length in front.
  const std::uint64_t header = std::min(bytes.find('\0'), size);
  const std::string_view values = bytes.substr(std::min<std::size_t>(header + 1, size));
  read_as_file(std::string(reinterpret_cast<const char*>(&header), sizeof header)
                   .append(bytes.substr(0, header))
                   .append(values));
  return 0;
}
