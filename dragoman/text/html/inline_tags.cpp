#include "dragoman/text/html/inline_tags.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "dragoman/text/html/entities.h"

namespace dragoman::text {
namespace {

// The time for placing grows with the depth. Pages that people read do not come near this depth.
constexpr std::size_t kDeepest = 32;

std::string_view slice(std::string_view text, const Range& range) {
  const std::size_t end = std::min(range.end, text.size()), begin = std::min(range.begin, end);
  return text.substr(begin, end - begin);
}

// What is placed between target atoms: a single tag, or a pair of tags with everything inside it.
struct Item {
  std::size_t first = 0, last = 0;  // indices of its first and last tag
  Range atoms = {};                 // the target atoms that it encloses; if empty, it is placed before atom `begin`
};

// `items` share a parent. Moves them into the parent's range so that no two overlap, and sorts them by position.
void resolve_overlaps(std::vector<Item>& items, const Range& parent) {
  std::vector<Item> wide, points;
  for (Item& item : items) {
    item.atoms.begin = std::clamp(item.atoms.begin, parent.begin, parent.end);
    item.atoms.end = std::clamp(item.atoms.end, item.atoms.begin, parent.end);
    (item.atoms.begin < item.atoms.end ? wide : points).push_back(item);
  }
  // 1. Items that cover atoms: sort them by their middle, and divide an overlap of neighbours between the two.
  std::ranges::stable_sort(wide, {}, [](const Item& item) { return item.atoms.begin + item.atoms.end; });
  for (std::size_t i = 1; i < wide.size(); ++i) {
    Range &left = wide[i - 1].atoms, &right = wide[i].atoms;
    if (left.end <= right.begin) continue;
    left.end = right.begin = std::max(left.begin, (right.begin + left.end) / 2);
    right.end = std::max(right.end, right.begin);
  }
  // 2. Items that cover no atoms: move one that is inside another item to the nearer edge of that item.
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

// Places the tags of one text, top down: it finds the image of each pair or tag among the target atoms (what the source
// atoms that it encloses became; see word_images.h), resolves overlaps between siblings, and writes tags and text from
// left to right. Pairs inside a pair are placed within its range. Without links, or if the tags are not well nested,
// one link from the whole source to the whole translation makes all places proportional.
class TagPlacer {
 public:
  TagPlacer(std::string_view source, std::span<const InlineTag> tags, const Translation& translation)
      : tags_(tags),
        text_(translation.text),
        links_(is_well_nested(tags) ? translation.links : std::vector<TextLink>{}),
        source_(atoms_of(source, positions_of(tags))) {
    if (links_.empty()) links_.push_back({{0, source.size()}, {0, text_.size()}});
    target_ = atoms_of(text_, target_cuts(source));
  }

  std::string html() {
    const WordImages images(source_, target_, links_);
    if (is_well_nested(tags_)) {
      place_items(images, {0, tags_.size()}, {0, target_.size()});
    } else {
      place_in_order(images);
    }
    write_atoms(target_.size());
    html_ += as_html(text_.substr(written_));
    return std::move(html_);
  }

 private:
  static std::vector<std::size_t> positions_of(std::span<const InlineTag> tags) {
    std::vector<std::size_t> positions;
    for (const InlineTag& tag : tags) positions.push_back(tag.at);
    return positions;
  }

  // Whether all opening and closing tags have partners, and pairs are nested, but not too deeply.
  static bool is_well_nested(std::span<const InlineTag> tags) {
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

  // A word that is the same in the translation keeps the tags inside it, so the target is cut where the source is cut.
  std::vector<std::size_t> target_cuts(std::string_view source) const {
    std::vector<std::size_t> cuts;
    for (const TextLink& link : links_) {
      if (slice(source, link.source) != slice(text_, link.target)) continue;
      auto tag = std::ranges::upper_bound(tags_, link.source.begin, {}, &InlineTag::at);
      for (; tag != tags_.end() && tag->at < link.source.end; ++tag) {
        cuts.push_back(link.target.begin + tag->at - link.source.begin);
      }
    }
    std::ranges::sort(cuts);
    return cuts;
  }

  // The index of the source atom that follows the tag.
  std::size_t atom_after(const InlineTag& tag) const {
    const auto begin_of = [](const Atom& atom) { return atom.bytes.begin; };
    return static_cast<std::size_t>(std::ranges::lower_bound(source_, tag.at, {}, begin_of) - source_.begin());
  }

  // Whether the tag touches the source atom on its left, or on its right: there is no white space between the two.
  bool touches_left(const InlineTag& tag) const {
    const std::size_t after = atom_after(tag);
    return after > 0 && source_[after - 1].bytes.end == tag.at;
  }
  bool touches_right(const InlineTag& tag) const {
    const std::size_t after = atom_after(tag);
    return after < source_.size() && source_[after].bytes.begin == tag.at;
  }

  // Where to place one tag: the number of target atoms before it. A closing tag, or a tag of kind kAlone that touches
  // only the atom on its left, goes after the image of that atom. Others go before the image of the atom on the right.
  std::size_t place(const WordImages& images, const InlineTag& tag) const {
    const bool left = tag.kind == TagKind::kClosing || (touches_left(tag) && !touches_right(tag));
    return images.place(atom_after(tag), left && tag.kind != TagKind::kOpening);
  }

  // The target atoms that a pair of tags encloses. The range is empty for a single tag (first == last), for a pair that
  // encloses nothing, and if WordImages finds no image.
  Range range_of(const WordImages& images, std::size_t first, std::size_t last) const {
    const Range source{atom_after(tags_[first]), atom_after(tags_[last])};
    if (first != last && source.begin < source.end) {
      if (source.begin == 0 && source.end == source_.size()) return {0, target_.size()};
      if (const std::optional<Range> image = images.image(source)) return *image;
    }
    const std::size_t at = place(images, tags_[first]);
    return {at, at};
  }

  // Places a range of tags, which consists of whole pairs, inside a range of target atoms.
  void place_items(const WordImages& images, const Range& tags, const Range& parent) {
    std::vector<Item> items;
    for (std::size_t i = tags.begin; i < tags.end; i = items.back().last + 1) {
      const std::size_t last = tags_[i].kind == TagKind::kAlone ? i : *tags_[i].partner;
      items.push_back({i, last, range_of(images, i, last)});
    }
    resolve_overlaps(items, parent);
    for (const Item& item : items) {
      write_tag(tags_[item.first], item.atoms.begin);
      if (item.first == item.last) continue;
      place_items(images, {item.first + 1, item.last}, item.atoms);
      write_tag(tags_[item.last], item.atoms.end);
    }
  }

  // For tags that are not well nested: places each tag by itself, but never before the tag that it follows in the
  // source.
  void place_in_order(const WordImages& images) {
    std::size_t at = 0;
    for (const InlineTag& tag : tags_) {
      at = std::max(at, place(images, tag));
      write_tag(tag, at);
    }
  }

  // Writes the first `before` target atoms and then the tag. If there is white space, the tag is on the same side of it
  // as in the source.
  void write_tag(const InlineTag& tag, std::size_t before) {
    write_atoms(before);
    const bool left = touches_left(tag), right = touches_right(tag);
    const bool behind_space = left == right ? tag.kind != TagKind::kClosing : right;
    const std::size_t next = before < target_.size() ? target_[before].bytes.begin : text_.size();
    if (behind_space && next > written_ && before < target_.size()) write_text(next);
    html_ += tag.bytes;
  }

  // Writes the first `before` target atoms, except those that were written earlier.
  void write_atoms(std::size_t before) {
    if (before > 0 && target_[before - 1].bytes.end > written_) write_text(target_[before - 1].bytes.end);
  }

  void write_text(std::size_t end) {
    html_ += as_html(text_.substr(written_, end - written_));
    written_ = end;
  }

  std::span<const InlineTag> tags_;
  std::string_view text_;
  std::vector<TextLink> links_;
  Atoms source_, target_;
  std::string html_;
  std::size_t written_ = 0;  // bytes of text_ written so far
};

}  // namespace

std::string place_tags(std::string_view source, std::span<const InlineTag> tags, const Translation& translation) {
  return TagPlacer(source, tags, translation).html();
}

}  // namespace dragoman::text
