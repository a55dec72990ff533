#include "bench/batch_lengths.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "dragoman/base/error.h"
#include "dragoman/base/random.h"
#include "dragoman/base/strings.h"
#include "dragoman/data/cleaning.h"
#include "dragoman/text/lines.h"

namespace dragoman::bench {
namespace {

constexpr std::int64_t kSpecialIds = 4;

std::optional<data::PairLengths> parse_pair(std::string_view line) {
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  const auto source = parse_number<std::int32_t>(line.substr(0, space));
  const auto target = parse_number<std::int32_t>(line.substr(space + 1));
  const auto is_length = [](const auto& n) { return n && *n >= 1 && *n <= data::CleaningSettings::kLongest; };
  if (!is_length(source) || !is_length(target)) return std::nullopt;
  return data::PairLengths{static_cast<std::uint16_t>(*source), static_cast<std::uint16_t>(*target)};
}

data::Sentence random_sentence(std::int64_t length, std::int64_t V, RandomStream& random) {
  const auto words = static_cast<std::uint32_t>(V - kSpecialIds);
  data::Sentence sentence(length);
  for (std::int32_t& id : sentence) id = static_cast<std::int32_t>(kSpecialIds + random.below(words));
  return sentence;
}

}  // namespace

std::int64_t source_tokens(const BatchLengths& batch) {
  std::int64_t tokens = 0;
  for (const data::PairLengths& pair : batch) tokens += pair.source;
  return tokens;
}

std::int64_t target_tokens(const BatchLengths& batch) {
  std::int64_t tokens = 0;
  for (const data::PairLengths& pair : batch) tokens += pair.target;
  return tokens;
}

BatchLengths equal_lengths(std::int64_t tokens, std::int64_t sentence) {
  BatchLengths batch;
  for (std::int64_t made = 0; made < tokens; made += sentence) {
    const auto length = static_cast<std::uint16_t>(std::min(sentence, tokens - made));
    batch.push_back({length, length});
  }
  return batch;
}

std::vector<BatchLengths> read_batch_lengths(const std::string& path) {
  text::LineReader lines(path);
  std::vector<BatchLengths> batches(1);
  for (std::string line; lines.next(line);) {
    if (line.empty()) {
      if (!batches.back().empty()) batches.emplace_back();
      continue;
    }
    const std::optional<data::PairLengths> pair = parse_pair(line);
    require<UsageError>(pair.has_value(), "line ", lines.line(), " of '", path,
                        "' is not a pair of lengths such as '12 14'.");
    batches.back().push_back(*pair);
  }
  if (batches.back().empty()) batches.pop_back();
  require<UsageError>(!batches.empty(), "'", path, "' contains no batch.");
  return batches;
}

std::string to_text(const BatchLengths& batch) {
  std::string text;
  for (const data::PairLengths& pair : batch) text += fmt::format("{} {}\n", pair.source, pair.target);
  return text + "\n";
}

data::HostBatch random_batch(const BatchLengths& lengths, const data::BatchOptions& options) {
  RandomStream random(7);
  std::vector<data::SentencePair> pairs;
  for (const data::PairLengths& pair : lengths) {
    pairs.push_back({.source = random_sentence(pair.source, options.V_source, random),
                     .target = random_sentence(pair.target, options.V_target, random)});
  }
  return data::make_host_batch(pairs, options);
}

}  // namespace dragoman::bench
