#include "dragoman/train/vocabulary.h"

#include <memory>
#include <optional>
#include <vector>

#include "dragoman/base/error.h"
#include "dragoman/base/strings.h"

namespace dragoman::train {
namespace {

enum class Sides : std::uint8_t { kBoth, kSource, kTarget };

// The sentences of the chosen sides, corpus after corpus.
class TrainingText {
 public:
  TrainingText(std::vector<data::ParallelFiles> files, Sides sides) : files_(std::move(files)), sides_(sides) {}

  bool next(std::string& sentence) {
    if (has_target_) {
      sentence.swap(target_);
      has_target_ = false;
      return true;
    }
    if (!next_pair()) return false;
    sentence.swap(sides_ == Sides::kTarget ? target_ : source_);
    has_target_ = sides_ == Sides::kBoth;
    return true;
  }

 private:
  bool next_pair() {
    while (true) {
      if (reader_ && reader_->next(source_, target_)) return true;
      if (opened_ == files_.size()) return false;
      reader_.emplace(files_[opened_++]);
    }
  }

  std::vector<data::ParallelFiles> files_;
  Sides sides_;
  std::size_t opened_ = 0;
  std::optional<data::ParallelReader> reader_;
  std::string source_, target_;
  bool has_target_ = false;
};

text::Tokenizer learn(const Settings& settings, Sides sides, std::int64_t vocabulary) {
  TrainingText text(settings.text.training_files(), sides);
  return text::train_tokenizer(settings.tokenizer, vocabulary, settings.training.seed,
                               [&](std::string& sentence) { return text.next(sentence); });
}

model::Tokenizers learn(const Settings& settings) {
  if (!settings.run.joint_vocabulary) {
    return {learn(settings, Sides::kSource, settings.model.V_source),
            learn(settings, Sides::kTarget, settings.model.V_target)};
  }
  const text::Tokenizer both = learn(settings, Sides::kBoth, settings.model.V_source);
  return {both, both};
}

}  // namespace

model::Tokenizers provide_tokenizers(const Settings& settings, const VocabularyRequest& request) {
  if (model::has_tokenizers(request.directory)) return model::read_tokenizers(request.directory);
  if (!request.init.empty()) {
    const model::Tokenizers taken = model::read_tokenizers(request.init);
    require<UsageError>(!settings.run.joint_vocabulary || taken.source.bytes() == taken.target.bytes(), "'",
                        request.init.string(), "' has a vocabulary for each language; set joint-vocabulary to false.");
    model::write_tokenizers(request.directory, taken, settings.run.joint_vocabulary);
    return taken;
  }
  request.message(join("learning a vocabulary of ", with_thousands(settings.model.V_target), " tokens (",
                       to_string(settings.tokenizer.kind), ")"));
  const model::Tokenizers learned = learn(settings);
  model::write_tokenizers(request.directory, learned, settings.run.joint_vocabulary);
  return learned;
}

}  // namespace dragoman::train
