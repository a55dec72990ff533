// Translates for many clients at once. Orders come at any time and from any thread, wait in a queue of bounded length,
// and share the batches of the model's workers. On the CPU, the result of an order does not depend on the others.
// Clients take turns, and so do the orders of a client, so that a client that asks for much does not hold up the
// others.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "dragoman/base/shares.h"
#include "dragoman/decode/lines/line_queue.h"
#include "dragoman/decode/lines/translator.h"

namespace dragoman::decode {

// The queue has no room for the order now; the caller may try again later.
struct Overload : Error {
  using Error::Error;
};

// An order needs more memory than a worker may have, even if the worker does nothing else.
struct TooLarge : Error {
  using Error::Error;
};

struct Order {
  // A line's translation, or the error because of which there is none: a UsageError if the line itself is the reason, a
  // TooLarge or another MemoryError if there was not enough memory, a DeviceLost if the device cannot be used any more.
  // The number of the translation is that of the line in the order, counted from 1.
  struct Outcome {
    TranslatedLine line;
    std::exception_ptr error;
  };

  std::vector<SourceLine> lines;
  // Callbacks. Workers call them with the index of the line, counted from 0; for one order never two at a time. They
  // must not throw and must not block. `done` is called once for each line, unless the order is cancelled. `settled` is
  // called for lines that are followed, with the text that their translation is certain to begin with.
  std::function<void(std::size_t line, Outcome outcome)> done;
  std::function<void(std::size_t line, const std::string& text)> settled = {};
  std::string client = {};  // the client that the order belongs to
};

// What a service is doing now, and has done since it started.
struct ServiceCounts {
  std::int64_t waiting = 0, under_way = 0;            // lines at the moment
  std::int64_t finished = 0;                          // lines so far
  std::int64_t source_tokens = 0, target_tokens = 0;  // of the finished lines
  std::int64_t steps = 0, step_sentences = 0;         // decoding steps, and the sentences in all of them
};

class Service {
 public:
  using Ticket = std::int64_t;

  // Called once, by a worker, with the reason why its device cannot be used any more. It must neither throw nor wait.
  using OnLost = std::function<void(const std::string& reason)>;

  // At most `max_waiting` lines of one client wait at a time, and of all clients together an eighth more (see Shares).
  // Throws an Error if the directory does not hold a complete model.
  Service(const std::filesystem::path& directory, const TranslatorOptions& options, std::int64_t max_waiting,
          OnLost on_lost = {});
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  // Accepts the whole order or nothing. Throws an Overload if the queue has no room for it or its client has already
  // taken its share of the queue, a UsageError if the order has more than max_waiting() lines, and the DeviceLost of a
  // worker if there was one: it has ended all workers, and failed all orders that were not done.
  Ticket submit(Order order);
  // Drops the rest of the order: none of its callbacks is called after this returns. Must not be called from a
  // callback.
  void cancel(Ticket ticket);
  // Waits until all orders are done. No order may be submitted meanwhile.
  void drain();
  // Stops the workers. Orders that are not done fail, and so do orders that are submitted later. Must not be called
  // from a callback.
  void end();

  ServiceCounts counts() const;
  const model::LoadedModel& model() const { return translator_.model(); }
  const TranslatorOptions& options() const { return translator_.options(); }
  std::int64_t max_waiting() const { return places_.limit(); }

 private:
  class WorkerQueue;

  // An order that is not done.
  struct OpenOrder {
    Order order;
    std::deque<std::size_t> waiting;  // lines that no worker has taken yet
    std::size_t left = 0;             // number of lines that are not done
    std::mutex calling;               // held while one of its callbacks runs
    bool cancelled = false;           // guarded by `calling`
  };
  // A line that a worker has taken.
  struct Taken {
    Ticket ticket;
    std::size_t line;
    WorkerQueue* by;
  };
  // A client that has lines waiting.
  struct Turn {
    std::string client;
    std::deque<Ticket> orders;  // its orders with waiting lines, in the order of their turns
  };

  void work(int worker);
  void deliver(std::int64_t number, Order::Outcome outcome);
  void lose_device(const std::exception_ptr& error, const std::string& reason);
  void fail_orders(const std::exception_ptr& error);

  Translator translator_;
  OnLost on_lost_;

  mutable std::mutex mutex_;       // guards all that follows except workers_
  std::condition_variable lines_;  // signals that lines wait, or that the service ends
  std::condition_variable idle_;   // signals that no order is open
  std::map<Ticket, std::shared_ptr<OpenOrder>> open_;
  Shares places_;                          // places of the queue, by client
  std::deque<Turn> turns_;                 // clients with waiting lines, in the order of their turns
  std::map<std::int64_t, Taken> taken_;    // by the number that identifies the line for its worker
  std::int64_t orders_ = 0, numbers_ = 0;  // the next ticket, and the next number of a line
  ServiceCounts counts_;
  bool ending_ = false;
  std::exception_ptr lost_;  // the DeviceLost of the first worker that had one
  std::vector<std::thread> workers_;
};

}  // namespace dragoman::decode
