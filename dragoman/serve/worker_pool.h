// A few threads for work that is too slow for an event loop: reading bodies, cutting texts into sentences, writing long
// answers. Clients take turns.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "dragoman/serve/http/turns.h"

namespace dragoman::serve {

class WorkerPool {
 public:
  using Work = std::function<void()>;

  // An exception from a piece of work ends only that piece; `report` gets a message about it.
  WorkerPool(int threads, std::function<void(const std::string& message)> report);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Returns at once. After stop() the work is dropped.
  void run(const std::string& client, Work work);
  // Waits for work that has begun and drops the rest. Must not be called from a piece of work.
  void stop();

 private:
  void serve();
  void do_one(const Work& work) const;

  std::function<void(const std::string& message)> report_;
  std::mutex mutex_;
  std::condition_variable wake_;
  Turns<Work> turns_;
  bool stopped_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace dragoman::serve
