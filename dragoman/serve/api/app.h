// What the server does with a request: finds who answers it, lets in who may ask, and keeps account.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "dragoman/serve/api/context.h"
#include "dragoman/serve/api/gate.h"
#include "dragoman/serve/api/metrics.h"
#include "dragoman/serve/api/models.h"

namespace dragoman::serve {

struct AppOptions {
  GateOptions gate = {};
  RequestLimits limits = {};
  std::function<void(const std::string& line)> access_log = {};  // must neither throw nor wait
  std::function<LostLines()> lost_lines = {};                    // of the logs
  std::function<ListenerCounts()> listener_counts = {};
  RunLater run_later = {};  // if empty, work is done at once, on the thread that asks for it
};

class App {
 public:
  App(const Models& models, AppOptions options);

  // For the listener. What is thrown becomes an answer.
  void operator()(const std::shared_ptr<Exchange>& exchange);
  // Whether that takes so little time that an event loop may wait for it.
  bool is_quick(const Request& request) const;
  // Keeps account of a request that the listener answered itself.
  void refused(const RequestRecord& request);

 private:
  struct Route {
    std::map<std::string, Handler> methods;
    bool open = false;  // whether anybody may ask, without a key
    bool slow = false;  // whether it may take milliseconds
  };

  void dispatch(const std::shared_ptr<Exchange>& exchange);
  // Only our own paths are counted by name: anybody can make up others.
  std::string counted_path(const std::string& path) const { return routes_.contains(path) ? path : "other"; }
  void log(const RequestRecord& request) const;
  std::string metrics_text() const;

  AppOptions options_;
  HandlerContext context_;
  Gate gate_;
  Metrics metrics_;
  std::map<std::string, Route> routes_;
};

}  // namespace dragoman::serve
