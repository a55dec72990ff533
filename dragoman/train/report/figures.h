// Named numbers, in the order in which they were added: the losses of an update, the scores of a validation.
#pragma once

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dragoman::train {

class Figures {
 public:
  using Entry = std::pair<std::string, double>;

  Figures() = default;
  Figures(std::initializer_list<Entry> entries) : entries_(entries) {}

  bool has(std::string_view name) const { return find(name) != entries_.end(); }
  // NaN if there is no number with this name.
  double operator[](std::string_view name) const {
    const auto found = find(name);
    return found == entries_.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
  }
  void set(std::string_view name, double value) {
    const auto found = std::ranges::find(entries_, name, &Entry::first);
    if (found != entries_.end()) {
      found->second = value;
    } else {
      entries_.emplace_back(name, value);
    }
  }

  bool empty() const { return entries_.empty(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

  // Adds each number of `more`, multiplied by `times`, to the number with the same name.
  void add(const Figures& more, double times) {
    for (const auto& [name, value] : more) set(name, (has(name) ? (*this)[name] : 0) + value * times);
  }
  // Each number divided by `divisor`.
  Figures over(double divisor) const {
    Figures result;
    for (const auto& [name, value] : entries_) result.entries_.emplace_back(name, value / divisor);
    return result;
  }
  bool finite() const {
    return std::ranges::all_of(entries_, [](const Entry& entry) { return std::isfinite(entry.second); });
  }

 private:
  std::vector<Entry>::const_iterator find(std::string_view name) const {
    return std::ranges::find(entries_, name, &Entry::first);
  }

  std::vector<Entry> entries_;
};

}  // namespace dragoman::train
