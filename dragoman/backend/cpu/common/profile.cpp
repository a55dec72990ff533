#include "dragoman/backend/cpu/common/profile.h"

#include <string_view>

#include "dragoman/backend/profile_table.h"

namespace dragoman::cpu {

std::string Profile::table(int threads) {
  std::map<std::string, LaunchTimes> rows;
  for (const auto& [name, times] : times_) {
    const auto whole = static_cast<double>(times.whole);
    rows[name] = {.milliseconds = 1e-6 * whole,
                  .launches = times.launches,
                  .busy = whole > 0 ? static_cast<double>(times.in_pieces) / (whole * threads) : 1};
  }
  times_.clear();
  return profile_table(rows);
}

std::string Profile::name_of(const std::source_location& where) {
  // "void dragoman::cpu::native::Norm::do_layer_norm(const Array&, ...) const::<lambda()>", and compilers write an
  // anonymous namespace as "{anonymous}" or "(anonymous namespace)".
  constexpr std::string_view kAnonymous = "(anonymous namespace)::", kKernel = "do_";
  std::string_view name = where.function_name();
  if (const std::size_t at = name.find(kAnonymous); at != name.npos) name.remove_prefix(at + kAnonymous.size());
  name = name.substr(0, name.find('('));
  name.remove_prefix(name.find_last_of(" :") + 1);
  if (name.starts_with(kKernel)) name.remove_prefix(kKernel.size());
  return std::string(name);
}

}  // namespace dragoman::cpu
