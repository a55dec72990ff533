#include <algorithm>
#include <array>
#include <utility>

#include "dragoman/text/unpack.h"

namespace dragoman::text {
namespace {

using namespace std::string_view_literals;

constexpr std::array<std::pair<std::string_view, Packing>, 3> kFormatMagic{{
    {"\x1F\x8B"sv, Packing::kGzip},
    {"\x28\xB5\x2F\xFD"sv, Packing::kZstd},
    {"\xFD\x37zXZ\0"sv, Packing::kXz},
}};

}  // namespace

Packing packing_of(std::string_view start) {
  for (const auto& [magic, packing] : kFormatMagic) {
    if (start.starts_with(magic)) return packing;
  }
  return Packing::kNone;
}

bool may_become_packed(std::string_view start) {
  return std::ranges::any_of(kFormatMagic, [&](const auto& format) { return format.first.starts_with(start); });
}

}  // namespace dragoman::text
