// Limits of the settings of models and of training: the largest sizes, beyond what any machine could hold, and checks
// that throw a UsageError.
#pragma once

#include <cstdint>
#include <string_view>

#include "dragoman/base/error.h"
#include "dragoman/base/fields.h"

namespace dragoman::model {

// Up to these limits the sizes of tensors do not overflow.
inline constexpr int kMaxLayers = 1000;
inline constexpr int kMaxWidth = 1 << 24;
inline constexpr int kMaxVocabulary = 1 << 28;
inline constexpr int kMinVocabulary = 5;  // the four special tokens and one word
inline constexpr std::int64_t kMaxParameters = std::int64_t{1} << 40;

inline void require_probability(std::string_view key, double value) {
  require<UsageError>(value >= 0 && value < 1, key, " is ", value, "; it must be at least 0 and below 1.");
}

inline void require_positive(std::string_view key, double value) {
  require<UsageError>(value > 0, key, " is ", value, "; it must be above 0.");
}

inline void require_not_negative(std::string_view key, double value) {
  require<UsageError>(value >= 0, key, " is ", value, "; it must be 0 or more.");
}

}  // namespace dragoman::model
