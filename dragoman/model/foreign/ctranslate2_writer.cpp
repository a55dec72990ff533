#include "dragoman/model/foreign/ctranslate2_writer.h"

#include <limits>
#include <span>

#include "dragoman/backend/quantise.h"
#include "dragoman/base/files.h"
#include "dragoman/base/printable.h"

namespace dragoman::model::foreign {
namespace {

constexpr std::uint32_t kWrittenVersion = 6, kWrittenRevision = 7;
constexpr const char* kWrittenSpec = "TransformerSpec";

// The numbers of the types of elements.
template <class Number>
constexpr std::uint8_t kKindOf = 0;
template <>
constexpr std::uint8_t kKindOf<std::int8_t> = 1;
template <>
constexpr std::uint8_t kKindOf<std::int16_t> = 2;

// Weights are the variables with this name in their layers; the tables of positions, for example, are not.
bool is_weight(const std::string& name) { return name.ends_with("/weight"); }

struct RoundedMatrix {
  std::vector<std::int8_t> integers;
  std::vector<float> scales;  // of the rows; the values are the integers divided by it
};

RoundedMatrix rounded_by_rows(const std::vector<float>& values, std::int64_t columns) {
  RoundedMatrix result;
  result.integers.reserve(values.size());
  for (std::size_t begin = 0; begin < values.size(); begin += static_cast<std::size_t>(columns)) {
    const auto row = std::span(values).subspan(begin, static_cast<std::size_t>(columns));
    LargestMagnitude largest;
    for (const float value : row) largest.add(value);
    const Quantiser quantiser = Quantiser::for_largest(largest.value());
    for (const float value : row) result.integers.push_back(quantiser(value));
    result.scales.push_back(quantiser.inverse > 0 ? quantiser.inverse : 1.0f);
  }
  return result;
}

class VariableWriter {
 public:
  explicit VariableWriter(const std::filesystem::path& path) : file_(path) {}

  template <class Number>
  void number(Number value) {
    file_.write(&value, sizeof value);
  }
  // A length of 16 bits, which counts the zero at the end, and the text.
  void string(const std::string& text) {
    number(static_cast<std::uint16_t>(text.size() + 1));
    file_.write(text.c_str(), text.size() + 1);
  }
  template <class Number>
  void variable(const std::string& name, const std::vector<std::int64_t>& shape, std::span<const Number> values) {
    require<Error>(values.size_bytes() <= std::numeric_limits<std::uint32_t>::max(), "the tensor ", in_quotes(name),
                   " has more than 4 GiB, which CTranslate2 cannot store.");
    string(name);
    number(static_cast<std::uint8_t>(shape.size()));
    for (const std::int64_t size : shape) number(static_cast<std::uint32_t>(size));
    number(kKindOf<Number>);
    number(static_cast<std::uint32_t>(values.size_bytes()));
    file_.write(values.data(), values.size_bytes());
  }
  void finish() { file_.finish(); }

 private:
  FileWriter file_;
};

}  // namespace

void write_ctranslate2(const std::filesystem::path& path, const CTranslate2Variables& model,
                       CTranslate2Weights weights) {
  const auto is_rounded = [&](const std::string& name) {
    return weights == CTranslate2Weights::kInt8 && is_weight(name);
  };
  VariableWriter file(path);
  file.number(kWrittenVersion);
  file.string(kWrittenSpec);
  file.number(kWrittenRevision);
  std::size_t count = model.variables.size();
  for (const auto& [name, variable] : model.variables) count += is_rounded(name) ? 1 : 0;
  file.number(static_cast<std::uint32_t>(count));
  for (const auto& [name, variable] : model.variables) {
    if (const auto* tensor = std::get_if<FloatTensor>(&variable)) {
      const std::vector<float> values = tensor->values();
      if (is_rounded(name)) {
        const RoundedMatrix integers = rounded_by_rows(values, tensor->shape[1]);
        file.variable(name, tensor->shape, std::span(integers.integers));
        file.variable(name + "_scale", {tensor->shape[0]}, std::span(integers.scales));
      } else {
        file.variable(name, tensor->shape, std::span(values));
      }
      continue;
    }
    std::visit(
        // clang 14 captures no structured binding by itself.
        [&, &called = name]<class Number>(const Number& value) {
          if constexpr (!std::is_same_v<Number, FloatTensor>) file.variable(called, {}, std::span(&value, 1));
        },
        variable);
  }
  file.number(static_cast<std::uint32_t>(model.aliases.size()));
  for (const auto& [alias, name] : model.aliases) {
    file.string(alias);
    file.string(name);
  }
  file.finish();
}

}  // namespace dragoman::model::foreign
