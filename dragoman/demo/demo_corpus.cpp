#include "dragoman/demo/demo_corpus.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "dragoman/base/error.h"
#include "dragoman/demo/plain_words.h"

namespace dragoman::demo {

namespace {

constexpr std::uint32_t kDemoPurpose = 0x64656D6F;  // purpose of the random streams: "demo" in ASCII
// After this many sentences in a row that are not new or not wanted, the grammar is taken to have no more.
constexpr int kMaxSkipped = 20000;

// A word form must occur this often in training to be allowed in the other sets.
constexpr int kMinOccurrences = 5;

// The word forms of one side of the training set, and how often each occurs.
class Forms {
 public:
  void add(std::string_view text) {
    for (const std::string_view word : plain_words(text)) ++count_[std::string(word)];
  }
  bool all_frequent(std::string_view text) const {
    return std::ranges::all_of(plain_words(text), [&](std::string_view word) {
      const auto found = count_.find(std::string(word));
      return found != count_.end() && found->second >= kMinOccurrences;
    });
  }

 private:
  std::unordered_map<std::string, int> count_;
};

// Generates sentences and skips those whose source has occurred before.
class FreshSentences {
 public:
  FreshSentences(const Grammar& grammar, std::uint64_t seed) : grammar_(grammar), seed_(seed) {}

  // The next `count` sentences that `wanted` accepts.
  template <class Wanted>
  std::vector<Derivation> take(int count, std::string_view what, Wanted&& wanted) {
    std::vector<Derivation> taken;
    for (int skipped = 0; static_cast<int>(taken.size()) < count; ++skipped) {
      require<UsageError>(skipped < kMaxSkipped, "the grammar makes only ", taken.size(), " of ", count, " ", what,
                          " sentences. Ask for fewer of them, or extend the grammar.");
      RandomStream random(seed_, kDemoPurpose, index_++);
      Derivation sentence = grammar_.derive(random);
      if (!remember(sentence.text) || !wanted(sentence)) continue;
      taken.push_back(std::move(sentence));
      skipped = 0;
    }
    return taken;
  }

 private:
  // Whether the sentence is new.
  bool remember(const TextPair& text) {
    const auto [known, is_new] = translations_.emplace(text.source, text.target);
    require<UsageError>(known->second == text.target, "the grammar translates '", text.source, "' both as '",
                        known->second, "' and as '", text.target, "'.");
    return is_new;
  }

  const Grammar& grammar_;
  std::uint64_t seed_;
  std::uint64_t index_ = 0;
  std::unordered_map<std::string, std::string> translations_;
};

std::vector<TextPair> texts_of(const std::vector<Derivation>& sentences) {
  std::vector<TextPair> texts;
  for (const Derivation& sentence : sentences) texts.push_back(sentence.text);
  return texts;
}

std::vector<WordLinks> links_of(const std::vector<Derivation>& sentences) {
  std::vector<WordLinks> links;
  for (const Derivation& sentence : sentences) links.push_back(sentence.links);
  return links;
}

// Whether the sentence has a pronoun after both words that it could stand for.
bool looks_back(const Derivation& sentence) {
  return sentence.reference &&
         sentence.reference->pronoun > std::max(sentence.reference->meant, sentence.reference->other);
}

// The first `count` sentences that look back.
std::vector<ReferencePair> references_of(const std::vector<Derivation>& sentences, int count) {
  std::vector<ReferencePair> references;
  for (const Derivation& sentence : sentences) {
    if (!looks_back(sentence) || std::ssize(references) >= count) continue;
    references.push_back({sentence.text, *sentence.reference});
  }
  return references;
}

}  // namespace

void DemoCorpusSettings::validate() const {
  require<UsageError>(train > 0 && valid > 0 && test > 0 && references > 0, "train-pairs is ", train, ", valid-pairs ",
                      valid, ", test-pairs ", test, " and reference-pairs ", references, "; each must be above 0.");
}

DemoCorpus make_demo_corpus(const Grammar& grammar, const DemoCorpusSettings& settings) {
  settings.validate();
  FreshSentences sentences(grammar, settings.seed);
  DemoCorpus corpus;
  corpus.languages = grammar.languages();
  const std::vector<Derivation> train =
      sentences.take(settings.train, "training", [&](const Derivation& d) { return !grammar.unseen(d); });
  corpus.train = texts_of(train);
  corpus.train_references = references_of(train, settings.references);

  Forms sources, targets;
  for (const TextPair& pair : corpus.train) {
    sources.add(pair.source);
    targets.add(pair.target);
  }
  const auto familiar = [&](const TextPair& pair) {
    return sources.all_frequent(pair.source) && targets.all_frequent(pair.target);
  };
  const std::vector<Derivation> valid = sentences.take(
      settings.valid, "validation", [&](const Derivation& d) { return !grammar.unseen(d) && familiar(d.text); });
  corpus.valid = texts_of(valid);
  corpus.valid_links = links_of(valid);
  const auto is_test = [&](const Derivation& d) { return grammar.unseen(d) && familiar(d.text); };
  const std::vector<Derivation> test =
      sentences.take(settings.test, "test", [&](const Derivation& d) { return !d.reference && is_test(d); });
  corpus.test = texts_of(test);
  corpus.test_links = links_of(test);
  if (!corpus.train_references.empty()) {
    const auto unseen = sentences.take(settings.references, "reference",
                                       [&](const Derivation& d) { return looks_back(d) && is_test(d); });
    corpus.unseen_references = references_of(unseen, settings.references);
  }
  return corpus;
}

std::vector<std::string> source_words(const std::vector<TextPair>& pairs) {
  std::set<std::string> first, others;
  for (const TextPair& pair : pairs) {
    const std::vector<std::string_view> words = plain_words(pair.source);
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (std::string_view(".,?!").find(words[i]) == std::string_view::npos) (i ? others : first).emplace(words[i]);
    }
  }
  for (std::string word : first) {
    if (others.contains(word)) continue;
    if (word[0] >= 'A' && word[0] <= 'Z') word[0] = static_cast<char>(word[0] - 'A' + 'a');
    others.insert(word);
  }
  return {others.begin(), others.end()};
}

}  // namespace dragoman::demo
