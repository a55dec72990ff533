#include "dragoman/health/corpus.h"

#include <utility>

#include "dragoman/base/threads.h"
#include "dragoman/health/text_examiner.h"

namespace dragoman::health {
namespace {

// Held-out texts are read first, so that each training pair can be looked up in them when it is read.
class CorpusExaminer {
 public:
  explicit CorpusExaminer(const CorpusRequest& request)
      : request_(request), examine_(threads_for(request.threads), request.progress) {
    for (const data::ParallelFiles& files : request.training) {
      surveys_.push_back(survey_of(files));
      training_survey_.add(surveys_.back());
    }
  }

  CorpusReport run() {
    read_held_out();
    read_training();
    report_.repeats = repeats_.count();
    report_.repeat_examples = repeats_.examples();
    const bool has_training = !request_.training.empty();
    if (request_.validation && has_training) report_.validation_in_training = leak_of(validation_);
    if (request_.test && has_training) report_.test_in_training = leak_of(test_);
    if (request_.validation && request_.test) report_.validation_in_test = leak_of(validation_again_);
    return std::move(report_);
  }

 private:
  static Leak leak_of(const HeldOutText& text) { return {text.counts(), text.examples()}; }

  void read_held_out() {
    if (request_.validation) {
      report_.validation = examine_held_out(*request_.validation, [&](const PairHashes& pair, const Place& place) {
        validation_.add(pair, place.line);
        validation_again_.add(pair, place.line);
      });
    }
    if (request_.test) {
      report_.test = examine_held_out(*request_.test, [&](const PairHashes& pair, const Place& place) {
        test_.add(pair, place.line);
        validation_again_.compare(pair, place);
      });
    }
  }

  // The text should be in the languages of the training text. Without any training text it is compared with itself.
  TextReport examine_held_out(const data::ParallelFiles& files, const TextExaminer::OnPair& on_pair) {
    Survey survey = survey_of(files);
    const bool has_training = training_survey_.source.characters > 0 && training_survey_.target.characters > 0;
    const PairExaminer pairs(has_training ? training_survey_ : survey, true);
    TextReport text = examine_(files, pairs, on_pair);
    text.survey = std::move(survey);
    return text;
  }

  void read_training() {
    const PairExaminer pairs(training_survey_, request_.validation || request_.test);
    for (std::size_t i = 0; i < request_.training.size(); ++i) {
      report_.training.push_back(examine_(request_.training[i], pairs, [&](const PairHashes& pair, const Place& place) {
        repeats_.add(pair, place);
        validation_.compare(pair, place);
        test_.compare(pair, place);
      }));
      report_.training.back().survey = std::move(surveys_[i]);
    }
  }

  const CorpusRequest& request_;
  TextExaminer examine_;
  std::vector<Survey> surveys_;  // of the training texts
  Survey training_survey_;       // of all of them together
  HeldOutText validation_{"the validation text"}, test_{"the test text"};
  HeldOutText validation_again_{"the validation text"};  // compared with the test text
  RepeatCounter repeats_;
  CorpusReport report_;
};

}  // namespace

CorpusReport examine_corpus(const CorpusRequest& request) { return CorpusExaminer(request).run(); }

}  // namespace dragoman::health
