// Finds the roles of a model's attention heads: runs many pairs of sentences through the model, and counts what each
// head does.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "dragoman/data/batch.h"
#include "dragoman/decode/roles/head_roles.h"
#include "dragoman/eval/word_links.h"
#include "dragoman/model/files/directory.h"
#include "dragoman/model/seq2seq.h"

namespace dragoman::decode {

struct HeadReport {
  nn::Head head;
  HeadRole role = HeadRole::kMixed;
  HeadNumbers numbers;
  std::optional<double> alignment_error;  // against given alignments; only for cross-attention
};

struct HeadSurvey {
  nn::AttentionSites sites;
  std::int64_t sentences = 0;
  std::int64_t source_words = 0, target_words = 0;  // punctuation marks included
  std::int64_t clear_links = 0;                     // see cooccurrence.h
  std::vector<HeadReport> heads;                    // by site, layer and head
};

struct SurveyRequest {
  std::span<const data::SentencePair> pairs;  // both sides end in EOS
  std::span<const eval::GoldLinks> gold;      // the alignment of each pair; may be empty. No role depends on it.
  std::function<void(std::int64_t sentences)> progress;  // optional
};

HeadSurvey survey_heads(Backend& on, const model::Seq2Seq& model, const model::Tokenizers& tokenizers,
                        const SurveyRequest& request);

}  // namespace dragoman::decode
