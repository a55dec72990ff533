#include "dragoman/model/foreign/parameters.h"

#include <algorithm>

#include "dragoman/base/error.h"
#include "dragoman/base/printable.h"

namespace dragoman::model::foreign {

bool has_parameter(const Tensors& tensors, const Parameter& parameter) {
  return std::ranges::any_of(parameter.places, [&](const Place& place) { return tensors.contains(place.tensor); });
}

std::vector<float> read_parameter(const Tensors& tensors, const Parameter& parameter, std::string_view where) {
  for (const Place& place : parameter.places) {
    const auto found = tensors.find(place.tensor);
    if (found == tensors.end()) continue;
    const std::string which = join(where, ": the tensor ", in_quotes(place.tensor));
    const Tensor tensor = part_of_rows(found->second, place.part, place.parts, which);
    std::vector<float> values = floats_of(tensor);
    if (!parameter.is_transposed) return values;
    require<Error>(tensor.shape.size() == 2, which, " is not a matrix.");
    const auto rows = static_cast<std::size_t>(tensor.shape[0]), columns = static_cast<std::size_t>(tensor.shape[1]);
    std::vector<float> transposed(values.size());
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t column = 0; column < columns; ++column) {
        transposed[column * rows + row] = values[row * columns + column];
      }
    }
    return transposed;
  }
  throw Error(join(where, " has no tensor ",
                   in_quotes(parameter.places.empty() ? parameter.name : parameter.places.front().tensor), "."));
}

}  // namespace dragoman::model::foreign
