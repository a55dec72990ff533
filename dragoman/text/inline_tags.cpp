#include "dragoman/text/inline_tags.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "dragoman/base/utf8.h"
#include "dragoman/text/characters.h"
#include "dragoman/text/entities.h"

namespace dragoman::text {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);
// Placing takes time in proportion to the depth. No page that is meant to be read comes near.
constexpr std::size_t kDeepest = 32;

// The smallest part of a text that tags go around: a word, an ideograph or a punctuation mark. White space is between
// atoms.
struct Atom {
  Range bytes;
  bool word = false;
};
using Atoms = std::vector<Atom>;

// The text's atoms, cut further at some bytes, which are in order.
Atoms atoms_of(std::string_view text, std::span<const std::size_t> cuts) {
  Atoms atoms;
  bool grows = false;  // whether a letter would belong to the last atom
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t code = next_code_point(text, at);
    while (!cuts.empty() && cuts.front() < begin) cuts = cuts.subspan(1);
    const bool cut = !cuts.empty() && cuts.front() == begin;
    const bool letter = is_letter(code) || is_digit(code) || is_accent(code);
    const bool single = !letter || is_ideographic(code);
    if (is_white_space(code)) {
      grows = false;
    } else if (grows && !single && !cut) {
      atoms.back().bytes.end = at;
    } else {
      atoms.push_back({{begin, at}, letter});
      grows = !single;
    }
  }
  return atoms;
}

// The numbers of the atoms that a range of bytes touches.
Range touched(const Atoms& atoms, const Range& bytes) {
  const auto end_of = [](const Atom& atom) { return atom.bytes.end; };
  const auto begin_of = [](const Atom& atom) { return atom.bytes.begin; };
  const auto first = std::ranges::upper_bound(atoms, bytes.begin, {}, end_of);
  const auto last = std::ranges::lower_bound(atoms, bytes.end, {}, begin_of);
  const auto begin = static_cast<std::size_t>(first - atoms.begin());
  return {begin, std::max(begin, static_cast<std::size_t>(last - atoms.begin()))};
}

std::string_view slice(std::string_view text, const Range& range) {
  const std::size_t end = std::min(range.end, text.size()), begin = std::min(range.begin, end);
  return text.substr(begin, end - begin);
}

// Which target atoms each source atom became.
class Images {
 public:
  // Links have to be as place_tags() takes them, at least one.
  Images(const Atoms& source, const Atoms& target, std::span<const Link> links) : target_(target) {
    for (const Link& link : links) connect(source, touched(source, link.source), touched(target, link.target));
    std::ranges::sort(pairs_);
    pairs_.erase(std::unique(pairs_.begin(), pairs_.end()), pairs_.end());
    count_costs();
    find_neighbours(source.size());
  }

  // Where the target atoms are that these source atoms became, most of them and few others; nothing if they became
  // none.
  std::optional<Range> image(const Range& atoms) const {
    std::vector<std::size_t> targets;
    auto pair = std::ranges::lower_bound(pairs_, std::pair(atoms.begin, std::size_t{0}));
    for (; pair != pairs_.end() && pair->first < atoms.end; ++pair) targets.push_back(pair->second);
    if (targets.empty()) return std::nullopt;
    std::ranges::sort(targets);
    targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
    return best_run(targets);
  }

  // Where between target atoms something goes that stands before a source atom, and belongs to it or to the one before.
  std::size_t place(std::size_t before, bool belongs_left) const {
    const std::size_t sources = left_.size() - 1;
    if (before == 0) return 0;
    if (before == sources) return target_.size();
    const std::size_t left = left_[before], right = right_[before];
    if (left == kNone && right == kNone) return before * target_.size() / sources;
    return right == kNone || (belongs_left && left != kNone) ? left : right;
  }

 private:
  // Words to words and marks to marks; where there are more of them on one side, in proportion.
  void connect(const Atoms& source, const Range& from, const Range& to) {
    for (const bool word : {true, false}) {
      const std::vector<std::size_t> a = those(source, from, word), b = those(target_, to, word);
      if (a.empty() || b.empty()) continue;
      if (word) {
        const std::size_t steps = std::max(a.size(), b.size());
        for (std::size_t i = 0; i < steps; ++i) pairs_.emplace_back(a[i * a.size() / steps], b[i * b.size() / steps]);
      } else {
        // Marks are most alike at the end of words and sentences.
        const std::size_t steps = std::min(a.size(), b.size());
        for (std::size_t i = 1; i <= steps; ++i) pairs_.emplace_back(a[a.size() - i], b[b.size() - i]);
      }
    }
  }

  static std::vector<std::size_t> those(const Atoms& atoms, const Range& range, bool word) {
    std::vector<std::size_t> numbers;
    for (std::size_t i = range.begin; i < range.end; ++i) {
      if (atoms[i].word == word) numbers.push_back(i);
    }
    return numbers;
  }

  // A foreign word inside a run costs what a word of its own gains; one that nothing became costs half of it.
  void count_costs() {
    std::vector<bool> linked(target_.size());
    for (const auto& [from, to] : pairs_) linked[to] = true;
    costs_.push_back(0);
    for (std::size_t i = 0; i < target_.size(); ++i) {
      costs_.push_back(costs_.back() + (!target_[i].word ? 0 : linked[i] ? 2 : 1));
    }
  }

  // left_[i]: behind what the nearest source atom before i became; right_[i]: before what the nearest from i on became.
  void find_neighbours(std::size_t sources) {
    left_.assign(sources + 1, kNone);
    right_.assign(sources + 1, kNone);
    for (const auto& [from, to] : pairs_) {
      left_[from + 1] = to + 1;  // the last of a source atom counts
      right_[from] = std::min(right_[from], to);
    }
    for (std::size_t i = 1; i <= sources; ++i) {
      if (left_[i] == kNone) left_[i] = left_[i - 1];
    }
    for (std::size_t i = sources; i-- > 0;) {
      if (right_[i] == kNone) right_[i] = right_[i + 1];
    }
  }

  // The run of atoms with the greatest gain: of those that are wanted, less the cost of those between them.
  Range best_run(const std::vector<std::size_t>& targets) const {
    Range best{targets[0], targets[0] + 1};
    std::size_t begin = targets[0];
    std::int64_t sum = 0, best_sum = -1;
    for (std::size_t i = 0; i < targets.size(); ++i) {
      const std::size_t at = targets[i];
      if (i > 0) sum -= costs_[at] - costs_[targets[i - 1] + 1];
      if (sum <= 0) {
        sum = 0;
        begin = at;
      }
      sum += target_[at].word ? 2 : 1;
      if (sum > best_sum) {
        best_sum = sum;
        best = {begin, at + 1};
      }
    }
    return best;
  }

  const Atoms& target_;
  std::vector<std::pair<std::size_t, std::size_t>> pairs_;  // source and target atom, in order
  std::vector<std::int64_t> costs_;                         // of all target atoms before one
  std::vector<std::size_t> left_, right_;
};

// Something to place between target atoms: a pair of tags with all that is inside it, or one tag.
struct Item {
  std::size_t first = 0, last = 0;  // its tags
  Range atoms = {};
};

// Moves items that share a parent so that no two overlap, inside the parent's range, and puts them in order.
void set_apart(std::vector<Item>& items, const Range& parent) {
  std::vector<Item> wide, points;
  for (Item& item : items) {
    item.atoms.begin = std::clamp(item.atoms.begin, parent.begin, parent.end);
    item.atoms.end = std::clamp(item.atoms.end, item.atoms.begin, parent.end);
    (item.atoms.begin < item.atoms.end ? wide : points).push_back(item);
  }
  std::ranges::stable_sort(wide, {}, [](const Item& item) { return item.atoms.begin + item.atoms.end; });
  for (std::size_t i = 1; i < wide.size(); ++i) {
    Range &left = wide[i - 1].atoms, &right = wide[i].atoms;
    if (left.end <= right.begin) continue;
    left.end = right.begin = std::max(left.begin, (right.begin + left.end) / 2);
    right.end = std::max(right.end, right.begin);
  }
  for (Item& point : points) {
    const auto after =
        std::ranges::upper_bound(wide, point.atoms.begin, {}, [](const Item& i) { return i.atoms.begin; });
    if (after == wide.begin()) continue;
    const Range& around = std::prev(after)->atoms;
    const std::size_t at = point.atoms.begin;
    if (at <= around.begin || at >= around.end) continue;
    point.atoms.begin = point.atoms.end = at - around.begin < around.end - at ? around.begin : around.end;
  }
  items = std::move(wide);
  items.insert(items.end(), points.begin(), points.end());
  std::ranges::sort(items, {}, [](const Item& i) { return std::tuple(i.atoms.begin, i.atoms.end, i.first); });
}

class Placing {
 public:
  Placing(std::string_view source, std::span<const InlineTag> tags, const Translation& translation)
      : tags_(tags),
        text_(translation.text),
        links_(is_orderly(tags) ? translation.links : std::vector<Link>{}),
        source_(atoms_of(source, places(tags))) {
    if (links_.empty()) links_.push_back({{0, source.size()}, {0, text_.size()}});
    target_ = atoms_of(text_, target_cuts(source));
  }

  std::string html() {
    const Images images(source_, target_, links_);
    if (is_orderly(tags_)) {
      place_items(images, {0, tags_.size()}, {0, target_.size()});
    } else {
      place_in_order(images);
    }
    write_atoms(target_.size());
    html_ += as_html(text_.substr(written_));
    return std::move(html_);
  }

 private:
  static std::vector<std::size_t> places(std::span<const InlineTag> tags) {
    std::vector<std::size_t> places;
    for (const InlineTag& tag : tags) places.push_back(tag.at);
    return places;
  }

  // Whether all tags that need a partner have one, and pairs are nested, not too deeply.
  static bool is_orderly(std::span<const InlineTag> tags) {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < tags.size(); ++i) {
      if (tags[i].kind == TagKind::kAlone) continue;
      if (tags[i].kind == TagKind::kOpening) {
        open.push_back(i);
        if (open.size() > kDeepest) return false;
      } else {
        if (open.empty() || tags[i].partner != open.back() || tags[open.back()].partner != i) return false;
        open.pop_back();
      }
    }
    return open.empty();
  }

  // A word that stays as it is keeps the tags inside it: it is cut where its source is.
  std::vector<std::size_t> target_cuts(std::string_view source) const {
    std::vector<std::size_t> cuts;
    for (const Link& link : links_) {
      if (slice(source, link.source) != slice(text_, link.target)) continue;
      auto tag = std::ranges::upper_bound(tags_, link.source.begin, {}, &InlineTag::at);
      for (; tag != tags_.end() && tag->at < link.source.end; ++tag) {
        cuts.push_back(link.target.begin + tag->at - link.source.begin);
      }
    }
    std::ranges::sort(cuts);
    return cuts;
  }

  // The source atom that a tag stands before.
  std::size_t atom_after(const InlineTag& tag) const {
    const auto begin_of = [](const Atom& atom) { return atom.bytes.begin; };
    return static_cast<std::size_t>(std::ranges::lower_bound(source_, tag.at, {}, begin_of) - source_.begin());
  }

  bool touches_left(const InlineTag& tag) const {
    const std::size_t after = atom_after(tag);
    return after > 0 && source_[after - 1].bytes.end == tag.at;
  }
  bool touches_right(const InlineTag& tag) const {
    const std::size_t after = atom_after(tag);
    return after < source_.size() && source_[after].bytes.begin == tag.at;
  }

  std::size_t place(const Images& images, const InlineTag& tag) const {
    const bool left = tag.kind == TagKind::kClosing || (touches_left(tag) && !touches_right(tag));
    return images.place(atom_after(tag), left && tag.kind != TagKind::kOpening);
  }

  Range range_of(const Images& images, std::size_t first, std::size_t last) const {
    const Range source{atom_after(tags_[first]), atom_after(tags_[last])};
    if (first != last && source.begin < source.end) {
      if (source.begin == 0 && source.end == source_.size()) return {0, target_.size()};
      if (const std::optional<Range> image = images.image(source)) return *image;
    }
    const std::size_t at = place(images, tags_[first]);
    return {at, at};
  }

  // Places some tags, which make whole pairs, inside a range of target atoms.
  void place_items(const Images& images, const Range& tags, const Range& parent) {
    std::vector<Item> items;
    for (std::size_t i = tags.begin; i < tags.end; i = items.back().last + 1) {
      const std::size_t last = tags_[i].kind == TagKind::kAlone ? i : *tags_[i].partner;
      items.push_back({i, last, range_of(images, i, last)});
    }
    set_apart(items, parent);
    for (const Item& item : items) {
      write_tag(tags_[item.first], item.atoms.begin);
      if (item.first == item.last) continue;
      place_items(images, {item.first + 1, item.last}, item.atoms);
      write_tag(tags_[item.last], item.atoms.end);
    }
  }

  void place_in_order(const Images& images) {
    std::size_t at = 0;
    for (const InlineTag& tag : tags_) {
      at = std::max(at, place(images, tag));
      write_tag(tag, at);
    }
  }

  // Behind `before` target atoms, on the side of the white space there on which it is in the source.
  void write_tag(const InlineTag& tag, std::size_t before) {
    write_atoms(before);
    const bool left = touches_left(tag), right = touches_right(tag);
    const bool behind_space = left == right ? tag.kind != TagKind::kClosing : right;
    const std::size_t next = before < target_.size() ? target_[before].bytes.begin : text_.size();
    if (behind_space && next > written_ && before < target_.size()) write_text(next);
    html_ += tag.bytes;
  }

  void write_atoms(std::size_t before) {
    if (before > 0 && target_[before - 1].bytes.end > written_) write_text(target_[before - 1].bytes.end);
  }

  void write_text(std::size_t end) {
    html_ += as_html(text_.substr(written_, end - written_));
    written_ = end;
  }

  std::span<const InlineTag> tags_;
  std::string_view text_;
  std::vector<Link> links_;
  Atoms source_, target_;
  std::string html_;
  std::size_t written_ = 0;  // bytes of the text
};

}  // namespace

std::vector<Range> words_of(std::string_view text) {
  std::vector<Range> words;
  bool inside = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const bool space = is_white_space(next_code_point(text, at));
    if (!space && !inside) words.push_back({begin, at});
    if (!space) words.back().end = at;
    inside = !space;
  }
  return words;
}

std::vector<Link> link_words(std::string_view source, std::string_view target,
                             std::span<const std::pair<std::int64_t, std::int64_t>> alignment) {
  const std::vector<Range> from = words_of(source), to = words_of(target);
  std::vector<Link> links;
  for (const auto& [a, b] : alignment) {
    const bool known = a >= 0 && b >= 0 && a < std::ssize(from) && b < std::ssize(to);
    if (known) links.push_back({from[static_cast<std::size_t>(a)], to[static_cast<std::size_t>(b)]});
  }
  return links;
}

std::string place_tags(std::string_view source, std::span<const InlineTag> tags, const Translation& translation) {
  return Placing(source, tags, translation).html();
}

}  // namespace dragoman::text
