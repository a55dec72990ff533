// What CUDA takes of a device's memory besides what the program asks for, in bytes.
#pragma once

#include <cstdint>

namespace dragoman {

// The context with its code, and the workspace of matrix products of one backend.
inline constexpr std::int64_t kCudaBytes = std::int64_t{768} << 20;
// The same workspace for each further backend.
inline constexpr std::int64_t kCudaBackendBytes = std::int64_t{66} << 20;

}  // namespace dragoman
