// The exchange of a process that trains without others.
#pragma once

#include "dragoman/exchange/exchange.h"

namespace dragoman::exchange {

class Alone final : public Exchange {
 public:
  int rank() const override { return 0; }
  int ranks() const override { return 1; }
  int local_rank() const override { return 0; }

  // There is no partner, so these are never called.
  void trade(const Backend& on, int partner, const Array& out, Array in) override;
  void send(const Backend& on, int to, const Array& array) override;
  void receive(const Backend& on, int from, Array array) override;

  void check() override {}
  std::vector<std::int64_t> gather(std::span<const std::int64_t> mine) override { return {mine.begin(), mine.end()}; }
  std::string broadcast(const std::string& text) override { return text; }
  void report_failure(const std::string&) override {}
};

}  // namespace dragoman::exchange
