// Packed text files. Unpacking needs Boost.Iostreams: a build without it has unpack_missing.cpp in the place of
// unpack.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <streambuf>
#include <string_view>

namespace dragoman::text {

enum class Packing : std::uint8_t { kNone, kGzip, kZstd, kXz };

// By the first six bytes.
Packing packing_of(std::string_view start);
// Whether a packed file may begin with these bytes and go on.
bool may_become_packed(std::string_view start);

bool can_unpack();

// The text of a packed file, whose bytes `read` gives: as many as it is asked for or fewer, 0 at the end. Reading
// throws std::ios_base::failure where the file is damaged or cut short. Throws an Error if this build cannot unpack.
using ReadBytes = std::function<std::size_t(char* bytes, std::size_t count)>;
std::unique_ptr<std::streambuf> unpacked(Packing packing, ReadBytes read);

}  // namespace dragoman::text
