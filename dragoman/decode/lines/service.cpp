#include "dragoman/decode/lines/service.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "dragoman/backend/device_errors.h"
#include "dragoman/base/strings.h"
#include "dragoman/decode/search/offers.h"

namespace dragoman::decode {
namespace {

// The callback must not throw; if it does, the exception is ignored, so that other orders do not suffer.
void call_done(const Order& order, std::size_t line, Order::Outcome outcome) noexcept {
  try {
    order.done(line, std::move(outcome));
  } catch (...) {
  }
}

}  // namespace

// The queue from which one worker takes the lines of all orders.
class Service::WorkerQueue final : public LineQueue {
 public:
  explicit WorkerQueue(Service& service) : service_(service) {}

  std::optional<Line> take(bool wait) override {
    return take_of([](const std::string&) { return true; }, wait);
  }

  std::optional<Line> take_of(const Accepts& accepts, bool wait) override {
    std::unique_lock lock(service_.mutex_);
    std::deque<Turn>& turns = service_.turns_;
    if (wait) service_.lines_.wait(lock, [&] { return service_.ending_ || !turns.empty(); });
    if (service_.ending_) return std::nullopt;
    const auto next = std::ranges::find_if(turns, accepts, &Turn::client);
    if (next == turns.end()) return std::nullopt;
    Turn turn = std::move(*next);
    turns.erase(next);
    const Ticket ticket = turn.orders.front();
    turn.orders.pop_front();
    OpenOrder& open = *service_.open_.at(ticket);
    const std::size_t line = open.waiting.front();
    open.waiting.pop_front();
    SourceLine source = std::move(open.order.lines[line]);
    if (!source.number) source.number = static_cast<std::int64_t>(line) + 1;
    source.options.client = turn.client;
    service_.places_.give_back(turn.client, 1);
    // The order goes to the end of its client's orders, and the client to the end of the clients.
    if (!open.waiting.empty()) turn.orders.push_back(ticket);
    if (!turn.orders.empty()) turns.push_back(std::move(turn));
    const std::int64_t number = service_.numbers_++;
    service_.taken_.emplace(number, Taken{ticket, line, this});
    --service_.counts_.waiting;
    ++service_.counts_.under_way;
    return Line{number, std::move(source)};
  }

  void finish(TranslatedLine line) override {
    const std::int64_t number = line.number;
    const auto error = line.failed ? std::make_exception_ptr(Error(std::string(kNotFinite))) : nullptr;
    service_.deliver(number, {std::move(line), error});
  }

  void refuse(std::int64_t number, const std::string& reason) override {
    service_.deliver(number, {{}, std::make_exception_ptr(UsageError("a sentence" + reason))});
  }

  bool given_up() override {
    const std::lock_guard lock(service_.mutex_);
    return service_.ending_;
  }

  std::vector<std::int64_t> take_cancelled() override {
    const std::lock_guard lock(service_.mutex_);
    return std::exchange(cancelled_, {});
  }

  void report_settled(std::int64_t number, const std::string& text) override {
    std::unique_lock lock(service_.mutex_);
    const auto found = service_.taken_.find(number);
    if (found == service_.taken_.end()) return;
    const std::size_t line = found->second.line;
    const std::shared_ptr<OpenOrder> open = service_.open_.at(found->second.ticket);
    lock.unlock();
    const std::lock_guard calling(open->calling);
    if (!open->cancelled && open->order.settled) open->order.settled(line, text);
  }

  void count_step(std::int64_t sentences) override {
    const std::lock_guard lock(service_.mutex_);
    ++service_.counts_.steps;
    service_.counts_.step_sentences += sentences;
  }

  // The worker failed: all lines that it had taken fail with it. Returns false if it had none. Does not allocate,
  // because there may be no memory left.
  bool fail(const std::exception_ptr& error) {
    bool had_lines = false;
    while (const std::optional<std::int64_t> number = any_line()) {
      service_.deliver(*number, {{}, error});
      had_lines = true;
    }
    const std::lock_guard lock(service_.mutex_);
    cancelled_.clear();
    return had_lines;
  }

  // Whether all lines that the worker has taken, if any, belong to one order.
  bool has_one_order() const {
    const std::lock_guard lock(service_.mutex_);
    std::optional<Ticket> first;
    for (const auto& [number, taken] : service_.taken_) {
      if (taken.by != this) continue;
      if (first && *first != taken.ticket) return false;
      first = taken.ticket;
    }
    return true;
  }

 private:
  friend class Service;

  // The number of a line that the worker has taken, if there is one.
  std::optional<std::int64_t> any_line() const {
    const std::lock_guard lock(service_.mutex_);
    for (const auto& [number, taken] : service_.taken_) {
      if (taken.by == this) return number;
    }
    return std::nullopt;
  }

  Service& service_;
  std::vector<std::int64_t> cancelled_;  // numbers of cancelled lines; guarded by the service's mutex
};

namespace {

TranslatorOptions with_fairness(TranslatorOptions options) {
  options.fair = true;
  return options;
}

}  // namespace

Service::Service(const std::filesystem::path& directory, const TranslatorOptions& options, std::int64_t max_waiting,
                 OnLost on_lost)
    : translator_(directory, with_fairness(options)), on_lost_(std::move(on_lost)), places_(max_waiting) {
  try {
    for (int worker = 0; worker < options.workers; ++worker) workers_.emplace_back([this, worker] { work(worker); });
  } catch (const std::exception& error) {
    end();
    throw Error(join("cannot start ", options.workers, " workers (", error.what(), "). Use fewer."));
  }
}

Service::~Service() { end(); }

void Service::end() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  lines_.notify_all();
  for (std::thread& worker : workers_) worker.join();
  workers_.clear();
  fail_orders(std::make_exception_ptr(Overload("the service has ended.")));
}

// Fails all orders that are not done, and takes no lines from now on. Workers may still be busy: their results are
// dropped.
void Service::fail_orders(const std::exception_ptr& error) {
  std::unique_lock lock(mutex_);
  ending_ = true;
  lines_.notify_all();
  for (const auto& [number, taken] : taken_) open_.at(taken.ticket)->waiting.push_back(taken.line);
  taken_.clear();
  turns_.clear();
  counts_.waiting = counts_.under_way = 0;
  std::vector<Ticket> tickets;
  for (const auto& [ticket, open] : open_) tickets.push_back(ticket);
  for (const Ticket ticket : tickets) {
    const auto found = open_.find(ticket);
    if (found == open_.end()) continue;                     // cancelled or done meanwhile
    const std::shared_ptr<OpenOrder> open = found->second;  // stays in open_, so that cancel() waits for its callbacks
    const std::deque<std::size_t> lines = std::exchange(open->waiting, {});
    lock.unlock();
    {
      const std::lock_guard calling(open->calling);
      for (const std::size_t line : lines) {
        if (!open->cancelled) call_done(open->order, line, {{}, error});
      }
    }
    lock.lock();
    open->left -= lines.size();
    if (open->left == 0) open_.erase(ticket);  // otherwise a worker is delivering the last lines
  }
  if (open_.empty()) idle_.notify_all();
}

namespace {

// The reason, if the error is a DeviceLost.
std::optional<std::string> loss_in(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const DeviceLost& lost) {
    return lost.what();
  } catch (...) {
    return std::nullopt;
  }
}

// The error for the lines of a worker that failed. If they belong to one order, and others do not use the memory, the
// order is too large.
std::exception_ptr error_of_lines(const std::exception_ptr& error, bool one_order) {
  try {
    std::rethrow_exception(error);
  } catch (const DeviceFull&) {
    return error;
  } catch (const MemoryError& shortage) {
    return one_order ? std::make_exception_ptr(TooLarge(shortage.what())) : error;
  } catch (...) {
    return error;
  }
}

}  // namespace

// A worker that failed starts again, because an error that some lines caused need not concern the others. If its device
// is lost, so are all workers.
void Service::work(int worker) {
  WorkerQueue queue(*this);
  while (!queue.given_up()) {
    std::exception_ptr error;
    try {
      translator_.work(worker, queue);
    } catch (...) {
      error = std::current_exception();
    }
    if (!error) continue;
    try {
      if (const auto reason = loss_in(error)) return lose_device(error, *reason);
      if (queue.fail(error_of_lines(error, queue.has_one_order()))) continue;
      // The worker failed before it took a line. The next line gets the error, so that it does not go unnoticed.
      const std::optional<LineQueue::Line> next = queue.take(true);
      if (next) deliver(next->number, {{}, error});
    } catch (...) {  // not even enough memory for that: the client will notice when its request times out
    }
  }
}

void Service::lose_device(const std::exception_ptr& error, const std::string& reason) {
  {
    const std::lock_guard lock(mutex_);
    if (lost_) return;
    lost_ = error;
  }
  if (on_lost_) on_lost_(reason);
  fail_orders(error);
}

Service::Ticket Service::submit(Order order) {
  const auto count = static_cast<std::int64_t>(order.lines.size());
  require<UsageError>(count <= max_waiting(), "an order of ", counted(count, "sentence"), " is too large: at most ",
                      max_waiting(), " may wait; divide it.");
  const std::lock_guard lock(mutex_);
  if (lost_) std::rethrow_exception(lost_);
  require<Overload>(!ending_, "the service has ended.");
  const Ticket ticket = orders_++;
  if (count == 0) return ticket;
  require<Overload>(places_.has_room(order.client, count),
                    "the queue is full: ", counted(counts_.waiting, "sentence waits", "sentences wait"), ", ",
                    places_.held_by(order.client), " of them yours; try again in a moment.");
  auto open = std::make_shared<OpenOrder>();
  for (std::size_t line = 0; line < order.lines.size(); ++line) open->waiting.push_back(line);
  open->left = order.lines.size();
  const std::string client = order.client;
  open->order = std::move(order);
  const auto turn = std::ranges::find(turns_, client, &Turn::client);
  if (turn != turns_.end()) {
    turn->orders.push_back(ticket);
  } else {
    turns_.push_back({client, {ticket}});
  }
  open_.emplace(ticket, std::move(open));
  counts_.waiting += count;
  places_.take_unchecked(client, count);
  lines_.notify_all();
  return ticket;
}

void Service::cancel(Ticket ticket) {
  std::shared_ptr<OpenOrder> open;
  {
    const std::lock_guard lock(mutex_);
    const auto found = open_.find(ticket);
    if (found == open_.end()) return;
    open = found->second;
    open_.erase(found);
    for (Turn& turn : turns_) {
      if (turn.client == open->order.client) std::erase(turn.orders, ticket);
    }
    std::erase_if(turns_, [](const Turn& turn) { return turn.orders.empty(); });
    if (!ending_) {  // otherwise no line waits any more
      counts_.waiting -= std::ssize(open->waiting);
      places_.give_back(open->order.client, std::ssize(open->waiting));
    }
    std::erase_if(taken_, [&](const auto& entry) {
      const auto& [number, taken] = entry;
      if (taken.ticket != ticket) return false;
      taken.by->cancelled_.push_back(number);
      --counts_.under_way;
      return true;
    });
    if (open_.empty()) idle_.notify_all();
  }
  const std::lock_guard calling(open->calling);  // waits for a callback that is running
  open->cancelled = true;
}

// Calls `done` for a line that a worker has taken, without holding the mutex of the service.
void Service::deliver(std::int64_t number, Order::Outcome outcome) {
  std::shared_ptr<OpenOrder> open;
  Taken taken{};
  {
    const std::lock_guard lock(mutex_);
    const auto found = taken_.find(number);
    if (found == taken_.end()) return;  // the order was cancelled
    taken = found->second;
    open = open_.at(taken.ticket);
    taken_.erase(found);
    // Its number so far was that of the service, which depends on the orders before.
    outcome.line.number = static_cast<std::int64_t>(taken.line) + 1;
    --counts_.under_way;
    ++counts_.finished;
    counts_.source_tokens += static_cast<std::int64_t>(outcome.line.source.size());
    counts_.target_tokens += outcome.line.tokens;
  }
  {
    const std::lock_guard calling(open->calling);
    if (!open->cancelled) call_done(open->order, taken.line, std::move(outcome));
  }
  const std::lock_guard lock(mutex_);
  if (--open->left == 0) open_.erase(taken.ticket);
  if (open_.empty()) idle_.notify_all();
}

void Service::drain() {
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [&] { return open_.empty(); });
}

ServiceCounts Service::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

}  // namespace dragoman::decode
