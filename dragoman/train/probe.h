// Records the film of a training run (decode/inside/film.h): translates a few sentences at each checkpoint and stores
// the attention.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/model/files/directory.h"

namespace dragoman::train {

// Throws a UsageError if the file of a Probe has no sentence, or too many. Needs no vocabulary.
void require_probed_sentences(const std::filesystem::path& file);

class Probe {
 public:
  // The file has one sentence per line. A translation may follow, separated by a tab; then every frame shows the model
  // with this translation instead of its own. Throws a UsageError if the file has no sentence, too many, or one that is
  // too long.
  Probe(const std::filesystem::path& file, const std::filesystem::path& model_directory,
        const model::Tokenizers& tokenizers);

  // Makes a frame: how the model translates the sentences now. One line of JSON for each sentence.
  std::string make_frame(Backend& on, const model::Seq2Seq& model) const;
  // Writes the frame of a step; replaces one that exists. Throws an Error if it cannot be written.
  void write_frame(std::int64_t step, std::string_view frame) const;
  bool has_frame(std::int64_t step) const;

 private:
  struct Sentence {
    std::string text;
    data::Sentence source, target;  // both end in EOS; the target is empty if the model translates freely
  };

  std::filesystem::path directory_;
  const model::Tokenizers& tokenizers_;
  std::vector<Sentence> sentences_;
};

}  // namespace dragoman::train
