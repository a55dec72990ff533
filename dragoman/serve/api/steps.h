// The field of a request that asks for the steps of a layer, and the refusal if no sentence has them.
#pragma once

#include <optional>

#include "dragoman/base/json.h"
#include "dragoman/decode/inside/steps.h"
#include "dragoman/serve/api/job.h"

namespace dragoman::serve {

// Both functions throw a Refusal (400) of one sentence.

// The field steps: {"attention": "cross", "layer": 1, "query": 3, "units": 8}; query and units are optional.
std::optional<decode::StepsChoice> steps_field(const Json& fields, const nn::AttentionSites& sites);
// Refuses if the steps of one query were asked for, and no sentence of the finished job has this query.
void require_steps(const Job& job, const decode::StepsChoice& choice);

}  // namespace dragoman::serve
