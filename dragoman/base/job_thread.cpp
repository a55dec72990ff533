#include "dragoman/base/job_thread.h"

#include <utility>

namespace dragoman {

JobThread::JobThread() : thread_([this] { serve(); }) {}

JobThread::~JobThread() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void JobThread::add(std::function<void()> job) {
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
  }
  changed_.notify_all();
}

void JobThread::finish() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return jobs_.empty(); });
  if (problem_) std::rethrow_exception(std::exchange(problem_, nullptr));
}

void JobThread::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return stop_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    if (!problem_) {
      const std::function<void()>& job = jobs_.front();  // stays where it is while others are added
      lock.unlock();
      std::exception_ptr problem;
      try {
        job();
      } catch (...) {
        problem = std::current_exception();
      }
      lock.lock();
      problem_ = problem;
    }
    jobs_.pop_front();
    changed_.notify_all();
  }
}

}  // namespace dragoman
