// The whole server: the models, the application, and the listener in front of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "dragoman/serve/api/app.h"
#include "dragoman/serve/api/models.h"
#include "dragoman/serve/http/listener.h"
#include "dragoman/serve/worker_pool.h"

namespace dragoman::serve {

class Server {
 public:
  struct ModelOptions {
    std::vector<std::filesystem::path> directories;
    decode::TranslatorOptions translation;
    std::int64_t max_waiting = 0;
    std::size_t checkpoints = 0;  // that may be loaded at a time, see Models
    SearchOf search_of = {};
    std::int64_t device_memory = 0;  // bytes of the device that all models may take; 0 for no limit
  };

  // Loads the models, then listens. Throws the errors of both.
  Server(ModelOptions models, AppOptions app, const ListenerOptions& listener);
  ~Server();

  int port() const { return listener_->port(); }
  Models& models() { return *models_; }

  // Accepts no new connections, and returns when the requests that have been received are answered or the seconds are
  // over.
  void drain(double seconds) { listener_->drain(seconds); }

 private:
  std::unique_ptr<Models> models_;
  std::unique_ptr<App> app_;
  std::unique_ptr<WorkerPool> workers_;
  std::unique_ptr<Listener> listener_;
};

}  // namespace dragoman::serve
