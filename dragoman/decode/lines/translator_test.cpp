#include "dragoman/decode/lines/translator.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <utility>

#include "dragoman/decode/lines/long_lines.h"
#include "dragoman/decode/search/offers.h"
#include "dragoman/decode/testing.h"
#include "dragoman/model/files/words.h"
#include "dragoman/text/model_file.h"

namespace dragoman::decode {
namespace {

class TranslatorTest : public ModelDirectoryTest {
 protected:
  const std::vector<std::string> lines{"one", "", "two three four", data::words(9), "  ", "five"};
};

TEST_F(TranslatorTest, ALinesTranslationDoesNotDependOnItsBatchMates) {
  Translator together(directory, {.threads = 2}), apart(directory, {.threads = 1, .batch_size = 1});
  const auto expected = together.translate(lines);
  const auto results = apart.translate(lines);
  ASSERT_EQ(results.size(), lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(results[i].text, expected[i].text);
    EXPECT_EQ(results[i].log_probability, expected[i].log_probability);
    EXPECT_EQ(apart.translate({&lines[i], 1})[0].text, expected[i].text);
  }
}

TEST_F(TranslatorTest, ALineWithoutTextIsTranslatedToOneWithoutText) {
  Translator translator(directory, {.threads = 1, .alignment = HeadChoice{}});
  const auto results = translator.translate(lines);
  for (const std::size_t empty : {1, 4}) {
    EXPECT_EQ(results[empty].text, "");
    EXPECT_TRUE(results[empty].finished);
    EXPECT_TRUE(results[empty].source.empty());
  }
  EXPECT_EQ(results[2].source.size(), 4u);
  EXPECT_EQ(results[2].attention.sources, 4);
  EXPECT_TRUE(translator.translate({}).empty());
}

TEST_F(TranslatorTest, ATranslationIsFinishedUnlessTheLimitCutItOff) {
  Translator translator(directory, {.search = {.max_extra = 0}, .threads = 1});
  const std::vector<std::string> line{"one"};
  const TranslatedLine result = translator.translate(line)[0];
  EXPECT_EQ(result.finished, result.text.empty());
}

TEST_F(TranslatorTest, ALineWithTextThatTheVocabularyDoesNotKnowIsMarked) {
  Translator translator(directory, {.search = {.max_extra = 3}, .threads = 1, .longest = 3});
  const std::vector<std::string> given{"one two", "one ten", "", "one two three four ten", "one two three four"};
  const auto results = translator.translate(given);
  const std::vector<bool> unknown{false, true, false, true, false};
  for (std::size_t i = 0; i < given.size(); ++i) EXPECT_EQ(results[i].unknown, unknown[i]) << given[i];
}

TEST_F(TranslatorTest, AModelOfFewWordsSaysWhichItNeverSaw) {
  using Words = std::vector<std::string>;
  const Words given{"One two", "one Ten, five", "", "five one two five ten", "three"};
  const TranslatorOptions options{.search = {.max_extra = 3}, .threads = 1, .longest = 3};
  const auto silent = Translator(directory, options).translate(given);
  model::write_words(directory, {"one", "two", "three"});
  const auto results = Translator(directory, options).translate(given);
  const std::vector<Words> unseen{{}, {"Ten", "five"}, {}, {"five", "ten"}, {}};
  for (std::size_t i = 0; i < given.size(); ++i) {
    EXPECT_EQ(results[i].unseen, unseen[i]) << given[i];
    EXPECT_EQ(silent[i].unseen, Words());
    EXPECT_EQ(results[i].text, silent[i].text);
  }
  const auto part_of_long = Translator(directory, options).translate(Words{std::string(kPartBytes, 'x') + " five one"});
  EXPECT_EQ(part_of_long[0].unseen.back(), "five");
}

// A second model with the same weights, whose files are in a directory of its own.
class VotesTest : public ModelDirectoryTest {
 protected:
  VotesTest() { make_directory(other); }
  // Copies the model, and names the languages of both.
  void copy(const std::string& source, const std::string& target, const std::string& other_source,
            const std::string& other_target) const {
    name_languages(other_source, other_target);
    for (const char* name : {"config.json", "model.safetensors", "tokenizer.model"}) {
      std::filesystem::copy_file(directory / name, other / name, std::filesystem::copy_options::overwrite_existing);
    }
    name_languages(source, target);
  }
  Translator both() const { return Translator({directory, other}, {.threads = 1}); }
  const std::filesystem::path other = directory / "other";
};

TEST_F(VotesTest, OfModelsOfDifferentLanguagesAreRefused) {
  const auto problem = [&] { return data::error_message_of<UsageError>([&] { both(); }); };
  copy("en", "de", "en", "fr");
  EXPECT_EQ(problem(), "'" + directory.string() + "' translates en to de, but '" + other.string() +
                           "' translates en to fr; only models of the same languages can vote.");
  copy("en", "de", "de", "en");
  EXPECT_NE(problem().find("translates en to de, but"), std::string::npos);
  copy("en", "", "nl", "de");
  EXPECT_NE(problem().find("translates en to an unknown language, but"), std::string::npos);
  for (const auto& [source, target] : {std::pair("", ""), {"en", ""}, {"", "de"}, {"en-GB", "de-AT"}}) {
    copy("en", "de", source, target);
    EXPECT_EQ(both().model().info.target_language, "de");
  }
}

TEST_F(VotesTest, AWordIsUnseenIfNoneOfTheModelsSawIt) {
  copy("en", "de", "en", "de");
  model::write_words(directory, {"one", "two"});
  const std::vector<std::string> line{"one two three four"};
  EXPECT_TRUE(both().translate(line)[0].unseen.empty());  // the other may have seen anything
  model::write_words(other, {"three"});
  EXPECT_EQ(both().translate(line)[0].unseen, std::vector<std::string>{"four"});
}

// A line of more than three parts, with unknown words of a thousand letters.
std::string very_long_line() {
  std::string line;
  while (line.size() < 3 * kPartBytes) line += std::string(1000, 'x') + " one two. ";
  return line;
}

TEST_F(TranslatorTest, AVeryLongLineIsDeliveredPartByPart) {
  Translator translator(directory, {.search = {.max_extra = 3}, .threads = 1});
  const std::vector<std::string> given{"one", very_long_line(), "two three four"};
  const auto whole = translator.translate(given);
  ASSERT_EQ(whole.size(), 3u);
  EXPECT_EQ(whole[0].text, translator.translate({&given[0], 1})[0].text);
  EXPECT_EQ(whole[2].text, translator.translate({&given[2], 1})[0].text);
  EXPECT_EQ(whole[2].pieces, 1);
  EXPECT_TRUE(whole[1].unknown);
  EXPECT_FALSE(whole[2].unknown);

  std::vector<TranslatedLine> parts;
  const auto next = [&, at = given.begin()](SourceLine& line, const std::stop_token&) mutable {
    if (at == given.end()) return false;
    line.text = *at++;
    return true;
  };
  translator.translate_parts(next, [&](const TranslatedLine& part) { parts.push_back(part); });
  ASSERT_GT(parts.size(), 5u);
  TranslatedLine together;
  for (std::size_t i = 1; i + 1 < parts.size(); ++i) {
    EXPECT_EQ(parts[i].number, 2);
    EXPECT_EQ(parts[i].continues, i + 2 < parts.size());
    EXPECT_LT(parts[i].text.size(), 2 * kPartBytes);
    add_part(together, parts[i]);
  }
  EXPECT_EQ(parts.back().number, 3);
  EXPECT_TRUE(together.text == whole[1].text);
  EXPECT_EQ(together.pieces, whole[1].pieces);
  EXPECT_GE(whole[1].pieces, static_cast<std::int64_t>(parts.size()) - 2);
}

TEST_F(TranslatorTest, AVeryLongLineThatIsBadIsKeptAsItIs) {
  Translator translator(directory, {.threads = 1, .bad_line = BadLine::kKeep});
  const std::vector<std::string> given{very_long_line() + "\xFF", "one"};
  const auto results = translator.translate(given);
  EXPECT_TRUE(results[0].text == given[0]);
  EXPECT_TRUE(results[0].bad);
  Translator strict(directory, {.threads = 1});
  const auto with_bad_second = std::vector<std::string>{"one", given[0]};
  try {
    strict.translate(with_bad_second);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("line 2 is not UTF-8 text")) << error.what();
  }
}

TEST_F(TranslatorTest, ALongLineIsTranslatedInPieces) {
  Translator translator(directory, {.threads = 1, .longest = 3});
  const auto results = translator.translate(lines);
  EXPECT_EQ(results[3].pieces, 3);  // nine words
  EXPECT_EQ(results[2].pieces, 1);
  std::string joined;
  for (const char* piece : {"one two three", "four five six", "seven eight nine"}) {
    const std::vector<std::string> alone{piece};
    const std::string text = translator.translate(alone)[0].text;
    joined += (joined.empty() || text.empty() ? "" : " ") + text;
  }
  EXPECT_EQ(results[3].text, joined);
}

TEST_F(TranslatorTest, ALongLineIsTranslatedSentenceBySentence) {
  Translator translator(directory, {.threads = 1, .longest = 8});
  const std::vector<std::string> sentences{"one two three.", "four five?", "six seven eight nine one.", "two"};
  const auto apart = translator.translate(sentences);
  std::string line, joined;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    line += (i > 0 ? " " : "") + sentences[i];
    append_text(joined, apart[i].text);
  }
  const auto whole = translator.translate({&line, 1});
  EXPECT_EQ(whole[0].pieces, 4);
  EXPECT_EQ(whole[0].text, joined);
}

TEST_F(TranslatorTest, ABlankLineHasNoTranslation) {
  Translator translator(directory, {.search = {.min_length = 2}, .threads = 1});
  const std::vector<std::string> blank{"", "\u3000", " \u00A0", "\u200B", "\uFEFF\u200D", "\x01"};
  for (const TranslatedLine& line : translator.translate(blank)) {
    EXPECT_EQ(line.text, "") << blank[static_cast<std::size_t>(line.number - 1)];
    EXPECT_EQ(line.steps, 0);
  }
}

// Attention costs the square of a piece's length, so that the pieces of a long line stay short.
TEST_F(TranslatorTest, APieceOfALongLineHasNoMoreTokensThanALongSentence) {
  Translator translator(directory, {.search = {.max_extra = 0}, .threads = 1});
  const std::vector<std::string> given{data::words(1024), data::words(1025)};
  const auto results = translator.translate(given);
  EXPECT_EQ(results[0].pieces, 1);
  EXPECT_GE(results[1].pieces, 1025 / 256 + 1);
}

TEST_F(TranslatorTest, NothingIsLongerThanTheModelHasPositionsFor) {
  model::TransformerConfig learned = model::small_config();
  learned.positions = model::transformer::Positions::kLearned;
  learned.max_positions = 5;
  write_model(learned);
  Translator translator(directory, {.search = {.min_length = 5}, .threads = 1});
  const auto results = translator.translate(lines);
  EXPECT_EQ(results[3].pieces, 3);  // nine words, four at a time
  for (const TranslatedLine& result : results) EXPECT_LE(result.tokens, 5 * result.pieces);
  EXPECT_FALSE(translator.likelihoods(lines, lines)[3]);
}

TEST_F(TranslatorTest, ABrokenLineStopsTheRunOrIsKeptOrBecomesEmpty) {
  const std::vector<std::string> broken{"one", "\xFF", "two"};
  std::vector<std::string> delivered;
  Translator stops(directory, {.threads = 1});
  auto line = broken.begin();
  EXPECT_TRUE(data::error_message_of<UsageError>([&] {
                stops.translate(
                    [&](SourceLine& source, const std::stop_token&) {
                      return line != broken.end() && (source.text = *line++, true);
                    },
                    [&](const TranslatedLine& result) { delivered.push_back(result.text); }, 10);
              }).starts_with("line 11 is not UTF-8 text"));
  EXPECT_EQ(delivered.size(), 1u);
  Translator keeps(directory, {.threads = 1, .bad_line = BadLine::kKeep});
  EXPECT_EQ(keeps.translate(broken)[1].text, "\xFF");
  Translator empties(directory, {.threads = 1, .bad_line = BadLine::kEmpty});
  const auto results = empties.translate(broken);
  EXPECT_EQ(results[1].text, "");
  EXPECT_TRUE(results[1].bad);
  EXPECT_EQ(results[0].text, keeps.translate(broken)[0].text);
}

TEST_F(TranslatorTest, ALineWithoutFiniteScoresStopsTheRunUnlessItIsToBeDelivered) {
  write_damaged_model();
  const std::vector<std::string> three{"one", "two nine", "three"};
  TranslatorOptions options{.threads = 1};
  Translator stopping(directory, options);
  EXPECT_EQ(data::error_message_of([&] { stopping.translate(three); }), join("line 2: ", kNotFinite));
  options.deliver_failed = true;
  const auto delivered = Translator(directory, options).translate(three);
  ASSERT_EQ(delivered.size(), 3u);
  EXPECT_TRUE(delivered[1].failed);
  EXPECT_EQ(delivered[1].text, "");
  for (const std::size_t sound : {0, 2}) {
    EXPECT_FALSE(delivered[sound].failed);
    EXPECT_EQ(delivered[sound].text, stopping.translate(std::span(&three[sound], 1))[0].text);
  }
}

TEST_F(TranslatorTest, TheNumberOfWorkersDoesNotChangeTheResult) {
  std::vector<std::string> many;
  for (int i = 0; i < 100; ++i) many.push_back(lines[static_cast<std::size_t>(i) % lines.size()]);
  Translator one(directory, {.threads = 1}), three(directory, {.threads = 3, .workers = 3, .batch_size = 4});
  const auto expected = one.translate(many), results = three.translate(many);
  for (std::size_t i = 0; i < many.size(); ++i) {
    EXPECT_EQ(results[i].text, expected[i].text);
    EXPECT_EQ(results[i].number, static_cast<std::int64_t>(i) + 1);
  }
}

TEST_F(TranslatorTest, ResultsComeWhileInputIsStillComing) {
  Translator translator(directory, {.threads = 1, .batch_size = 2});
  std::int64_t given = 0, max_ahead = 0;
  std::atomic<std::int64_t> delivered = 0;
  translator.translate(
      [&](SourceLine& line, const std::stop_token&) {
        max_ahead = std::max(max_ahead, given - delivered.load());
        line.text = "one two";
        return ++given <= 1000;
      },
      [&](const TranslatedLine&) { ++delivered; });
  EXPECT_EQ(delivered, 1000);
  EXPECT_LE(max_ahead, 4 * 2 + 1);  // four batches in the pipeline, and the line that is being delivered
}

TEST_F(TranslatorTest, AnErrorOfTheReaderComesAfterWhatItRead) {
  Translator translator(directory, {.threads = 1});
  int given = 0, delivered = 0;
  EXPECT_THROW(translator.translate(
                   [&](SourceLine& line, const std::stop_token&) {
                     line.text = "one";
                     require<Error>(++given <= 3, "the disk is gone.");
                     return true;
                   },
                   [&](const TranslatedLine&) { ++delivered; }),
               Error);
  EXPECT_EQ(delivered, 3);
}

TEST_F(TranslatorTest, AWaitingReaderIsAskedToStopWhenDeliveryFails) {
  Translator translator(directory, {.threads = 1});
  int given = 0;
  const auto next = [&](SourceLine& line, const std::stop_token& stop) {
    line.text = "one";
    while (given == 3 && !stop.stop_requested()) std::this_thread::yield();
    return given++ < 3;
  };
  EXPECT_THROW(translator.translate(next, [](const TranslatedLine&) { throw Error("the printer is gone."); }), Error);
}

TEST_F(TranslatorTest, ATranslationBeginsWithItsPrefix) {
  Translator translator(directory, {.threads = 1, .longest = 4});
  const std::vector<SourceLine> sources{{"one two", "nine eight"}, {"one two"}, {data::words(9), "seven"}};
  std::vector<TranslatedLine> results;
  auto source = sources.begin();
  translator.translate(
      [&](SourceLine& line, const std::stop_token&) { return source != sources.end() && (line = *source++, true); },
      [&](const TranslatedLine& line) { results.push_back(line); });
  ASSERT_EQ(results.size(), 3u);
  EXPECT_TRUE(results[0].text.starts_with("nine eight")) << results[0].text;
  EXPECT_EQ(results[1].text, translator.translate(std::vector<std::string>{"one two"})[0].text);
  EXPECT_TRUE(results[2].text.starts_with("seven")) << results[2].text;
  EXPECT_EQ(results[2].pieces, 3);
}

// "nine" stands for the code of a language.
TEST_F(TranslatorTest, TranslationsBeginWithTheFirstTokenOfTheirTokenizer) {
  const text::Tokenizer& plain = data::word_tokenizer();
  const std::string piece = "\u2581nine";
  const std::int32_t code = *plain.id(piece);
  const auto coded = text::Tokenizer::from_bytes(text::with_first_piece(plain.bytes(), piece), "coded");
  const auto results = [&](const SourceLine& given, std::int64_t longest) {
    Translator translator(directory,
                          {.search = {.alpha = 0}, .threads = 1, .longest = longest, .alignment = HeadChoice{}});
    TranslatedLine result;
    bool is_first = true;
    translator.translate([&](SourceLine& line,
                             const std::stop_token&) { return std::exchange(is_first, false) && (line = given, true); },
                         [&](const TranslatedLine& line) { result = line; });
    return result;
  };
  // The same translation with the code as a word of both sentences, which then counts.
  const TranslatedLine by_hand = results({"nine one two", "nine"}, 100);
  model::write_tokenizers(directory, {coded, coded}, true);
  const TranslatedLine found = results({"one two"}, 100);
  EXPECT_EQ(found.source, by_hand.source);
  EXPECT_EQ(found.target, by_hand.target);
  EXPECT_EQ("nine" + (found.text.empty() ? "" : " " + found.text), by_hand.text);
  EXPECT_GT(found.log_probability, by_hand.log_probability);
  EXPECT_TRUE(results({"one two", "eight"}, 100).text.starts_with("eight"));
  EXPECT_EQ(results({data::words(9)}, 4).pieces, 3);  // of three words and the code
  EXPECT_EQ(pieces(coded.encode("one two three four"), 3, coded),
            (std::vector<data::Sentence>{{code, *plain.id("\u2581one"), *plain.id("\u2581two")},
                                         {code, *plain.id("\u2581three"), *plain.id("\u2581four")}}));
}

TEST_F(TranslatorTest, APrefixThatLeavesNoRoomIsRefusedWithItsLineNumber) {
  Translator translator(directory, {.search = {.max_extra = 1}, .threads = 1});
  const auto error_message = [&](const SourceLine& second) {
    int given = 0, delivered = 0;
    const std::string text = data::error_message_of<UsageError>([&] {
      translator.translate(
          [&](SourceLine& line, const std::stop_token&) {
            line = given == 1 ? second : SourceLine{"one"};
            return given++ < 3;
          },
          [&](const TranslatedLine&) { ++delivered; });
    });
    EXPECT_EQ(delivered, 1);
    return text;
  };
  EXPECT_TRUE(error_message({"one", "two three"}).starts_with("line 2: the prefix of 2 tokens leaves no room"));
  EXPECT_TRUE(error_message({" ", "two"}).starts_with("line 2 has no text, but a prefix"));
}

TEST_F(TranslatorTest, LikelihoodsAreThoseOfTheSearchAndDoNotDependOnBatches) {
  Translator translator(directory, {.threads = 1}), two(directory, {.threads = 2, .workers = 2, .batch_tokens = 5});
  std::vector<std::string> texts;
  const auto translations = translator.translate(lines);
  for (const TranslatedLine& line : translations) texts.push_back(line.text);
  const auto likelihoods = translator.likelihoods(lines, texts), again = two.likelihoods(lines, texts);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    ASSERT_EQ(likelihoods[i].has_value(), !texts[i].empty());
    if (!likelihoods[i]) continue;
    EXPECT_EQ(likelihoods[i]->nll, again[i]->nll);
    EXPECT_EQ(likelihoods[i]->tokens, translations[i].tokens + 1);
    const bool has_unknown = texts[i].find("\u2047") != std::string::npos;
    if (translations[i].finished && !has_unknown) {
      EXPECT_EQ(likelihoods[i]->nll, -translations[i].log_probability);
    }
  }
  Translator shorter(directory, {.threads = 1, .longest = 2});
  EXPECT_FALSE(shorter.likelihoods(std::vector<std::string>{"one two three"}, std::vector<std::string>{"one"})[0]);
}

TEST_F(TranslatorTest, AnEnsembleOfAModelWithItselfGivesTheSameTranslation) {
  const std::vector<std::string> line{"one two three"};
  Translator one(directory, {.threads = 1});
  Translator twice({directory, directory}, {.threads = 1});
  EXPECT_EQ(twice.translate(line)[0].text, one.translate(line)[0].text);
}

}  // namespace
}  // namespace dragoman::decode
