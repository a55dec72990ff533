#include "dragoman/text/pieces/bpe_codes.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

#include "dragoman/base/error.h"
#include "dragoman/base/strings.h"
#include "dragoman/base/utf8.h"

namespace dragoman::text {
namespace {

constexpr std::string_view kEndOfWord = "</w>";
constexpr std::string_view kContinues = "@@";
constexpr std::string_view kVersion = "#version: ";

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (std::size_t begin = 0; begin < line.size();) {
    const std::size_t end = std::min(line.find(' ', begin), line.size());
    if (end > begin) fields.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return fields;
}

// The symbols of a word as a linked list, so that merges cost the same in words of any length.
struct Symbol {
  std::string text;
  std::ptrdiff_t previous, next;  // -1 at the ends
  bool merged_away = false;
};

// A pair that could be merged: its rank, and the place of its left symbol. The lowest comes first.
using Candidate = std::pair<std::int32_t, std::ptrdiff_t>;
using Candidates = std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>>;

}  // namespace

BpeCodes::BpeCodes(std::string_view text, std::string_view where) {
  require<Error>(!first_invalid_utf8(text), where, " is not UTF-8.");
  end_is_a_symbol_ = true;
  std::int64_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (++number == 1 && line.starts_with(kVersion)) {
      const std::string_view version = line.substr(kVersion.size());
      require<Error>(version == "0.1" || version == "0.2", where, " is of version ", std::string(version),
                     " of subword-nmt's codes; 0.1 and 0.2 are read.");
      end_is_a_symbol_ = version == "0.1";
      continue;
    }
    const auto fields = fields_of(line);
    const bool has_count = fields.size() == 3 && parse_number<std::int64_t>(fields[2]);
    require<Error>(fields.size() == 2 || has_count, where, ", line ", number, ": expected two symbols.");
    if (has_count) end_is_a_symbol_ = false;
    // Of a pair that is listed twice, the first counts.
    ranks_.emplace(pair_key(fields[0], fields[1]), static_cast<std::int32_t>(ranks_.size()));
  }
}

// Symbols of codes have no spaces.
std::string BpeCodes::pair_key(std::string_view left, std::string_view right) {
  return std::string(left).append(" ").append(right);
}

std::vector<std::string> BpeCodes::symbols_of(std::string_view word) const {
  std::vector<std::string> symbols;
  for (std::size_t at = 0; at < word.size();) {
    const std::size_t begin = at;
    next_code_point(word, at);
    symbols.emplace_back(word.substr(begin, at - begin));
  }
  if (end_is_a_symbol_) {
    symbols.emplace_back(kEndOfWord);
  } else if (!symbols.empty()) {
    symbols.back() += kEndOfWord;
  }
  return symbols;
}

std::vector<std::string> BpeCodes::split_word(std::string_view word, const Dropout* dropout) const {
  std::vector<Symbol> symbols;
  for (std::string& text : symbols_of(word)) {
    const auto place = static_cast<std::ptrdiff_t>(symbols.size());
    symbols.push_back({.text = std::move(text), .previous = place - 1, .next = place + 1});
  }
  if (symbols.empty()) return {};
  symbols.back().next = -1;
  const auto symbol = [&](std::ptrdiff_t place) -> Symbol& { return symbols[static_cast<std::size_t>(place)]; };
  const auto rank_at = [&](std::ptrdiff_t left) -> std::int32_t {
    const auto found = ranks_.find(pair_key(symbol(left).text, symbol(symbol(left).next).text));
    return found == ranks_.end() ? -1 : found->second;
  };
  Candidates candidates;
  const auto add = [&](std::ptrdiff_t left) {
    if (left < 0 || symbol(left).next < 0) return;
    if (const std::int32_t rank = rank_at(left); rank >= 0) candidates.emplace(rank, left);
  };
  for (std::ptrdiff_t left = 0; left + 1 < std::ssize(symbols); ++left) add(left);

  std::vector<Candidate> left_out;  // in this step; they are possible again in the next one
  while (!candidates.empty()) {
    // All places of the best pair are merged, from left to right, before new pairs are looked at.
    const std::int32_t best = candidates.top().first;
    std::vector<std::ptrdiff_t> places;
    for (; !candidates.empty() && candidates.top().first == best; candidates.pop()) {
      places.push_back(candidates.top().second);
    }
    bool has_merged = false;
    for (const std::ptrdiff_t left : places) {
      // The pair may be gone, because one of its symbols was merged with another neighbour.
      if (symbol(left).merged_away || symbol(left).next < 0 || rank_at(left) != best) continue;
      if (dropout != nullptr && dropout->random.uniform() < dropout->amount) {
        left_out.emplace_back(best, left);
        continue;
      }
      has_merged = true;
      Symbol& right = symbol(symbol(left).next);
      symbol(left).text += right.text;
      right.merged_away = true;
      symbol(left).next = right.next;
      if (right.next >= 0) symbol(right.next).previous = left;
      add(symbol(left).previous);
      add(left);
    }
    if (!has_merged) continue;
    for (const Candidate& again : left_out) candidates.push(again);
    left_out.clear();
  }

  std::vector<std::string> pieces;
  for (std::ptrdiff_t at = 0; at >= 0; at = symbol(at).next) pieces.push_back(std::move(symbol(at).text));
  // The mark of the end is in the last piece, or is the last piece.
  if (pieces.back().ends_with(kEndOfWord)) pieces.back().resize(pieces.back().size() - kEndOfWord.size());
  if (pieces.back().empty()) pieces.pop_back();
  for (std::size_t i = 0; i + 1 < pieces.size(); ++i) pieces[i] += kContinues;
  return pieces;
}

std::vector<std::string> BpeCodes::split(std::string_view text, const Dropout* dropout) const {
  std::vector<std::string> pieces;
  for (const std::string_view word : fields_of(text)) {
    for (std::string& piece : split_word(word, dropout)) pieces.push_back(std::move(piece));
  }
  return pieces;
}

bool BpeCodes::is_continued(std::string_view piece) { return piece.ends_with(kContinues); }

std::string_view BpeCodes::without_mark(std::string_view piece) {
  return piece.substr(0, piece.size() - (is_continued(piece) ? kContinues.size() : 0));
}

std::string BpeCodes::join_pieces(const std::vector<std::string>& pieces) {
  std::string text;
  bool joined = true;  // whether the next piece follows without a space
  for (const std::string& piece : pieces) {
    if (!joined) text += ' ';
    joined = is_continued(piece);
    text += without_mark(piece);
  }
  return text;
}

}  // namespace dragoman::text
