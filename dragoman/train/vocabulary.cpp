#include "dragoman/train/vocabulary.h"

#include <algorithm>
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
      if (reader_ && reader_->next(source_, target_)) {
        has_pairs_ = true;
        return true;
      }
      if (opened_ == files_.size()) break;
      reader_.emplace(files_[opened_++]);
    }
    require<UsageError>(has_pairs_, "'", files_.front().source, "'", files_.size() > 1 ? " and all others are" : " is",
                        " empty: there is no text to learn a vocabulary from.");
    return false;
  }

  std::vector<data::ParallelFiles> files_;
  Sides sides_;
  std::size_t opened_ = 0;
  std::optional<data::ParallelReader> reader_;
  std::string source_, target_;
  bool has_target_ = false, has_pairs_ = false;
};

// On the CPU, learning a vocabulary may use the run's memory limit minus kProgram, the size of the program itself, but
// always kMin: if the limit is too small for any model, the memory plan reports that later. On CUDA the limit is for
// the GPU's memory and does not apply.
text::LearningLimits learning_limits(const TrainingSettings& settings, const VocabularyRequest& request) {
  constexpr std::int64_t kProgram = 40, kMin = 16;  // MiB
  text::LearningLimits limits{.memory = 0, .message = request.message};
  const std::int64_t allowed = settings.machine.memory_mb;
  if (allowed > 0 && settings.run.device != DeviceChoice::kCuda) {
    limits.memory = static_cast<std::size_t>(std::max(kMin, allowed - kProgram)) << 20;
  }
  return limits;
}

text::Tokenizer learn(const TrainingSettings& settings, const text::LearningLimits& limits, Sides sides,
                      std::int64_t vocabulary) {
  TrainingText text(settings.text.training_files(), sides);
  return text::train_tokenizer(
      settings.tokenizer, vocabulary, settings.training.seed,
      [&](std::string& sentence) { return text.next(sentence); }, limits);
}

model::Tokenizers learn(const TrainingSettings& settings, const text::LearningLimits& limits) {
  if (!settings.run.joint_vocabulary) {
    require<UsageError>(settings.model.tie() != model::Tie::kThreeWay,
                        "tie is three-way, which needs one vocabulary for both languages; set tie to decoder or none, "
                        "or joint-vocabulary to true.");
    return {learn(settings, limits, Sides::kSource, settings.model.source_vocabulary()),
            learn(settings, limits, Sides::kTarget, settings.model.target_vocabulary())};
  }
  const text::Tokenizer both = learn(settings, limits, Sides::kBoth, settings.model.source_vocabulary());
  return {both, both};
}

// Whether the tokens have the same ids in both languages, although text may be cut in different ways.
bool have_same_tokens(const model::Tokenizers& tokenizers) {
  if (tokenizers.source.size() != tokenizers.target.size()) return false;
  for (std::int32_t id = 0; id < tokenizers.source.size(); ++id) {
    if (tokenizers.source.piece(id) != tokenizers.target.piece(id)) return false;
  }
  return true;
}

// Checks that both languages have the same vocabulary if the settings ask for a joint one, and the same tokens if they
// ask for one embedding of both.
void require_shared_if_asked(const model::Tokenizers& tokenizers, const TrainingSettings& settings,
                             const std::filesystem::path& directory) {
  require<UsageError>(!settings.run.joint_vocabulary || tokenizers.source.bytes() == tokenizers.target.bytes(), "'",
                      directory.string(),
                      "' holds two vocabularies, but joint-vocabulary is true; use --joint-vocabulary=false.");
  require<UsageError>(settings.model.tie() != model::Tie::kThreeWay || have_same_tokens(tokenizers), "'",
                      directory.string(),
                      "' holds vocabularies with different tokens, but tie is three-way; set it to decoder or none.");
}

}  // namespace

model::Tokenizers provide_tokenizers(const TrainingSettings& settings, const VocabularyRequest& request) {
  const auto tell = [&](const model::Tokenizers& tokenizers, const std::string& from) {
    const std::int64_t source = tokenizers.source.size(), target = tokenizers.target.size();
    const std::string other = settings.run.joint_vocabulary ? "" : " and " + with_thousands(target);
    request.message(join("vocabulary: ", with_thousands(source), other, " tokens, ", from));
    return tokenizers;
  };
  if (!request.init.empty()) {
    const model::Tokenizers taken = model::read_tokenizers(request.init);
    require_shared_if_asked(taken, settings, request.init);
    if (model::has_tokenizers(request.directory)) {
      const model::Tokenizers found = model::read_tokenizers(request.directory);
      require<UsageError>(
          found.source.bytes() == taken.source.bytes() && found.target.bytes() == taken.target.bytes(), "'",
          request.directory.string(), "' holds another vocabulary than '", request.init.string(),
          "', from which the weights are taken; choose another directory with --model, or remove the tokenizer files.");
    }
    return tell(taken, "taken from '" + request.init.string() + "'");
  }
  if (model::has_tokenizers(request.directory)) {
    const model::Tokenizers found = model::read_tokenizers(request.directory);
    require_shared_if_asked(found, settings, request.directory);
    return tell(found, "found in '" + request.directory.string() + "'");
  }
  return tell(learn(settings, learning_limits(settings, request)), "learned from the text");
}

std::vector<text::KnownLanguage> learn_languages(const TextSettings& text) {
  constexpr int kPairs = 20000;
  text::LetterCounts source_counts, target_counts;
  data::ParallelReader reader(text.training_files().front());
  std::string source, target;
  for (int pair = 0; pair < kPairs && reader.next(source, target); ++pair) {
    source_counts.add(source);
    target_counts.add(target);
  }
  std::vector<text::KnownLanguage> languages;
  const auto add = [&](const std::string& tag, const text::LetterCounts& counts) {
    if (!tag.empty()) languages.push_back({.tag = tag, .profile = text::LanguageProfile(counts)});
  };
  add(text.source_language, source_counts);
  add(text.target_language, target_counts);
  return languages;
}

}  // namespace dragoman::train
