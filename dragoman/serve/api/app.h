// The application behind the listener: it finds the handler of a request, checks that the client may ask, and counts
// and logs the answer.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "dragoman/serve/api/context.h"
#include "dragoman/serve/api/gate.h"
#include "dragoman/serve/api/metrics.h"
#include "dragoman/serve/api/models.h"

namespace dragoman::serve {

struct AppOptions {
  GateOptions gate = {};
  RequestLimits limits = {};
  std::function<void(const std::string& line)> access_log = {};  // gets a line per request; must neither throw nor wait
  // Gets messages for the operator, such as why a request got status 500; must neither throw nor wait.
  std::function<void(const std::string& message)> report = {};
  std::function<LostLines()> lost_lines = {};  // lines that the logs have lost, for the metrics
  std::function<ListenerCounts()> listener_counts = {};
  RunLater run_later = {};  // if empty, handlers do the work themselves, at once
};

class App {
 public:
  App(const Models& models, AppOptions options);

  // Answers a request, for the listener. An exception becomes an answer.
  void operator()(const std::shared_ptr<Exchange>& exchange);
  // Whether operator() takes so little time for this request that an event loop may wait for it.
  bool is_quick(const HttpRequest& request) const;
  // Counts and logs a request that the listener answered itself.
  void refused(const RequestRecord& request);
  // All paths, with the methods that each allows besides HEAD and OPTIONS.
  std::map<std::string, std::vector<std::string>> methods() const;

 private:
  struct Route {
    std::map<std::string, Handler> methods;
    bool open = false;  // anybody may ask, without a key
    bool slow = false;  // may take milliseconds, too long for an event loop
  };

  void dispatch(const std::shared_ptr<Exchange>& exchange);
  // Only our own paths are counted by name, because clients can make up any number of others.
  std::string counted_path(const std::string& path) const { return routes_.contains(path) ? path : "other"; }
  void log(const RequestRecord& request) const;
  std::string metrics_text() const;

  AppOptions options_;
  HandlerContext context_;
  Gate gate_;
  ServerMetrics metrics_;
  std::map<std::string, Route> routes_;
};

}  // namespace dragoman::serve
