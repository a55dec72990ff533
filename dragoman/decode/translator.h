// Text to text: a model directory, ready to translate lines.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dragoman/decode/alignment.h"
#include "dragoman/model/directory.h"

namespace dragoman::decode {

struct TranslatorOptions {
  int threads = 0;                                     // 0: as many as the machine offers
  std::int64_t batch_tokens = 2048;                    // source tokens at once, at most; a longer line goes alone
  std::int64_t longest = 1024;                         // source tokens of a line, at most
  std::int64_t max_extra = 50;                         // tokens of a translation beyond those of its source
  std::optional<WeightForm> weights = std::nullopt;    // to compute with; nothing: as they are stored
  std::optional<HeadChoice> alignment = std::nullopt;  // of which heads; nothing: none is made
};

struct TranslatedLine {
  std::string text;
  double log_probability = 0;
  bool finished = true;  // false: the length limit came before the end of the sentence

  // With an alignment: the tokens on both sides, EOS included, and the attention between them.
  data::Sentence source, target;
  AttentionMap attention;
};

class Translator {
 public:
  // Throws an Error for a directory that holds no whole model.
  Translator(const std::filesystem::path& directory, const TranslatorOptions& options = {});

  // One result a line, in their order; a line's result does not depend on the others. A line without text is translated
  // by one without text. Throws a UsageError that names the first line that is too long, counted from `first_line`;
  // lines that are not UTF-8 likewise.
  std::vector<TranslatedLine> translate(std::span<const std::string> lines, std::int64_t first_line = 1);

  const model::LoadedModel& model() const { return *model_; }

 private:
  std::vector<data::Sentence> cut(std::span<const std::string> lines, std::int64_t first_line) const;
  void translate_batch(std::span<const data::Sentence> sources, std::span<const std::size_t> batch,
                       std::vector<TranslatedLine>& results);

  TranslatorOptions options_;
  std::unique_ptr<Backend> on_;
  std::unique_ptr<model::LoadedModel> model_;
};

}  // namespace dragoman::decode
