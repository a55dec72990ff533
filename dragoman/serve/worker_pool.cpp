#include "dragoman/serve/worker_pool.h"

#include <exception>
#include <utility>

#include "dragoman/base/error.h"

namespace dragoman::serve {

WorkerPool::WorkerPool(int threads, std::function<void(const std::string& message)> report)
    : report_(std::move(report)) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { serve(); });
}

WorkerPool::~WorkerPool() { stop(); }

void WorkerPool::run(const std::string& client, Work work) {
  const std::lock_guard lock(mutex_);
  if (stopped_) return;
  turns_.add(client, std::move(work));
  wake_.notify_one();
}

void WorkerPool::stop() {
  Turns<Work> dropped;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    std::swap(dropped, turns_);
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void WorkerPool::serve() {
  for (;;) {
    Work work;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return stopped_ || !turns_.empty(); });
      if (stopped_) return;
      work = turns_.next();
    }
    do_one(work);
  }
}

void WorkerPool::do_one(const Work& work) const try { work(); } catch (const std::exception& error) {
  if (report_) report_(join("a request failed: ", error.what()));
} catch (...) {
  if (report_) report_("a request failed for an unknown reason.");
}

}  // namespace dragoman::serve
