// Records the film of a training run (decode/inside/film.h): a few sentences that are translated at each checkpoint.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/model/files/directory.h"

namespace dragoman::train {

class Probe {
 public:
  // A sentence a line; a translation may follow a tab, and is then what the model is made to say in every frame. Throws
  // a UsageError for a file that holds no sentence, too many, or one that is too long.
  Probe(const std::filesystem::path& file, const std::filesystem::path& model_directory,
        const model::Tokenizers& tokenizers);

  // A frame: how the model translates the sentences now.
  std::string look(Backend& on, const model::Seq2Seq& model) const;
  // Keeps a frame as that of the step. Throws an Error if it cannot be written.
  void keep(std::int64_t step, std::string_view frame) const;
  bool has_frame(std::int64_t step) const;

 private:
  struct Sentence {
    std::string text;
    data::Sentence source, target;  // both end in EOS; the target is empty if the model is to say what it likes
  };

  std::filesystem::path directory_;
  const model::Tokenizers& tokenizers_;
  std::vector<Sentence> sentences_;
};

}  // namespace dragoman::train
