// What the attention page shows of a model besides translations: its sizes, its position encodings, and how attention
// came to be in training.
#pragma once

#include <memory>
#include <string>

#include "dragoman/serve/api/app.h"

namespace dragoman::serve {

// JSON objects as text.
std::string model_json(const ServedModel& model, const AppOptions& options);
// Of the first `count` positions, or of as many as there are.
std::string positions_json(const ServedModel& model, std::int64_t count);

// The page itself, and GET of the above with ?source= and ?target=.
void answer_page(App& app, const std::shared_ptr<Exchange>& exchange);
void answer_model(App& app, const std::shared_ptr<Exchange>& exchange);
void answer_positions(App& app, const std::shared_ptr<Exchange>& exchange);
void answer_film(App& app, const std::shared_ptr<Exchange>& exchange);

}  // namespace dragoman::serve
