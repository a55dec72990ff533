#include "dragoman/model/decoder_caches.h"

namespace dragoman::model {

DecoderCaches::DecoderCaches(Backend& on, DType dtype, const nn::AttentionSizes& sizes, int layers,
                             const DecoderRoom& room)
    : sizes_(sizes), memory_(on.empty({room.source_rows, layers * (sizes.keys() + sizes.values())}, dtype)) {
  for (int layer = 0; layer < layers; ++layer) {
    cache_.push_back({on.empty({room.cells, sizes.keys()}, dtype), on.empty({room.cells, sizes.values()}, dtype)});
  }
}

Array DecoderCaches::memory_K(std::size_t layer) const {
  const auto column = static_cast<std::int64_t>(layer) * (sizes_.keys() + sizes_.values());
  return memory_.columns(column, sizes_.keys());
}

Array DecoderCaches::memory_V(std::size_t layer) const {
  const auto column = static_cast<std::int64_t>(layer) * (sizes_.keys() + sizes_.values()) + sizes_.keys();
  return memory_.columns(column, sizes_.values());
}

}  // namespace dragoman::model
