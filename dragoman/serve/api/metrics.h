// Counts what the server does, and writes the counts in the text format of Prometheus.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "dragoman/decode/lines/service.h"
#include "dragoman/serve/http/listener.h"

namespace dragoman::serve {

// The languages of a model, and its counts and limits.
struct ModelFigures {
  std::string name = {};  // empty for the model that requests with these languages get
  std::string source, target;
  decode::ServiceCounts counts;
  std::int64_t max_waiting = 0, batch_size = 0;
};

// The number of lines that could not be written, by the name of the log.
using LostLines = std::map<std::string, std::int64_t>;

class ServerMetrics {
 public:
  // Counts an answered request. `path` is one of our own paths or "other". Safe to call from any thread.
  void answered(const std::string& path, int status, double seconds);
  // The same for a request that the application did not answer: it is counted among the requests, but has no time.
  void refused(const std::string& path, int status);

  std::string text(const ListenerCounts& listener, const std::vector<ModelFigures>& models,
                   const LostLines& lost_lines = {}) const;

 private:
  // Upper bounds of the histogram's buckets, in seconds.
  static constexpr std::array kBounds = {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0};

  struct Times {
    std::array<std::int64_t, kBounds.size() + 1> counts{};  // the last is for times above all bounds
    double sum = 0;
  };

  mutable std::mutex mutex_;
  std::map<std::pair<std::string, int>, std::int64_t> requests_;  // by path and status
  std::map<std::string, Times> times_;                            // by path
};

}  // namespace dragoman::serve
