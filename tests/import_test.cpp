// dragoman import: models of other programs give what those programs compute. The models in tests/models, and what is
// expected of them, were made by the scripts beside this file.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "dragoman/decode/engine/dispatcher.h"
#include "dragoman/decode/lines/search_of_model.h"
#include "dragoman/decode/lines/translator.h"
#include "dragoman/model/files/directory.h"
#include "dragoman/model/files/safetensors.h"
#include "dragoman/model/files/weights.h"
#include "dragoman/model/import/import.h"
#include "dragoman/model/steps_testing.h"
#include "tests/foreign_models.h"
#include "tests/program.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;

using data::Sentence;

const fs::path kMarian = kForeignModels / "marian", kCTranslate2 = kForeignModels / "ctranslate2";
constexpr int kLimit = 23;  // of the expected translations, EOS included

Json marian_json(const std::string& file) { return parse_json(read_file(kMarian / file), file); }

// A vocabulary of Transformers: tokens and their ids.
class TheirWords {
 public:
  TheirWords() {
    const Json vocabulary = marian_json("vocab.json");
    for (const auto& [token, id] : vocabulary.items()) {
      ids_[token] = id.get<int>();
      tokens_[id.get<int>()] = token;
    }
  }
  // Pieces that only the SentencePiece model has are unknown there.
  int id(const std::string& token) const { return ids_.contains(token) ? ids_.at(token) : ids_.at("<unk>"); }
  const std::string& token(int id) const { return tokens_.at(id); }
  int size() const { return static_cast<int>(ids_.size()); }

 private:
  std::map<std::string, int> ids_;
  std::map<int, std::string> tokens_;
};

// A model that was imported, with memory as tests of models expect it.
struct Loaded {
  explicit Loaded(const std::string& directory)
      : on(make_backend(Device{})), loaded(*on, directory, WeightForm::kFloat32), model(*loaded.model) {}

  Sentence source(const std::string& text) const {
    Sentence ids = loaded.tokenizers.source.encode(text);
    ids.push_back(kEos);
    return ids;
  }
  std::vector<int> their_ids(const Sentence& ids, const text::Tokenizer& tokenizer) const {
    std::vector<int> theirs;
    for (const std::int32_t id : ids) theirs.push_back(words.id(tokenizer.piece(id)));
    return theirs;
  }
  std::int32_t our_id(int theirs) const { return *loaded.tokenizers.target.id(words.token(theirs)); }

  std::unique_ptr<Backend> on;
  model::LoadedModel loaded;
  const model::Seq2Seq& model;
  TheirWords words;
};

class Import : public ::testing::Test {
 protected:
  Import() { make_directory(directory); }
  ~Import() override { fs::remove_all(directory); }

  std::string file(const std::string& name) const { return directory + "/" + name; }
  // Directories of another program, which tests may change.
  std::string marian(const std::string& variant) const { return marian_fixture(variant).write_to(file("marian")); }
  std::string ctranslate2(const std::string& variant) const {
    return ctranslate2_fixture(variant).write_to(file("ct2"));
  }
  Loaded imported(const std::string& variant) const {
    model::import_model(marian(variant), file("ours"));
    return Loaded(file("ours"));
  }
  // The command that trains the model "ours" further. `model` is the name of the new model, and may be followed by
  // flags.
  std::string training(const std::string& model) const {
    std::string text;
    for (int line = 0; line < 40; ++line) text += "the old man sees the broken window again, near the river.\n";
    replace_file(file("text"), text);
    return "train --init " + file("ours") + " --train-source " + file("text") + " --train-target " + file("text") +
           " --batch-tokens 200 --max-length 100 --threads 1 --report-every 20 --warmup 1 --schedule constant"
           " --peak-rate 1e-2 --model " +
           file(model);
  }
  std::vector<float> output_bias(const std::string& model) const {
    const model::SafetensorsFile weights(model::weights_file(file(model)));
    std::vector<float> bias(static_cast<std::size_t>(weights.shape("output.b").at(0)));
    weights.read("output.b", 0, bias);
    return bias;
  }
  // Replaces a text in a file of the model that marian() made.
  void change(const std::string& name, const std::string& from, const std::string& to) const {
    std::string text = read_file(file("marian/" + name));
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    replace_file(file("marian/" + name), text.replace(at, from.size(), to));
  }
  void expect_refused(int status, const std::string& part, const std::string& flags = "") const {
    expect_one_sentence(run("import " + file("marian") + " --model " + file("ours") + " " + flags), status, part);
    EXPECT_FALSE(fs::exists(file("ours")));
    std::vector<fs::path> left;
    for (const auto& entry : fs::directory_iterator(directory)) left.push_back(entry.path().filename());
    EXPECT_EQ(left, std::vector<fs::path>{"marian"});
  }

  const std::string directory = scratch("_import");
  const Json expected = marian_json("expected.json");
};

TEST_F(Import, CutsTextAsTransformersDoes) {
  const Loaded ours = imported("never");
  for (const Json& source : expected["sources"]) {
    EXPECT_EQ(ours.their_ids(ours.source(source["text"]), ours.loaded.tokenizers.source),
              source["ids"].get<std::vector<int>>())
        << source["text"];
  }
}

TEST_F(Import, GivesTheProbabilitiesOfTransformers) {
  const Loaded ours = imported("mostly");
  const auto V = static_cast<std::size_t>(ours.model.target_vocabulary());
  double worst = 0;
  for (std::size_t i = 0; i < expected["sources"].size(); ++i) {
    const Json& forced = expected["log_probabilities"][i];
    Sentence target{ours.model.start_token()};
    for (const int id : forced["target"].get<std::vector<int>>()) target.push_back(ours.our_id(id));
    const Doubles rows = model::decoder_rows(ours, {ours.source(expected["sources"][i]["text"])}, {target}, 0,
                                             model::Output::kLogProbabilities);
    const Doubles last(rows.end() - static_cast<std::ptrdiff_t>(V), rows.end());
    const auto values = forced["values"].get<std::vector<double>>();
    EXPECT_EQ(std::ssize(values), ours.words.size() - 1);  // all but <pad>
    for (std::size_t id = 0; id < values.size(); ++id) {
      worst = std::max(worst, std::abs(last[static_cast<std::size_t>(ours.our_id(static_cast<int>(id)))] - values[id]));
    }
  }
  EXPECT_LE(worst, 1e-5);
}

// Three files of weights: safetensors, PyTorch's zip files, and its older pickles.
TEST_F(Import, FindsTheTranslationsOfTransformers) {
  for (const std::string variant : {"never", "sometimes", "mostly"}) {
    const Loaded ours = imported(variant);
    decode::SearchSettings settings = decode::search_of_model(file("ours"));
    EXPECT_EQ(settings.rules, decode::Rules::kTransformers);
    settings.n_best = 4;
    for (std::size_t i = 0; i < expected["sources"].size(); ++i) {
      const Sentence source = ours.source(expected["sources"][i]["text"]);
      settings.max_extra = kLimit - static_cast<int>(source.size()) + 1;
      const auto found = decode::search(*ours.on, ours.model, std::span(&source, 1), settings).front();
      const Json& theirs = expected["variants"][variant][i];
      ASSERT_EQ(found.size(), 4u);
      for (std::size_t n = 0; n < found.size(); ++n) {
        Sentence ids = found[n].tokens;
        ids.push_back(kEos);
        EXPECT_EQ(ours.their_ids(ids, ours.loaded.tokenizers.target), theirs["ids"][n].get<std::vector<int>>())
            << variant << ", sentence " << i << ", translation " << n;
        EXPECT_NEAR(found[n].score, theirs["scores"][n].get<double>(), 1e-5) << variant << ", sentence " << i;
        if (std::ranges::count(ids, kUnk) > 0) continue;  // Transformers leaves unknown words out of the text
        EXPECT_EQ(ours.loaded.tokenizers.target.decode(found[n].tokens), theirs["texts"][n].get<std::string>());
      }
    }
    fs::remove_all(file("ours"));
    fs::remove_all(file("marian"));
  }
}

// The weights are stored as floats or as integers of 16 or 8 bits, or in older versions of the format.
TEST_F(Import, GivesTheScoresOfCTranslate2) {
  const Json scored = parse_json(read_file(kCTranslate2 / "expected.json"), "expected.json");
  for (const auto& [variant, theirs] : scored["models"].items()) {
    model::import_model(ctranslate2(variant), file("ours"), {.source = "en", .target = "de"});
    const Loaded ours(file("ours"));
    EXPECT_EQ(ours.loaded.info.source_language, "en");
    EXPECT_EQ(settings_to_json(ours.loaded.info.config)["positions"], "sinusoid-half");  // the file has tables of them
    const auto V = static_cast<std::size_t>(ours.model.target_vocabulary());
    decode::SearchSettings settings = decode::search_of_model(file("ours"));
    EXPECT_EQ(settings.min_length, 2);  // at least one token and the end
    settings.min_length = 0;  // CTranslate2 computes probabilities without a token that it bars, and we with all
    double worst = 0;
    for (std::size_t i = 0; i < scored["sources"].size(); ++i) {
      const Sentence source = ours.source(scored["sources"][i]);
      Sentence target;
      for (const Json& word : scored["targets"][i])
        target.push_back(*ours.loaded.tokenizers.target.id(word.get<std::string>()));
      target.push_back(kEos);
      const Doubles rows =
          model::decoder_rows(ours, {source}, {model::shifted(ours, target)}, 0, model::Output::kLogProbabilities);
      const auto values = theirs["log_probabilities"][i].get<std::vector<double>>();
      ASSERT_EQ(values.size(), target.size());
      for (std::size_t n = 0; n < target.size(); ++n) {
        worst = std::max(worst, std::abs(rows[n * V + static_cast<std::size_t>(target[n])] - values[n]));
      }
      settings.max_extra = kLimit - static_cast<int>(source.size()) + 1;
      const auto found = decode::search(*ours.on, ours.model, std::span(&source, 1), settings).front().front();
      std::vector<std::string> words;
      for (const std::int32_t id : found.tokens) words.push_back(ours.loaded.tokenizers.target.piece(id));
      EXPECT_EQ(words, theirs["translations"][i].get<std::vector<std::string>>()) << variant << ", sentence " << i;
      EXPECT_NEAR(found.score, theirs["scores"][i].get<double>(), 1e-5) << variant << ", sentence " << i;
    }
    EXPECT_LE(worst, 1e-5) << variant;
    fs::remove_all(file("ours"));
    fs::remove_all(file("ct2"));
  }
}

TEST_F(Import, TranslatesWithM2M100AsTransformersDoes) {
  const fs::path m2m100 = kForeignModels / "m2m100";
  const std::string import = "import " + m2m100.string() + " --model " + file("ours");
  expect_one_sentence(run(import + " --source-language en"), 2, "choose one with --target-language");
  expect_one_sentence(run(import + " --source-language en --target-language tlh"), 2, "the language \"tlh\"");
  model::import_model(m2m100, file("ours"), {.source = "en", .target = "de"});
  decode::TranslatorOptions options{.search = decode::search_of_model(file("ours")), .threads = 1};
  EXPECT_EQ(options.search.beam, 5);
  EXPECT_EQ(options.search.stop, decode::Stop::kBeam);
  options.search.n_best = 5;
  options.search.max_extra = 10;  // as in the script that made the numbers
  decode::Translator translator(file("ours"), options);
  const text::Tokenizer &from = translator.model().tokenizers.source, &to = translator.model().tokenizers.target;
  for (const Json& theirs : parse_json(read_file(m2m100 / "expected.json"), "expected.json")) {
    const std::string text = theirs["text"];
    const decode::TranslatedLine line = translator.translate(std::span(&text, 1)).front();
    const auto pieces = [](const Sentence& ids, const text::Tokenizer& tokenizer) {
      std::vector<std::string> result;
      for (const std::int32_t id : ids) result.push_back(tokenizer.piece(id));
      return result;
    };
    EXPECT_EQ(pieces(line.source, from), theirs["source"].get<std::vector<std::string>>());
    ASSERT_EQ(line.hypotheses.size(), 5u);
    for (std::size_t n = 0; n < line.hypotheses.size(); ++n) {
      Sentence ids = line.hypotheses[n].tokens;
      ids.push_back(kEos);
      EXPECT_EQ(pieces(ids, to), theirs["translations"][n].get<std::vector<std::string>>()) << text;
      EXPECT_NEAR(line.hypotheses[n].score, theirs["scores"][n].get<double>(), 1e-5) << text;
    }
  }
}

TEST_F(Import, RefusesNllb) {
  fs::copy(kForeignModels / "m2m100", file("nllb"));
  replace_file(file("nllb/tokenizer_config.json"), R"({"tokenizer_class": "NllbTokenizer"})");
  const std::string import = "import " + file("nllb") + " --model " + file("ours");
  expect_one_sentence(run(import), 1, "is a model of NLLB, which numbers its tokens in another way");
  replace_file(file("nllb/tokenizer_config.json"), R"({"tokenizer_class": "SMALL100Tokenizer"})");
  expect_one_sentence(run(import), 1, "'tokenizer_class' is \"SMALL100Tokenizer\"");
}

TEST_F(Import, NeedsAllFilesOfAModelOfCTranslate2) {
  ctranslate2("int8");
  fs::remove(file("ct2/target.spm"));
  const std::string import = "import " + file("ct2") + " --model " + file("ours");
  expect_one_sentence(run(import), 1, "has no SentencePiece model");
  fs::copy_file(kMarian / "target.spm", file("ct2/target.spm"));
  fs::remove(file("ct2/shared_vocabulary.json"));
  expect_one_sentence(run(import), 1, "has neither 'shared_vocabulary' nor 'source_vocabulary'");
  fs::remove(file("ct2/model.bin"));
  expect_one_sentence(run(import), 1, "has a 'config.json' of CTranslate2, but no 'model.bin'");
  EXPECT_FALSE(fs::exists(file("ours")));
}

TEST_F(Import, TranslatesByTheRulesOfTheOriginUnlessToldOtherwise) {
  const Ending made = run("import " + marian("mostly") + " --model " + file("ours"));
  EXPECT_EQ(made.status, 0) << made.err;
  EXPECT_EQ(made.out, "wrote '" + file("ours") + "': a MarianMT model of Transformers from en to de, " +
                          model::read_info(file("ours")).config.describe() + "\n");
  int compared = 0, changed = 0;
  for (std::size_t i = 0; i < expected["sources"].size(); ++i) {
    const Json& theirs = expected["variants"]["mostly"][i];
    if (theirs["ids"][0].size() == kLimit) continue;  // the program's own limit is another
    replace_file(file("text"), expected["sources"][i]["text"].get<std::string>() + "\n");
    const std::string translate = "translate --model " + file("ours") + " --threads 1 --scores " + file("text");
    const Ending ending = run(translate);
    EXPECT_EQ(ending.out.substr(ending.out.find('\t') + 1), theirs["texts"][0].get<std::string>() + "\n") << ending.err;
    EXPECT_NEAR(std::stod(ending.out), theirs["scores"][0].get<double>(), 1e-4);
    changed += run(translate + " --rules paper --length-norm gnmt --alpha 0.6").out != ending.out;
    ++compared;
  }
  EXPECT_GE(compared, 3);
  EXPECT_GE(changed, 3);  // an empty translation has the same score by all rules
}

TEST_F(Import, TakesOverWhenASearchStops) {
  marian("mostly");
  const auto stop = [&](const std::string& early_stopping) {
    change("generation_config.json", "\"num_beams\"", "\"early_stopping\": " + early_stopping + ", \"num_beams\"");
    model::import_model(file("marian"), file("ours"));
    const decode::Stop result = decode::search_of_model(file("ours")).stop;
    fs::remove_all(file("ours"));
    change("generation_config.json", "\"early_stopping\": " + early_stopping + ", ", "");
    return result;
  };
  EXPECT_EQ(stop("false"), decode::Stop::kProvable);
  EXPECT_EQ(stop("true"), decode::Stop::kBeam);
  EXPECT_EQ(stop("\"never\""), decode::Stop::kNever);
  change("generation_config.json", "\"num_beams\"", "\"early_stopping\": \"soon\", \"num_beams\"");
  expect_refused(1, "'early_stopping'");
}

TEST_F(Import, CanBeTrainedFurther) {
  model::import_model(marian("mostly"), file("ours"));
  const Ending trained = run(training("further") + " --steps 40");
  EXPECT_EQ(trained.status, 0) << trained.err;
  std::vector<double> losses;
  std::istringstream records(read_file(file("further/metrics.jsonl")));
  for (std::string record; std::getline(records, record);) {
    const Json json = parse_json(record, "a record");
    if (json.contains("loss")) losses.push_back(json["loss"].get<double>());
  }
  ASSERT_EQ(losses.size(), 2u);
  EXPECT_LT(losses[0], 10);
  EXPECT_LT(losses[1], losses[0]);
  EXPECT_EQ(read_file(file("further/search.json")), read_file(file("ours/search.json")));
  const model::ModelInfo info = model::read_info(file("further"));
  EXPECT_EQ(info.source_language + info.target_language, "ende");  // the names of the files do not tell them
  // Words that the original does not have stay absent: the numbers that bar them are the same.
  const std::vector<float> before = output_bias("ours"), after = output_bias("further");
  ASSERT_EQ(before.size(), after.size());
  EXPECT_NE(before, after);
  const auto is_absent = [](float bias) { return bias < -1e20f; };
  EXPECT_GE(std::ranges::count_if(before, is_absent), 2);  // padding and the beginning
  for (std::size_t id = 0; id < before.size(); ++id) {
    EXPECT_TRUE(!is_absent(before[id]) || after[id] == before[id]) << id;
  }
}

// M2M100: translations begin with the code of a language.
TEST_F(Import, ResumesTrainingExactly) {
  model::import_model(kForeignModels / "m2m100", file("ours"), {.source = "en", .target = "de"});
  const std::string validation =
      " --save-every 4 --valid-every 4 --valid-source " + file("text") + " --valid-target " + file("text");
  for (const std::string& command :
       {training("whole --steps 8") + validation, training("halves --steps 4") + validation,
        "train --steps 8 --model " + file("halves")}) {
    const Ending trained = run(command);
    EXPECT_EQ(trained.status, 0) << trained.err;
  }
  EXPECT_TRUE(read_file(file("whole/model.safetensors")) == read_file(file("halves/model.safetensors")));
}

TEST_F(Import, CanBeLookedInto) {
  model::import_model(marian("mostly"), file("ours"));
  replace_file(file("text"), "the old man sees the house today.\n");
  const Ending shown = run("show --model " + file("ours") + " --input " + file("text") + " --output " +
                           file("page.html") + " --threads 1");
  EXPECT_EQ(shown.status, 0) << shown.err;
  const Ending traced = run("translate --model " + file("ours") + " --threads 1 --alignment --attention " +
                            file("traces") + " " + file("text"));
  EXPECT_EQ(traced.status, 0) << traced.err;
  const Ending inspected = run("inspect --model " + file("ours"));
  EXPECT_NE(inspected.out.find("languages    en to de\n"), std::string::npos) << inspected.err;
  EXPECT_NE(inspected.out.find("origin       a MarianMT model of Transformers, \"marian\"\n"), std::string::npos);
}

TEST_F(Import, ChoosesTheTargetLanguageOfAModelOfSeveral) {
  marian("mostly");
  change("vocab.json", "\"s\": ", "\">>deu<<\": ");
  change("vocab.json", "\"t\": ", "\">>nld<<\": ");
  expect_refused(2, "translates into 2 languages; choose one with --target-language: ");
  expect_refused(2, "does not translate into \"fra\"", "--target-language fra");
  change("tokenizer_config.json", "\"en\"", "\"zh_CN\"");  // not the form of a tag
  const Ending made = run("import " + file("marian") + " --model " + file("ours") + " --target-language nld");
  EXPECT_EQ(made.status, 0) << made.err;
  const Loaded ours(file("ours"));
  EXPECT_EQ(ours.loaded.info.source_language, "zh-CN");
  EXPECT_EQ(ours.loaded.info.target_language, "nld");
  const Sentence ids = ours.source("a small dog");
  EXPECT_EQ(ours.loaded.tokenizers.source.piece(ids.front()), ">>nld<<");
  std::string words = read_file(ctranslate2("int8") + "/shared_vocabulary.json");
  words.replace(words.find("\"s\""), 3, "\">>deu<<\"");
  replace_file(file("ct2/shared_vocabulary.json"), words);
  expect_one_sentence(run("import " + file("ct2") + " --model " + file("other")), 2, "--target-language: deu.");
}

TEST_F(Import, RefusesWhatItCannotTakeAndLeavesNothingBehind) {
  marian("mostly");
  expect_refused(2, "--source-language is \"en to de\", which is not a language tag", "--source-language 'en to de'");
  change("config.json", "\"swish\"", "\"tanh\"");
  expect_refused(1, "'activation_function' is \"tanh\"");
  change("config.json", "\"tanh\"", "\"swish\"");
  change("config.json", "\"marian\"", "\"t5\"");
  expect_refused(1, "'model_type' is \"t5\"");
  change("config.json", "\"t5\"", "\"marian\"");
  change("config.json", "\"encoder_layers\": 3", "\"encoder_layers\": 4");
  expect_refused(1, "has no tensor \"model.encoder.layers.3.");
  change("config.json", "\"encoder_layers\": 4", "\"encoder_layers\": 3");
  change("config.json", "\"encoder_ffn_dim\": 16", "\"encoder_ffn_dim\": 24");
  expect_refused(1, "'model.encoder.layers.0.fc1.");
  change("config.json", "\"encoder_ffn_dim\": 24", "\"encoder_ffn_dim\": 16");
  change("generation_config.json", "\"num_beams\": 4", "\"num_beams\": -4");
  expect_refused(1, "'num_beams' is -4");
  change("generation_config.json", "\"num_beams\": -4", "\"num_beams\": 4");
  replace_file(file("marian/model.safetensors"), "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n");
  expect_refused(1, "model.safetensors' is only a pointer of git-lfs");
  fs::remove(file("marian/model.safetensors"));
  change("vocab.json", "\"<unk>\"", "\"<unknown>\"");
  expect_refused(1, "has no token \"<unk>\"");
  fs::remove(file("marian/vocab.json"));
  expect_refused(1, "has no file \"vocab.json\"");
}

// Nobody writes to the pipe, so reading it would not end.
TEST_F(Import, SaysWhatIsNoFile) {
  ASSERT_EQ(shell("mkfifo " + file("pipe.pt")).status, 0);
  const std::string limited = "timeout 60 " + kProgram + " import --model " + file("ours") + " ";
  expect_one_sentence(shell(limited + file("pipe.pt")), 1, "pipe.pt' is a pipe, but a file is needed.");
  expect_one_sentence(shell(limited + "/dev/zero"), 1, "'/dev/zero' is a device, but a file is needed.");
  marian("mostly");
  fs::remove(file("marian/vocab.json"));
  fs::rename(file("pipe.pt"), file("marian/vocab.json"));
  expect_one_sentence(shell(limited + file("marian")), 1, "has no file \"vocab.json\"");
}

TEST_F(Import, TakesAModelWhoseNameIsNotUtf8) {
  marian("mostly");
  fs::rename(file("marian"), file("th\xFFrs"));
  ASSERT_EQ(run("import '" + file("th\xFFrs") + "' --model '" + file("o\xFFrs") + "'").status, 0);
  const Ending inspected = run("inspect --json --model '" + file("o\xFFrs") + "'");
  EXPECT_EQ(inspected.status, 0) << inspected.err;
  EXPECT_NE(inspected.out.find("xFFrs"), std::string::npos) << inspected.out;
  expect_one_sentence(run("import '" + file("th\xFFrs") + "' --model " + file("other") + " --target-language 'd\xFF'"),
                      2, "--target-language is \"d\\xFF\", which is not a language tag");
}

TEST_F(Import, DoesNotReplaceWhatExists) {
  marian("mostly");
  const std::string import = "import " + file("marian") + " --model " + file("ours");
  EXPECT_EQ(run(import).status, 0);
  const std::string before = read_file(file("ours/config.json"));
  expect_one_sentence(run(import), 2, file("ours"));
  EXPECT_EQ(read_file(file("ours/config.json")), before);
  expect_one_sentence(run("import " + file("ours") + " --model " + file("again")), 2, "is a model of dragoman already");
  expect_one_sentence(run("import --model " + file("again")), 2, "name one model to import");
  expect_one_sentence(run("import " + file("none") + " --model " + file("again")), 1, "there is no file or directory");
}

}  // namespace
}  // namespace dragoman
