// What was counted in one parallel text.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dragoman/data/parallel_text.h"
#include "dragoman/health/languages.h"
#include "dragoman/health/line_check.h"

namespace dragoman::health {

// Lines of which something is true, and the first few of them.
struct LineCount {
  std::int64_t lines = 0;
  std::vector<Example> examples = {};

  void add(const Place& place, std::size_t at = 0);
};

struct SideReport {
  std::string file;
  std::int64_t lines = 0, empty = 0;
  std::int64_t characters = 0, longest = 0, longest_line = 0;  // `longest` in characters
  std::int64_t crlf_lines = 0;                                 // that end in CR LF
  bool byte_order_mark = false;                                // at the start of the file
  bool utf16 = false;                                          // the first line looks like UTF-16
  std::array<LineCount, kDamages> damage{};                    // by Damage
  LineCount long_lines;                                        // of more than kLongLine characters
  LineCount foreign;                                           // as LanguageJudge says

  static constexpr std::int64_t kLongLine = 1000;
};

// How well the lengths of source and target agree: the correlation of their logarithms.
struct LengthAgreement {
  void add(std::int64_t source_characters, std::int64_t target_characters);
  // Nothing for fewer than 100 pairs, or if all lengths of a side are about the same.
  std::optional<double> correlation() const;

  std::int64_t pairs = 0;
  double x = 0, y = 0, xx = 0, yy = 0, xy = 0;  // sums
};

// One parallel text.
struct TextReport {
  data::ParallelFiles files;
  SideReport source, target;
  std::int64_t pairs = 0;   // lines that both sides have
  std::int64_t usable = 0;  // pairs with text on both sides, in UTF-8
  LineCount empty;          // pairs with an empty side
  LineCount equal;          // pairs with letters whose sides are equal
  LineCount odd_length;     // pairs with a side much longer than the other suggests
  LineCount wrong_tabs;     // lines of a file of pairs without exactly one tab
  LengthAgreement lengths;
  Survey survey;
  std::string problem;  // why the text was not read to its end; empty if it was
};

}  // namespace dragoman::health
