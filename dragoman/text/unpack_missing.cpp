#include "dragoman/base/error.h"
#include "dragoman/text/unpack.h"

namespace dragoman::text {

bool can_unpack() { return false; }

std::unique_ptr<std::streambuf> unpacked(Packing, ReadBytes) {
  throw Error(
      "this build of dragoman reads plain text only: unpack the file first, or build where Boost.Iostreams is "
      "installed.");
}

}  // namespace dragoman::text
