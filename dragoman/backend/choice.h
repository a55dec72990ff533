// The device and the element type that the user chose to compute with.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "dragoman/array/dtype.h"

namespace dragoman {

enum class DeviceChoice : std::uint8_t { kCpu, kCuda };
constexpr std::array<std::string_view, 2> names(DeviceChoice) { return {"cpu", "cuda"}; }

constexpr Device device_of(DeviceChoice choice) {
  return {choice == DeviceChoice::kCpu ? Device::Kind::kCpu : Device::Kind::kCuda, 0};
}

// The device that computes something, and its element type.
struct DeviceAndType {
  Device device;
  DType dtype = DType::kFloat32;
};

}  // namespace dragoman
