#include "dragoman/serve/server.h"

#include <utility>

#include "dragoman/serve/http/client_address.h"

namespace dragoman::serve {

namespace {

constexpr int kWorkers = 2;  // threads that parse request bodies and write answers; others translate

}  // namespace

Server::Server(ModelOptions models, AppOptions app, const ListenerOptions& listener)
    : models_(std::make_unique<Models>(std::move(models.directories), models.translation, models.max_waiting,
                                       models.checkpoints, std::move(models.search_of), models.device_memory)) {
  app.listener_counts = [this] { return listener_ ? listener_->counts() : ListenerCounts{}; };
  app.run_later = [this](const std::string& client, WorkerPool::Work work) { workers_->run(client, std::move(work)); };
  app.report = listener.report;
  app_ = std::make_unique<App>(*models_, std::move(app));
  workers_ = std::make_unique<WorkerPool>(kWorkers, listener.report);
  ListenerOptions options = listener;
  options.refused = [this](const RequestRecord& request) { app_->refused(request); };
  listener_ = std::make_unique<Listener>(options, [this](const std::shared_ptr<Exchange>& exchange) {
    if (app_->is_quick(exchange->request())) return (*app_)(exchange);
    workers_->run(holder_of(exchange->request().client), [this, exchange] {
      if (!exchange->is_gone()) (*app_)(exchange);
    });
  });
}

// The threads that translate hand their answers to workers_, and both use the listener. So the translation ends first,
// then the workers. After that the members are destroyed, the listener before the others.
Server::~Server() {
  models_->end();
  workers_->stop();
}

}  // namespace dragoman::serve
