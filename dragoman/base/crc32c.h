// CRC-32C (Castagnoli), the checksum of TensorBoard's files.
#pragma once

#include <cstdint>
#include <string_view>

namespace dragoman {

// The polynomial is 0x1EDC6F41; bits are reflected, and the register is inverted before and after.
std::uint32_t crc32c(std::string_view bytes);

}  // namespace dragoman
