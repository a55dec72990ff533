// What the handlers of requests share: the models, the limits of a request, and a way to do work on another thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "dragoman/serve/api/cost.h"
#include "dragoman/serve/api/models.h"

namespace dragoman::serve {

// The limits of one request. A request that exceeds one is refused.
struct RequestLimits {
  CostLimits cost = {};
  std::int64_t max_texts = 1000;
  std::int64_t max_alternatives = 10;  // for /translate
  int max_beam = 32;                   // for /v1/translate: the largest beam and n_best
};

// Runs work for a client on another thread and returns at once. Clients take turns.
using RunLater = std::function<void(const std::string& client, std::function<void()> work)>;

// A handler keeps no reference to the context after it has returned. The models outlive all requests.
struct HandlerContext {
  const Models& models;
  RequestLimits limits = {};
  RunLater run_later = {};    // if empty, handlers do the work themselves, at once
  bool requires_key = false;  // whether clients must send an API key
};

}  // namespace dragoman::serve
