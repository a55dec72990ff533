// Ranks that are threads of one process, for tests.
#pragma once

#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "dragoman/exchange/exchange.h"

namespace dragoman::train {

// Messages between ranks that are threads of this process, in order for each pair of sender and receiver.
class Mail {
 public:
  void send(int from, int to, const Array& array) {
    const auto* bytes = static_cast<const char*>(array.raw());
    const std::lock_guard lock(mutex_);
    letters_[{from, to}].emplace_back(bytes, bytes + array.count() * static_cast<std::int64_t>(size_of(array.dtype())));
    changed_.notify_all();
  }
  void receive(int from, int to, const Array& array) {
    std::unique_lock lock(mutex_);
    std::deque<std::vector<char>>& waiting = letters_[{from, to}];
    changed_.wait(lock, [&] { return !waiting.empty(); });
    std::memcpy(array.raw(), waiting.front().data(), waiting.front().size());
    waiting.pop_front();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::pair<int, int>, std::deque<std::vector<char>>> letters_;
};

class ThreadRank final : public exchange::Exchange {
 public:
  ThreadRank(Mail& mail, int rank, int ranks) : mail_(mail), rank_(rank), ranks_(ranks) {}

  int rank() const override { return rank_; }
  int ranks() const override { return ranks_; }
  int local_rank() const override { return rank_; }
  void check() override {}
  void trade(const Backend& on, int partner, const Array& out, Array in) override {
    send(on, partner, out);
    receive(on, partner, in);
  }
  void send(const Backend&, int to, const Array& array) override { mail_.send(rank_, to, array); }
  void receive(const Backend&, int from, Array array) override { mail_.receive(from, rank_, array); }
  std::vector<std::int64_t> gather(std::span<const std::int64_t>) override { return {}; }
  std::string broadcast(const std::string&) override { return ""; }
  void report_failure(const std::string&) override {}

 private:
  Mail& mail_;
  int rank_, ranks_;
};

// Runs work(exchange) as each of several ranks.
inline void on_each_rank(int ranks, const std::function<void(exchange::Exchange&)>& work) {
  Mail mail;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      ThreadRank exchange(mail, rank, ranks);
      work(exchange);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace dragoman::train
