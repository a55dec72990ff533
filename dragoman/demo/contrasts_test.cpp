#include "dragoman/demo/contrasts.h"

#include <gtest/gtest.h>

namespace dragoman::demo {
namespace {

ReferencePair sentence(const std::string& text, std::int64_t meant, std::int64_t other) {
  return {{text, ""}, {.pronoun = 3, .meant = meant, .other = other, .translation = 0}};
}

TEST(Contrasts, DifferInOneWordThatChangesWhatThePronounMeans) {
  const std::vector<ReferencePair> sentences{
      sentence("Cat left road: it was tired.", 0, 2), sentence("Cat left road: it was lazy.", 0, 2),
      sentence("Cat left road: it was wide.", 2, 0), sentence("Dog left road: it was wide.", 2, 0),
      sentence("Cat left road: it was so wide.", 2, 0)};
  EXPECT_EQ(contrasts(sentences), (std::vector<std::pair<std::size_t, std::size_t>>{{0, 2}, {1, 2}}));
}

}  // namespace
}  // namespace dragoman::demo
