// A queue of items of several clients that is fair to them: it gives one item of each waiting client, then the next
// item of each.
#pragma once

#include <deque>
#include <string>
#include <unordered_map>
#include <utility>

namespace dragoman::serve {

// Not safe to use from several threads at once.
template <class Item>
class Turns {
 public:
  bool empty() const { return order_.empty(); }

  void add(const std::string& client, Item item) {
    std::deque<Item>& items = items_[client];
    if (items.empty()) order_.push_back(client);
    items.push_back(std::move(item));
  }

  // Must not be called when empty().
  Item next() {
    std::string client = std::move(order_.front());
    order_.pop_front();
    const auto found = items_.find(client);
    Item item = std::move(found->second.front());
    found->second.pop_front();
    if (found->second.empty()) {
      items_.erase(found);
    } else {
      order_.push_back(std::move(client));  // other clients come first
    }
    return item;
  }

 private:
  std::unordered_map<std::string, std::deque<Item>> items_;
  std::deque<std::string> order_;  // clients that have items
};

}  // namespace dragoman::serve
