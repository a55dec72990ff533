// Bytes as text of 64 letters (RFC 4648), for binary values inside JSON and HTML.
#pragma once

#include <span>
#include <string>

namespace dragoman {

std::string base64(std::span<const std::byte> bytes);

// Numbers as they lie in memory, which on every machine that we build for is little endian.
inline std::string base64(std::span<const float> numbers) { return base64(std::as_bytes(numbers)); }

}  // namespace dragoman
