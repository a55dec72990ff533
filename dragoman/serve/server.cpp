#include "dragoman/serve/server.h"

#include <utility>

namespace dragoman::serve {

Server::Server(std::vector<std::filesystem::path> models, const decode::TranslatorOptions& translation,
               std::int64_t most_waiting, AppOptions app, const ListenerOptions& listener)
    : models_(std::make_unique<Models>(std::move(models), translation, most_waiting)) {
  app.listener_counts = [this] { return listener_ ? listener_->counts() : ListenerCounts{}; };
  app_ = std::make_unique<App>(*models_, std::move(app));
  ListenerOptions options = listener;
  options.refused = [this](const RequestRecord& request) { app_->refused(request); };
  listener_ = std::make_unique<Listener>(options, [this](const auto& exchange) { (*app_)(exchange); });
}

// Workers may still answer while the listener closes: they end first.
Server::~Server() { models_->end(); }

}  // namespace dragoman::serve
