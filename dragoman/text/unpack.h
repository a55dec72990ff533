// Reads packed text files: compressed by gzip, zstd or xz. Unpacking needs Boost.Iostreams; a build without it compiles
// unpack_missing.cpp instead of unpack.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <streambuf>
#include <string_view>

namespace dragoman::text {

enum class Packing : std::uint8_t { kNone, kGzip, kZstd, kXz };

// Tells the packing from the first six bytes of a file.
Packing packing_of(std::string_view start);
// Whether the bytes so far are the beginning of a packed file's magic bytes, so that the file may turn out to be
// packed.
bool may_become_packed(std::string_view start);

// Whether this build can unpack.
bool can_unpack();

// The text of a packed file. `read` supplies the file's bytes: at most as many as it is asked for, 0 at the end.
// Reading from the result throws std::ios_base::failure if the file is damaged or cut short. unpacked() throws an Error
// if this build cannot unpack.
using ReadBytes = std::function<std::size_t(char* bytes, std::size_t count)>;
std::unique_ptr<std::streambuf> unpacked(Packing packing, ReadBytes read);

}  // namespace dragoman::text
