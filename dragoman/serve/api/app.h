// What the server does with a request: finds who answers it, lets in who may ask, and keeps account.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "dragoman/serve/api/cost.h"
#include "dragoman/serve/api/gate.h"
#include "dragoman/serve/api/metrics.h"
#include "dragoman/serve/api/models.h"

namespace dragoman::serve {

struct AppOptions {
  GateOptions gate = {};
  CostLimits cost = {};                                          // of a request
  std::int64_t most_texts = 1000;                                // of a request
  std::int64_t most_alternatives = 10;                           // that /translate gives
  int most_beam = 32;                                            // of /v1/translate
  std::function<void(const std::string& line)> access_log = {};  // must neither throw nor wait
  std::function<LostLines()> lost_lines = {};                    // of the logs
  std::function<ListenerCounts()> listener_counts = {};
  // Does work for a client on another thread, soon; without this it is done at once.
  std::function<void(const std::string& client, std::function<void()> work)> later = {};
};

class App {
 public:
  App(Models& models, AppOptions options);

  // For the listener. What is thrown becomes an answer.
  void operator()(const std::shared_ptr<Exchange>& exchange);
  // Whether that takes so little time that an event loop may wait for it.
  bool is_quick(const Request& request) const;
  // Keeps account of a request that the listener answered itself.
  void refused(const RequestRecord& request);

  Models& models() { return models_; }
  const AppOptions& options() const { return options_; }
  std::string metrics() const;

 private:
  using Method = void (*)(App& app, const std::shared_ptr<Exchange>& exchange);
  struct Route {
    std::map<std::string, Method> methods;
    bool open = false;  // whether anybody may ask, without a key
    bool slow = false;  // whether it may take milliseconds
  };

  void dispatch(const std::shared_ptr<Exchange>& exchange);
  // Only our own paths are counted by name: anybody can make up others.
  std::string counted_path(const std::string& path) const { return routes_.contains(path) ? path : "other"; }
  void log(const RequestRecord& request) const;

  Models& models_;
  AppOptions options_;
  Gate gate_;
  Metrics metrics_;
  std::map<std::string, Route> routes_;
};

}  // namespace dragoman::serve
