// What the attention page shows of a model besides translations: its sizes, its position encodings, and how attention
// came to be in training.
#pragma once

#include <memory>
#include <string>

#include "dragoman/serve/api/context.h"
#include "dragoman/serve/http/http.h"

namespace dragoman::serve {

// JSON objects as text.
std::string model_json(const ServedModel& model, const CostLimits& limits);
// Of the first `count` positions, or of as many as there are.
std::string positions_json(const ServedModel& model, std::int64_t count);

// The page itself, and GET of the above with ?source= and ?target=.
void answer_page(const std::shared_ptr<Exchange>& exchange);
void answer_model(const HandlerContext& context, const std::shared_ptr<Exchange>& exchange);
void answer_positions(const HandlerContext& context, const std::shared_ptr<Exchange>& exchange);
void answer_film(const HandlerContext& context, const std::shared_ptr<Exchange>& exchange);

}  // namespace dragoman::serve
