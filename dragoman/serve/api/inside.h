// What the attention page shows of a model besides translations: its sizes, its position encodings, what its heads do
// over many sentences, and the film of its training (how attention developed).
#pragma once

#include <memory>
#include <string>

#include "dragoman/serve/api/context.h"
#include "dragoman/serve/http/http.h"

namespace dragoman::serve {

// These return JSON objects as text.
std::string model_json(const ServedModel& model, const RequestLimits& limits);
// The encodings of the first `count` positions, or of as many as the model keeps.
std::string positions_json(const ServedModel& model, std::int64_t count);
// The contents of heads.json. Throws a Refusal (404) if the model has none.
std::string heads_json(const ServedModel& model);

// Handlers. answer_page answers with the page itself, answer_models with the list of all models. The others answer with
// JSON about the model that ?source=, ?target= and ?model= in the query choose.
void answer_page(const std::shared_ptr<Exchange>& exchange);
void answer_models(const HandlerContext& context, const std::shared_ptr<Exchange>& exchange);
void answer_model(const HandlerContext& context, const std::shared_ptr<Exchange>& exchange);
void answer_positions(const HandlerContext& context, const std::shared_ptr<Exchange>& exchange);
void answer_heads(const HandlerContext& context, const std::shared_ptr<Exchange>& exchange);
void answer_film(const HandlerContext& context, const std::shared_ptr<Exchange>& exchange);

}  // namespace dragoman::serve
