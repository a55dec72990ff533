// Translations for many askers at once: orders come at any time and from any thread, wait in a queue of bounded length,
// and share the batches of the model's workers. On the CPU what an asker gets does not depend on the others. Clients
// take turns, and within a client its orders: one that asks for much does not hold up the others.
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
#include "dragoman/decode/lines/line_desk.h"
#include "dragoman/decode/lines/translator.h"

namespace dragoman::decode {

// There is no room for the order now; the same may be taken later.
struct Overload : Error {
  using Error::Error;
};

struct Order {
  // A line's translation, or why there is none: a UsageError if the line is to blame.
  struct Outcome {
    TranslatedLine line;
    std::exception_ptr error;
  };

  std::vector<SourceLine> lines;
  // Both are called from workers, one call at a time for an order, with the number of the line, from 0. They must not
  // throw, nor wait for anything. `done` is called once for each line unless the order is cancelled.
  std::function<void(std::size_t line, Outcome outcome)> done;
  std::function<void(std::size_t line, const std::string& text)> settled = {};  // of lines that are followed
  std::string client = {};                                                      // whose turn it takes
};

// What a service has done since it began, and is doing.
struct ServiceCounts {
  std::int64_t waiting = 0, under_way = 0;  // lines
  std::int64_t finished = 0;
  std::int64_t source_tokens = 0, target_tokens = 0;  // of the finished ones
  std::int64_t steps = 0, step_sentences = 0;         // decoding steps, and the sentences in all of them
};

class Service {
 public:
  using Ticket = std::int64_t;

  // At most `most_waiting` lines of a client wait at a time; of several clients together an eighth more (see Shares).
  // Throws an Error for a directory that holds no whole model.
  Service(const std::filesystem::path& directory, const TranslatorOptions& options, std::int64_t most_waiting);
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  // Takes the whole order or nothing. Throws an Overload if the queue has no room for it, or its client has its share
  // of the queue.
  Ticket submit(Order order);
  // Nobody wants the rest of the order: none of its functions is called after this. Not to be called from them.
  void cancel(Ticket ticket);
  // Waits until all orders are done. None must come meanwhile.
  void drain();
  // Ends the workers. Orders that are not done yet fail, and so do those that still come. Not to be called from an
  // order's functions.
  void end();

  ServiceCounts counts() const;
  const model::LoadedModel& model() const { return translator_.model(); }
  const TranslatorOptions& options() const { return translator_.options(); }
  std::int64_t most_waiting() const { return places_.most(); }

 private:
  class Desk;

  struct Open {
    Order order;
    std::deque<std::size_t> waiting;  // lines
    std::size_t left = 0;             // lines that are not done
    std::mutex calling;               // held while one of its functions is called
    bool cancelled = false;
  };
  struct Taken {
    Ticket ticket;
    std::size_t line;
    Desk* by;
  };

  struct Turn {
    std::string client;
    std::deque<Ticket> orders;  // with lines that wait, in the order of their turns
  };

  void work(int worker);
  void tell(std::int64_t number, Order::Outcome outcome);

  Translator translator_;

  mutable std::mutex mutex_;
  std::condition_variable lines_, idle_;
  std::map<Ticket, std::shared_ptr<Open>> open_;
  Shares places_;                          // of the queue, by client; guarded as what follows
  std::deque<Turn> turns_;                 // clients with such orders, in the order of their turns
  std::map<std::int64_t, Taken> taken_;    // by the number that a worker knows a line by
  std::int64_t orders_ = 0, numbers_ = 0;  // that were ever given
  ServiceCounts counts_;
  bool ending_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace dragoman::decode
