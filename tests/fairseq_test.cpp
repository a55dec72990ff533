// dragoman import: models of fairseq, whose text is cut by BPE codes, give what fairseq computes. The models in
// tests/models/fairseq, and what is expected of them, were made by tests/make_fairseq_models.py.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "dragoman/base/testing.h"
#include "dragoman/decode/lines/search_of_model.h"
#include "dragoman/decode/lines/translator.h"
#include "dragoman/model/files/directory.h"
#include "dragoman/model/import/import.h"
#include "dragoman/model/steps_testing.h"
#include "tests/program.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;

using data::Sentence;

const fs::path kModels = fs::path(DRAGOMAN_SOURCE_DIR) / "tests/models/fairseq";
// Where scripts/fetch-models puts trained models.
const fs::path kFetched = fs::path(DRAGOMAN_SOURCE_DIR) / "build/models";

// fairseq has <s> at 0 and <pad> at 1, and we the other way round. All other ids are the same.
Sentence with_end(Sentence ids) {
  ids.push_back(kEos);
  return ids;
}

class Fairseq : public ::testing::Test {
 protected:
  Fairseq() { make_directory(directory); }
  ~Fairseq() override { fs::remove_all(directory); }

  std::string file(const std::string& name) const { return directory + "/" + name; }
  // A copy of a model that may be changed.
  std::string copy_of(const std::string& name) const {
    fs::copy(kModels / name, file(name));
    return file(name);
  }
  // Checks that pieces in traces begin with a space where words begin, which the piece before decides.
  void expect_pieces_in_context(const std::string& traces) const {
    const text::Tokenizer target = model::read_tokenizers(file("ours")).target;
    std::istringstream lines(read_file(traces));
    for (std::string line; std::getline(lines, line);) {
      const Json trace = parse_json(line, traces);
      EXPECT_EQ(trace["src"][0], "\u2581the");
      std::vector<std::int32_t> alive{kBos};
      for (const Json& step : trace["beam"]) {
        std::vector<std::int32_t> next;
        for (const Json& candidate : step) {
          const bool continues = target.piece(alive[candidate["from"].get<std::size_t>()]).ends_with("@@");
          const auto id = candidate["id"].get<std::int32_t>();
          const bool begins = candidate["token"].get<std::string>().starts_with("\u2581");
          EXPECT_EQ(begins, id > kUnk && !continues) << candidate;
          if (candidate["fate"] == "alive") next.push_back(id);
        }
        alive = next;
      }
    }
  }
  void expect_refused(int status, const std::string& part) const {
    expect_one_sentence(run("import " + file("old") + " --model " + file("ours")), status, part);
    EXPECT_FALSE(fs::exists(file("ours")));
  }

  const std::string directory = scratch("_fairseq");
};

// Settings, files and names of tensors of today, and those of 2018.
TEST_F(Fairseq, GivesTheTranslationsOfFairseq) {
  for (const std::string name : {"new", "old"}) {
    model::import_model(kModels / name, file(name));
    decode::TranslatorOptions options{.search = decode::search_of_model(file(name)), .threads = 1};
    EXPECT_EQ(options.search.beam, 5);
    options.search.n_best = 5;
    decode::Translator translator(file(name), options);
    EXPECT_EQ(translator.model().info.source_language, "en");
    EXPECT_EQ(translator.model().info.target_language, "de");
    for (const Json& theirs : parse_json(read_file(kModels / name / "expected.json"), "expected.json")) {
      const std::string text = theirs["text"];
      const decode::TranslatedLine line = translator.translate(std::span(&text, 1)).front();
      EXPECT_EQ(line.source, theirs["source"].get<Sentence>()) << text;
      ASSERT_EQ(line.hypotheses.size(), 5u);
      const Sentence& best = line.hypotheses.front().tokens;
      EXPECT_EQ(with_end(best), theirs["translations"][0].get<Sentence>()) << name << ": " << text;
      EXPECT_NEAR(line.hypotheses.front().score, theirs["scores"][0].get<double>(), 1e-5) << name << ": " << text;
      // If more translations end at once than there is room for, we keep the best of all, and fairseq the oldest.
      for (std::size_t n = 1; n < line.hypotheses.size(); ++n) {
        EXPECT_GE(line.hypotheses[n].score, theirs["scores"][n].get<double>() - 1e-5) << name << ": " << text;
      }
      if (std::ranges::count(best, kUnk) > 0) continue;  // fairseq writes <unk>
      EXPECT_EQ(line.text, theirs["texts"][0].get<std::string>());
    }
  }
}

TEST_F(Fairseq, WorksLikeAnyOtherModel) {
  // A checkpoint can be named itself, and the data may be in a directory beside its own.
  make_directory(file("run"));
  make_directory(file("run/checkpoints"));
  fs::rename(copy_of("new") + "/checkpoint_best.pt", file("run/checkpoints/checkpoint7.pt"));
  fs::rename(file("new"), file("run/data"));
  const std::string ours = " --model " + file("ours");
  const Ending made = run("import " + file("run/checkpoints/checkpoint7.pt") + ours + " --target-language gsw");
  EXPECT_EQ(made.out, "wrote '" + file("ours") + "': a model of fairseq from en to gsw, " +
                          model::read_info(file("ours")).config.describe() + "\n")
      << made.err;
  replace_file(file("text"), "the old man sees the house today\nthe river is old\n");
  const Ending traced =
      run("translate --threads 1 --alignment --attention " + file("traces") + ours + " " + file("text"));
  EXPECT_EQ(traced.status, 0) << traced.err;
  expect_pieces_in_context(file("traces"));
  const Ending shown = run("show --threads 1 --input " + file("text") + " --output " + file("page.html") + ours);
  EXPECT_EQ(shown.status, 0) << shown.err;
  const Ending scored = run("evaluate --threads 1 --source " + file("text") + " --reference " + file("text") + ours);
  EXPECT_EQ(scored.status, 0) << scored.err;
  std::string lines;
  for (int line = 0; line < 20; ++line) lines += read_file(file("text"));
  replace_file(file("lines"), lines);
  const Ending trained = run("train --init " + file("ours") + " --model " + file("further") + " --train-source " +
                             file("lines") + " --train-target " + file("lines") +
                             " --steps 4 --batch-tokens 200 --max-length 100 --threads 1 --subword-sampling 0.2");
  EXPECT_EQ(trained.status, 0) << trained.err;
  EXPECT_EQ(read_file(file("further/tokenizer.source.model")), read_file(file("ours/tokenizer.source.model")));
}

// The file of the older model is a pickle without checksums.
TEST_F(Fairseq, RefusesWhatItCannotTakeAndNamesTheKey) {
  const std::string checkpoint = copy_of("old") + "/checkpoint_best.pt", whole = read_file(checkpoint);
  const auto change = [&](const std::string& from, const std::string& to) {
    std::string bytes = whole;
    const std::size_t at = bytes.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    replace_file(checkpoint, bytes.replace(at, from.size(), to));
  };
  change("gelu", "tanh");
  expect_refused(1, "'activation_fn' is \"tanh\"");
  change("encoder.version", "encoder.verse_1");
  expect_refused(1, "has the tensor \"encoder.verse_1\"");
  change("encoder_embed_dim", "encoder_embed_dIm");
  expect_refused(1, "'encoder_embed_dim' is missing");
  std::string bytes = whole;
  const std::size_t flag = bytes.find('\x89', bytes.find("layernorm_embedding"));  // False
  bytes[flag] = '\x88';
  replace_file(checkpoint, bytes);
  expect_refused(1, "'layernorm_embedding' is set");
  replace_file(checkpoint, whole);
  replace_file(file("old/dict.de.txt"), read_file(file("old/dict.de.txt")) + "word 1\n");
  expect_refused(1, "dict.de.txt' has 57 tokens");
  fs::remove(file("old/dict.de.txt"));
  expect_refused(1, "has no file \"dict.de.txt\"");
  fs::remove(file("old/bpecodes"));
  fs::copy_file(kModels / "old/dict.de.txt", file("old/dict.de.txt"));
  expect_refused(1, "has no codes of subword-nmt or fastBPE");
  fs::remove(file("old/dict.de.txt"));
  fs::remove(file("old/dict.en.txt"));
  expect_refused(1, "needs its dictionaries");
}

TEST_F(Fairseq, ChoosesTheDictionariesByTheLanguagesThatAreGiven) {
  std::string bytes = read_file(copy_of("old") + "/checkpoint_best.pt");
  for (const std::string key : {"source_lang", "target_lang"})
    bytes.replace(bytes.find(key), key.size(), "other_setng");
  replace_file(file("old/checkpoint_best.pt"), bytes);
  expect_refused(2, "does not name its languages");
  const Ending made =
      run("import " + file("old") + " --model " + file("ours") + " --source-language de --target-language en");
  EXPECT_EQ(made.status, 0) << made.err;
  EXPECT_EQ(model::read_info(file("ours")).source_language, "de");
}

TEST_F(Fairseq, SurvivesDamage) {
  for (const std::string name : {"new", "old"}) {
    const std::string checkpoint = copy_of(name) + "/checkpoint_best.pt";
    expect_survives_damage(read_file(checkpoint), [&](const std::string& bytes) {
      fs::remove(checkpoint);  // some file systems are slow if a file is cut to zero and written again
      std::ofstream(checkpoint, std::ios::binary) << bytes;
      model::read_foreign_model(file(name), {.source = "en", .target = "de"});
    });
  }
}

struct Published {
  std::string name;
  std::vector<double> log_probabilities;
};

// The sentence that the package's own description promises, and numbers that were computed from its files in NumPy.
TEST_F(Fairseq, GivesThePublishedSentenceOfTrainedModels) {
  if (!fs::exists(kFetched / "latin2nqo_001.35")) {
    GTEST_SKIP() << "there are no trained models in build/models; fetch them with scripts/fetch-models (74 MB)";
  }
  const Sentence source{204, 195, 443, 275, 33, kEos}, target{105, 211, 91, 16, 221, 51, kEos};
  for (const Published& model :
       {Published{"latin2nqo_001.35", {-0.13811, -0.06863, -0.05231, -0.18457, -0.03586, -0.28297, -0.16406}},
        Published{"latin2nqo_001.38", {-0.07452, -0.10540, -0.06619, -0.39308, -0.04329, -0.40527, -0.19113}}}) {
    model::import_model(kFetched / model.name, file(model.name));
    decode::Translator translator(file(model.name),
                                  {.search = decode::search_of_model(file(model.name)), .threads = 1});
    const std::string text = "musa dunbuya";
    const decode::TranslatedLine line = translator.translate(std::span(&text, 1)).front();
    EXPECT_EQ(line.source, source);
    EXPECT_EQ(with_end(line.hypotheses.front().tokens), target);
    EXPECT_EQ(line.text, "ߡߎߛߊ߫ ߘߎ߲ߓߎߦߊ");
    const std::unique_ptr<Backend> on = make_backend(Device{});
    const model::LoadedModel loaded(*on, file(model.name), WeightForm::kFloat32);
    const struct {
      const std::unique_ptr<Backend>& on;
      const model::Seq2Seq& model;
    } small{on, *loaded.model};
    const Doubles rows =
        model::decoder_rows(small, {source}, {model::shifted(small, target)}, 0, model::Output::kLogProbabilities);
    const auto V = static_cast<std::size_t>(small.model.target_vocabulary());
    for (std::size_t n = 0; n < target.size(); ++n) {
      EXPECT_NEAR(rows[n * V + static_cast<std::size_t>(target[n])], model.log_probabilities[n], 2e-5) << model.name;
    }
  }
}

}  // namespace
}  // namespace dragoman
