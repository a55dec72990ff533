#include "dragoman/text/cut_sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>

#include "dragoman/array/tokens.h"
#include "dragoman/base/utf8.h"

namespace dragoman::text {
namespace {

// SentencePiece scores an unknown character with the lowest score of all pieces minus this.
constexpr double kUnknownPenalty = 10;

std::string_view first_character(std::string_view text) { return text.substr(0, character_bytes(text[0])); }

std::size_t previous_character(std::string_view text, std::size_t end) {
  do end -= 1;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80);
  return end;
}

// An element of a linked list of adjacent texts. Its text is empty once it was merged into the symbol before it.
struct Symbol {
  std::string_view text;
  int previous;
  int next;
};

struct Merge {
  float score;
  int left;
  int right;
  std::size_t bytes;

  // The best score comes first; ties go to the leftmost merge.
  bool operator<(const Merge& other) const {
    return score < other.score || (score == other.score && left > other.left);
  }
  // Whether neither side has changed since this merge was found.
  bool holds(const std::vector<Symbol>& symbols) const {
    const std::string_view a = symbols[static_cast<std::size_t>(left)].text;
    const std::string_view b = symbols[static_cast<std::size_t>(right)].text;
    return !a.empty() && !b.empty() && a.size() + b.size() == bytes;
  }
};

std::vector<Symbol> characters(std::string_view text) {
  std::vector<Symbol> symbols;
  for (int index = 0; !text.empty(); ++index) {
    const std::string_view character = first_character(text);
    text.remove_prefix(character.size());
    symbols.push_back({character, index - 1, text.empty() ? -1 : index + 1});
  }
  return symbols;
}

double log_add(double a, double b) {
  const double high = std::max(a, b), low = std::min(a, b);
  return high + std::log1p(std::exp(low - high));
}

}  // namespace

CutSampler::CutSampler(const ModelFile& model) : kind_(model.kind) {
  double lowest = std::numeric_limits<double>::max();
  for (std::size_t i = 0; i < model.pieces.size(); ++i) {
    const auto& [text, score, kind] = model.pieces[i];
    const auto id = static_cast<std::int32_t>(i);
    if (kind == PieceKind::kByte && model.byte_fallback) bytes_.push_back(id);
    if (kind == PieceKind::kUserDefined) {
      user_defined_.emplace(text, id);
      longest_user_defined_ = std::max(longest_user_defined_, text.size());
    }
    if (kind != PieceKind::kNormal) continue;
    pieces_.emplace(text, Entry{id, score});
    pieces_stay_in_words_ = pieces_stay_in_words_ && text.find(kSpace, 1) == std::string::npos;
    longest_ = std::max(longest_, text.size());
    lowest = std::min<double>(lowest, score);
  }
  unknown_score_ = lowest - kUnknownPenalty;
}

std::vector<std::int32_t> CutSampler::sample(std::string_view text, double amount, RandomStream& random) const {
  Parts parts;
  const auto cut = [&](std::string_view stretch) {
    if (stretch.empty()) return;
    if (kind_ == TokenizerKind::kUnigram) return draw(stretch, (1 - amount) / amount, random, parts);
    while (!stretch.empty()) {
      const std::string_view word = pieces_stay_in_words_ ? stretch.substr(0, stretch.find(kSpace, 1)) : stretch;
      merge(word, amount, random, parts);
      stretch.remove_prefix(word.size());
    }
  };
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t user_defined_bytes = user_defined_at(text.substr(at));
    if (user_defined_bytes > 0) {
      cut(text.substr(begin, at - begin));
      parts.push_back(text.substr(at, user_defined_bytes));
      begin = at + user_defined_bytes;
    }
    at += user_defined_bytes > 0 ? user_defined_bytes : character_bytes(text[at]);
  }
  cut(text.substr(begin));
  return ids_of(parts);
}

std::size_t CutSampler::user_defined_at(std::string_view text) const {
  for (std::size_t bytes = std::min(longest_user_defined_, text.size()); bytes > 0; --bytes) {
    if (user_defined_.contains(text.substr(0, bytes))) return bytes;
  }
  return 0;
}

void CutSampler::merge(std::string_view word, double amount, RandomStream& random, Parts& parts) const {
  // `symbols` is the word as a linked list. `possible` holds the merges of neighbours, the best first; a merge whose
  // sides have changed since it was found is skipped (Merge::holds).
  std::vector<Symbol> symbols = characters(word);
  const auto at = [&symbols](int index) -> Symbol& { return symbols[static_cast<std::size_t>(index)]; };
  std::priority_queue<Merge> possible;
  const auto consider = [&](int left, int right) {
    if (left < 0 || right < 0) return;
    const std::string_view both(at(left).text.data(), at(left).text.size() + at(right).text.size());
    const auto piece = pieces_.find(both);
    if (piece != pieces_.end()) possible.push({piece->second.score, left, right, both.size()});
  };
  for (int right = 1; right < static_cast<int>(symbols.size()); ++right) consider(right - 1, right);

  std::vector<Merge> left_out;  // in this step; they are possible again in the next one
  while (!possible.empty()) {
    const Merge merge = possible.top();
    possible.pop();
    if (!merge.holds(symbols)) continue;
    if (random.uniform() < amount) {
      left_out.push_back(merge);
      continue;
    }
    Symbol &left = at(merge.left), &right = at(merge.right);
    left.text = {left.text.data(), merge.bytes};
    right.text = {};
    left.next = right.next;
    if (left.next >= 0) at(left.next).previous = merge.left;
    consider(left.previous, merge.left);
    consider(merge.left, left.next);
    for (const Merge& again : left_out) possible.push(again);
    left_out.clear();
  }
  for (int index = 0; index >= 0; index = at(index).next) parts.push_back(at(index).text);
}

template <class Visit>
void CutSampler::each_part_before(std::string_view text, std::size_t end, Visit&& visit) const {
  const std::size_t last_character = previous_character(text, end);
  for (std::size_t start = last_character;; start = previous_character(text, start)) {
    const auto piece = pieces_.find(text.substr(start, end - start));
    if (piece != pieces_.end()) {
      visit(start, static_cast<double>(piece->second.score));
    } else if (start == last_character) {
      visit(start, unknown_score_);
    }
    if (start == 0 || end - start >= longest_) return;
  }
}

void CutSampler::draw(std::string_view text, double power, RandomStream& random, Parts& parts) const {
  constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();
  // Forward: weight[i] is the logarithm of the summed weights of all cuts of the first i bytes.
  std::vector<double> weight(text.size() + 1, kMinusInfinity);
  weight[0] = 0;
  for (std::size_t end = 0; end < text.size();) {
    end += first_character(text.substr(end)).size();
    each_part_before(text, end, [&](std::size_t start, double score) {
      const double through = weight[start] + power * score;
      weight[end] = weight[end] == kMinusInfinity ? through : log_add(weight[end], through);
    });
  }

  // Backward: draw the last part, then the part before it, and so on.
  const std::size_t first = parts.size();
  for (std::size_t end = text.size(); end > 0;) {
    double remaining = random.uniform();
    std::size_t chosen = end;
    each_part_before(text, end, [&](std::size_t start, double score) {
      if (remaining < 0) return;
      remaining -= std::exp(weight[start] + power * score - weight[end]);
      chosen = start;  // if rounding leaves a remainder, the last part visited is chosen
    });
    parts.push_back(text.substr(chosen, end - chosen));
    end = chosen;
  }
  std::reverse(parts.begin() + static_cast<std::ptrdiff_t>(first), parts.end());
}

std::vector<std::int32_t> CutSampler::ids_of(const Parts& parts) const {
  std::vector<std::int32_t> ids;
  for (const std::string_view part : parts) {
    if (const auto piece = pieces_.find(part); piece != pieces_.end()) {
      ids.push_back(piece->second.id);
    } else if (const auto whole = user_defined_.find(part); whole != user_defined_.end()) {
      ids.push_back(whole->second);
    } else if (!bytes_.empty()) {
      for (const char byte : part) ids.push_back(bytes_[static_cast<unsigned char>(byte)]);
    } else if (ids.empty() || ids.back() != kUnk) {
      ids.push_back(kUnk);  // like SentencePiece: consecutive unknown characters become one token
    }
  }
  return ids;
}

}  // namespace dragoman::text
