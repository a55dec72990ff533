#include "dragoman/model/foreign/parameters.h"

#include <algorithm>

#include "dragoman/base/error.h"
#include "dragoman/base/printable.h"

namespace dragoman::model::foreign {

bool has_parameter(const Tensors& tensors, const Parameter& parameter) {
  return std::ranges::any_of(parameter.places, [&](const Place& place) { return tensors.contains(place.tensor); });
}

Tensor parameter_tensor(const Tensors& tensors, const Parameter& parameter, std::string_view where) {
  for (const Place& place : parameter.places) {
    const auto found = tensors.find(place.tensor);
    if (found == tensors.end()) continue;
    const std::string which = join(where, ": the tensor ", in_quotes(place.tensor));
    Tensor tensor = part_of_rows(found->second, place.part, place.parts, which);
    if (!parameter.is_transposed) return tensor;
    require<Error>(tensor.shape.size() == 2, which, " is not a matrix.");
    return transposed(std::move(tensor));
  }
  throw Error(join(where, " has no tensor ",
                   in_quotes(parameter.places.empty() ? parameter.name : parameter.places.front().tensor), "."));
}

}  // namespace dragoman::model::foreign
