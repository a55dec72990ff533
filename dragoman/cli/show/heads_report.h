// The result of `dragoman heads` as a table.
#pragma once

#include <string>

#include "dragoman/base/json.h"

namespace dragoman::cli {

// `heads` is the contents of heads.json: a line for each head with its role and the numbers behind it, and a summary.
std::string heads_text(const Json& heads);

// `pronoun` is the member of that name: whether pronouns are translated right, which head knows what they stand for,
// and where it looks in the example.
std::string pronoun_text(const Json& pronoun);

}  // namespace dragoman::cli
