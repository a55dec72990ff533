// Numbers of the zip format that its reader and its writer share.
#pragma once

#include <cstdint>

namespace dragoman::model::foreign::zip_format {

// The signatures of a member's header, its entry in the list of members, and the end record.
inline constexpr std::uint32_t kHeader = 0x04034B50, kEntry = 0x02014B50, kEnd = 0x06054B50;
// Their sizes without their variable ends.
inline constexpr std::uint64_t kHeaderBytes = 30, kEntryBytes = 46, kEndBytes = 22;
// How a member is packed.
inline constexpr std::uint16_t kStored = 0, kDeflated = 8;

}  // namespace dragoman::model::foreign::zip_format
