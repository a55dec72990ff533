#include "dragoman/cli/show/alignment_picture.h"

#include <algorithm>
#include <string_view>

#include "dragoman/base/utf8.h"

namespace dragoman::cli {
namespace {

std::string_view mark(float weight) {
  constexpr std::string_view kMarks[] = {"·", "░░", "▒▒", "▓▓", "██"};
  constexpr float kSteps[] = {0.1f, 0.25f, 0.45f, 0.65f};
  return kMarks[std::ranges::upper_bound(kSteps, weight) - std::begin(kSteps)];
}

std::string padded(std::string_view text, std::size_t width) {
  const std::size_t used = count_characters(text);
  return std::string(text) + std::string(width - std::min(width, used), ' ');
}

// The width of a column: at least 2, the width of the marks.
std::size_t width(const std::string& source) { return std::max<std::size_t>(2, count_characters(source)); }

void trim_end(std::string& text) { text.erase(text.find_last_not_of(' ') + 1); }

}  // namespace

std::string alignment_picture(const decode::AttentionMap& words, std::span<const std::string> sources,
                              std::span<const std::string> targets) {
  std::size_t margin = 0;
  for (const std::string& target : targets) margin = std::max(margin, count_characters(target));
  std::string picture = std::string(margin, ' ');
  for (const std::string& source : sources) picture += "  " + padded(source, width(source));
  trim_end(picture);
  for (std::size_t j = 0; j < targets.size(); ++j) {
    picture += "\n" + padded(targets[j], margin);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const float weight = words.at(static_cast<std::int64_t>(j), static_cast<std::int64_t>(i));
      picture += "  " + padded(mark(weight), width(sources[i]));
    }
    trim_end(picture);
  }
  return picture + "\n";
}

}  // namespace dragoman::cli
