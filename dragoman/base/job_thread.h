// A thread that does jobs one after another, in the order in which they are given.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace dragoman {

class JobThread {
 public:
  JobThread();
  ~JobThread();  // does the jobs that are left
  JobThread(const JobThread&) = delete;
  JobThread& operator=(const JobThread&) = delete;

  void add(std::function<void()> job);
  // Waits until all jobs are done. If one threw, rethrows that; the jobs after it are not done.
  void finish();

 private:
  void serve();

  // mutex_ guards the members below, except thread_.
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;  // the first one is being done
  std::exception_ptr problem_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace dragoman
