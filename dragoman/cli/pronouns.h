// Tests what a model of `demo` knows of pronouns: whether it translates them as their nouns ask for, and which
// attention head looks from a pronoun at the noun that it stands for.
#pragma once

#include <array>
#include <filesystem>
#include <optional>

#include "dragoman/base/json.h"
#include "dragoman/demo/demo_corpus.h"

namespace dragoman::cli {

// Two sentences that differ in one word, which decides what their pronoun stands for.
using PronounExample = std::array<demo::ReferencePair, 2>;

// The head is the one that is right most often in the training sentences of the corpus; its figures are from the unseen
// ones, and so is the share of pronouns that are translated right. The corpus has both. The example defaults to the
// first contrast between unseen sentences. The result is the member "pronoun" of heads.json:
//
// {"attention": "cross", "layer": 2, "head": 3,              the head, counted from 1
//  "sentences": 300, "translated": 0.98,                     share of the pronouns that are translated right
//  "training": 0.99, "prefers": 0.95,                        share in which the head prefers the right noun
//  "contrasts": 30, "flips": 0.9,                            share of the contrasts with both sentences right
//  "example": {"pronoun": "it", "place": 9, "sentences":      of the query among the words and marks of the first
//              [{"text": "The ...", "meant": "animal", "other": "street", "to_meant": 0.8, "to_other": 0.1}, ...]}}
Json test_pronouns(const std::filesystem::path& model, const demo::DemoCorpus& corpus,
                   std::optional<PronounExample> example, int threads);

}  // namespace dragoman::cli
