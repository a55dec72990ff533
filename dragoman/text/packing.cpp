#include "dragoman/text/unpack.h"

namespace dragoman::text {

Packing packing_of(std::string_view start) {
  using namespace std::string_view_literals;
  if (start.starts_with("\x1F\x8B"sv)) return Packing::kGzip;
  if (start.starts_with("\x28\xB5\x2F\xFD"sv)) return Packing::kZstd;
  if (start.starts_with("\xFD\x37zXZ\0"sv)) return Packing::kXz;
  return Packing::kNone;
}

}  // namespace dragoman::text
