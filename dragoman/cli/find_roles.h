// Finds what the attention heads of a model do over many sentences, for `heads`, `demo` and `train`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "dragoman/array/dtype.h"
#include "dragoman/base/json.h"
#include "dragoman/data/parallel_text.h"
#include "dragoman/eval/word_links.h"

namespace dragoman::cli {

struct RolesRequest {
  std::filesystem::path model;
  std::vector<std::string> sources;
  std::vector<std::string> references;  // one for each source; if empty, the model translates them itself
  std::vector<eval::GoldLinks> gold;    // one for each source, for the alignment error; may be empty
  Device device = {};
  int threads = 0;
  bool show_progress = true;
};

// Sentences that `heads` looks at, unless the user wants more; `train` looks at fewer, so that it takes seconds.
inline constexpr int kRoleSentences = 500, kRoleSentencesOfTraining = 200;

// The first pairs of a text.
void read_pairs(const data::ParallelFiles& files, std::int64_t count, RolesRequest& to);

// Returns the contents of heads.json (see decode/roles/heads_file.h). Sentences that are empty or
// very long are left out. Throws a UsageError if the model has no attention or no sentence is left.
Json find_roles(const RolesRequest& request);

// Finds the roles from the first `count` pairs of a text and writes heads.json, without showing progress. Does nothing
// if the model has no attention or the text has no sentence that can be looked at.
void save_roles(const std::filesystem::path& model, const data::ParallelFiles& text, std::int64_t count, Device device,
                int threads);

}  // namespace dragoman::cli
