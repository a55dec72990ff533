#include "dragoman/base/error.h"
#include "dragoman/model/foreign/inflate.h"

namespace dragoman::model::foreign {

bool can_inflate() { return false; }

std::string inflate(const ByteSource& packed, std::uint64_t) {
  throw Error(
      join(packed.name(),
           " has packed members, which this build of dragoman cannot read: unpack it first, or build where zlib "
           "is installed."));
}

}  // namespace dragoman::model::foreign
