#include "dragoman/model/state_arrays.h"

namespace dragoman::model {

StateArrays::StateArrays(Backend& on, const StateLayout& layout, const DecoderCapacity& capacity) {
  for (const StateArray& array : layout.memory)
    memory_.push_back(on.empty({capacity.source_rows, array.width}, array.dtype));
  for (const StateArray& array : layout.cells) cells_.push_back(on.empty({capacity.cells, array.width}, array.dtype));
}

}  // namespace dragoman::model
