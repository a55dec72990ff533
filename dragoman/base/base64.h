// Base64 encoding (RFC 4648), for binary values inside JSON and HTML.
#pragma once

#include <span>
#include <string>

namespace dragoman {

std::string base64(std::span<const std::byte> bytes);

// Encodes the floats as they are stored in memory: little endian on every machine that we build for.
inline std::string base64(std::span<const float> numbers) { return base64(std::as_bytes(numbers)); }

}  // namespace dragoman
