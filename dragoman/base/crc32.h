// Checksums of 32 bits: CRC-32 of zip files and CRC-32C of TensorBoard's files.
#pragma once

#include <cstdint>
#include <string_view>

namespace dragoman {

// Both reflect the bits, and invert the register before and after.
// CRC-32: the polynomial is 0x04C11DB7. `so_far` is the checksum of the bytes before these.
std::uint32_t crc32(std::string_view bytes, std::uint32_t so_far = 0);
// CRC-32C (Castagnoli): the polynomial is 0x1EDC6F41.
std::uint32_t crc32c(std::string_view bytes);

}  // namespace dragoman
