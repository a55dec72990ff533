#include "dragoman/eval/word_links.h"

#include <algorithm>
#include <optional>
#include <string>

#include "dragoman/base/error.h"
#include "dragoman/base/strings.h"

namespace dragoman::eval {
namespace {

bool has_link(std::span<const WordLink> links, const WordLink& link) {
  return std::ranges::find(links, link) != links.end();
}

}  // namespace

GoldLinks read_gold_links(std::string_view line, std::string_view where) {
  GoldLinks gold;
  constexpr std::string_view kSpaces = " \t\r";
  for (std::size_t at = line.find_first_not_of(kSpaces); at != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(kSpaces, at), line.size());
    const std::string_view text = line.substr(at, end - at);
    const std::size_t sign = std::min(text.find_first_of("-p"), text.size());
    const auto source = parse_number<std::int64_t>(std::string(text.substr(0, sign)));
    const auto target = parse_number<std::int64_t>(std::string(text.substr(std::min(sign + 1, text.size()))));
    require<UsageError>(source && target && *source >= 0 && *target >= 0, where, ": '", text,
                        "' is not a link of two words, such as 0-1, counted from 0.");
    (text[sign] == '-' ? gold.sure : gold.possible).push_back({*source, *target});
    at = line.find_first_not_of(kSpaces, end);
  }
  return gold;
}

void AlignmentErrors::add(std::span<const WordLink> links, const GoldLinks& gold) {
  found += std::ssize(links);
  sure += std::ssize(gold.sure);
  for (const WordLink& link : links) {
    const bool is_sure = has_link(gold.sure, link);
    found_sure += is_sure;
    found_possible += is_sure || has_link(gold.possible, link);
  }
}

double AlignmentErrors::rate() const {
  if (found + sure == 0) return 0;
  return 1 - static_cast<double>(found_sure + found_possible) / static_cast<double>(found + sure);
}

}  // namespace dragoman::eval
