// Things to do for several clients, taken in turns: one for each client that waits, then the next one for each.
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

  // There must be one.
  Item next() {
    std::string client = std::move(order_.front());
    order_.pop_front();
    const auto found = items_.find(client);
    Item item = std::move(found->second.front());
    found->second.pop_front();
    if (found->second.empty()) {
      items_.erase(found);
    } else {
      order_.push_back(std::move(client));  // others come first
    }
    return item;
  }

 private:
  std::unordered_map<std::string, std::deque<Item>> items_;
  std::deque<std::string> order_;  // clients with items
};

}  // namespace dragoman::serve
