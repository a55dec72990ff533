// Unpacks the members of zip files. Needs zlib; a build without it compiles inflate_missing.cpp instead of inflate.cpp.
#pragma once

#include <cstdint>
#include <string>

#include "dragoman/model/foreign/byte_source.h"

namespace dragoman::model::foreign {

// Whether this build can unpack.
bool can_inflate();

// Unpacks a stream of RFC 1951 (deflate, without a header), whose result must have `size` bytes. Memory grows with the
// bytes that were unpacked, up to `size`. Throws an Error that begins with the name of the bytes if they are damaged or
// give another size.
std::string inflate(const ByteSource& packed, std::uint64_t size);

}  // namespace dragoman::model::foreign
