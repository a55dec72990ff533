// Word alignment: which source word a target word was translated from, read off the decoder's attention to the
// encoder's output.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dragoman/data/batch.h"
#include "dragoman/decode/inside/trace.h"
#include "dragoman/eval/word_links.h"
#include "dragoman/model/seq2seq.h"
#include "dragoman/text/tokenizer.h"

namespace dragoman::decode {

// Which heads to average over. Layers and heads are counted from 1; 0 means all of them.
struct HeadChoice {
  int layer = 0;
  int head = 0;
};

// Row j holds the attention to each source position when target j was chosen. Rows sum to one.
struct AttentionMap {
  std::int64_t targets = 0, sources = 0;
  std::vector<float> weights;  // [targets, sources]

  float at(std::int64_t target, std::int64_t source) const { return weights[target * sources + source]; }
};

// For each pair, the attention of each target token over the source tokens, averaged over the chosen heads. EOS is
// included on both sides. Throws a UsageError if the model does not have these heads, or no cross-attention at all.
std::vector<AttentionMap> cross_attention(Backend& on, const model::Seq2Seq& model,
                                          std::span<const data::SentencePair> pairs, const HeadChoice& choice = {});

// The mean over all layers and heads, for attention that a trace has already recorded.
AttentionMap mean_of(const Attention& attention);

// For each token the index of the word that it belongs to, counted from 0. EOS is the last word.
std::vector<std::int64_t> words_of(const data::Sentence& tokens, const text::Tokenizer& tokenizer);

// Attention between words instead of tokens: the sum over the tokens of a source word, the mean over those of a target
// word.
AttentionMap by_words(const AttentionMap& tokens, std::span<const std::int64_t> target_words,
                      std::span<const std::int64_t> source_words);

using eval::WordLink;

// Links each target word to the source word with the greatest weight. There is no link if that is EOS, and none for the
// target's EOS. The last row and column of `words` are those of EOS.
std::vector<WordLink> links(const AttentionMap& words);

// Throws a UsageError if a model with these sites has no attention to the source, from which links could be read.
void require_alignment(const nn::AttentionSites& sites);

// The links of a hypothesis that was traced, between the words of `source`, which includes EOS, and those of the
// hypothesis. None if the hypothesis is unfinished or the model has no cross-attention.
std::vector<WordLink> traced_links(const Trace& trace, const Hypothesis& hypothesis, const data::Sentence& source,
                                   const text::Tokenizer& source_tokenizer, const text::Tokenizer& target_tokenizer);

// The Pharaoh format, "0-0 1-2 2-1": pairs of source and target word, both counted from 0, ordered by source word.
std::string pharaoh(std::vector<WordLink> links);

}  // namespace dragoman::decode
