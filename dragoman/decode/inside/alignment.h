// Which source words a target word was made from, read off the decoder's attention to the encoder's output.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dragoman/data/batch.h"
#include "dragoman/decode/inside/trace.h"
#include "dragoman/model/seq2seq.h"
#include "dragoman/text/tokenizer.h"

namespace dragoman::decode {

// Which heads to average over; layers and heads are counted from 1, and 0 is all of them.
struct HeadChoice {
  int layer = 0;
  int head = 0;
};

// Row j says how much each column's source counted when target j was chosen; rows sum to one.
struct AttentionMap {
  std::int64_t targets = 0, sources = 0;
  std::vector<float> weights;  // [targets, sources]

  float at(std::int64_t target, std::int64_t source) const { return weights[target * sources + source]; }
};

// The mean of the chosen heads' attention over the source tokens for each target token, EOS included on both sides.
// Throws a UsageError for heads that the model does not have.
std::vector<AttentionMap> cross_attention(Backend& on, const model::Seq2Seq& model,
                                          std::span<const data::SentencePair> pairs, const HeadChoice& choice = {});

// The same of a trace that has it already.
AttentionMap mean_of(const Attention& attention);

// The number of the word that each token is part of, counted from 0; EOS is a word of its own, and the last.
std::vector<std::int64_t> words_of(const data::Sentence& tokens, const text::Tokenizer& tokenizer);

// Tokens joined to words: the sum over a source word's tokens, the mean over a target word's.
AttentionMap by_words(const AttentionMap& tokens, std::span<const std::int64_t> target_words,
                      std::span<const std::int64_t> source_words);

struct Link {
  std::int64_t source = 0, target = 0;
  bool operator==(const Link&) const = default;
};

// For each target word the source word that counted most, unless that is the end of the sentence. `words` has a last
// row and column for EOS.
std::vector<Link> links(const AttentionMap& words);

// The same of a hypothesis that was traced, between the words of its source, EOS included, and its own. None if it did
// not end.
std::vector<Link> traced_links(const Trace& trace, const Hypothesis& hypothesis, const data::Sentence& source,
                               const text::Tokenizer& source_tokenizer, const text::Tokenizer& target_tokenizer);

// "0-0 1-2 2-1": source and target word, both from 0, by source word.
std::string pharaoh(std::vector<Link> links);

}  // namespace dragoman::decode
