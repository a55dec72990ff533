// Typical mistakes on the command line: each gets one sentence that says what to do, and leaves nothing half written.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <filesystem>
#include <string>

#include "dragoman/base/files.h"
#include "tests/program.h"
#include "tests/small_model.h"
#include "tests/terminal.h"
#include "tests/tested_program.h"

namespace dragoman {
namespace {

class Mistakes : public SmallModelTest {
 protected:
  Mistakes() {
    write("a.en", "one two\ntwo\nthree\n");
    write("a.de", "one two\ntwo\nthree\n");
    write("one.de", "one\n");
    write("empty", "");
    std::filesystem::create_directory(file("folder"));
  }

  // Runs the program in the directory of the files, where the model is `model`.
  Ending here(const std::string& arguments) const {
    return shell("cd " + directory + " && " + kProgram + " " + arguments);
  }
  void expect_usage(const std::string& arguments, const std::string& part) const {
    expect_one_sentence(here(arguments + " < /dev/null"), 2, part);
  }
};

TEST_F(Mistakes, AFlagOfAnotherNameIsSuggested) {
  expect_usage("serve --model model --host localhost", "there is no flag '--host'. Did you mean '--address'?");
  expect_usage("translate --model model --gpu", "Did you mean '--device cuda'?");
  expect_usage("train --model m --epochs 3", "Training is counted in updates: --steps.");
  expect_usage("train --model m --src a.en", "Did you mean '--train-source'?");
  expect_usage("evaluate --model m --src a.en", "Did you mean '--source'?");
  expect_usage("translate -m model", "there is no flag '-m'. Did you mean '--model'?");
  expect_usage("-v", "there is no flag '-v'. Did you mean '--version'?");
  expect_usage("translate \u2013model model", "Did you mean '--model'?");  // a word processor made a dash of it
  expect_usage("translate model", "'model' is a directory. Did you mean '--model model'?");
  expect_usage("import model", "--model DIR is missing; 'dragoman import --help' shows examples.");
  expect_usage("translate '--model model'", "there is no flag '--model model'. Write it without the quotes.");
  expect_usage("train --model m --resume", "A run is resumed by itself if --model names its directory.");
}

TEST_F(Mistakes, AFlagOfAnotherCommandIsNamedWithItsCommands) {
  expect_usage("translate --model model --reference a.de", "It is a flag of evaluate, heads and score.");
  expect_usage("translate --version", "Did you mean 'dragoman --version'?");
  expect_usage("translate --instructions avx2", "Did you mean 'dragoman --instructions'?");
  expect_usage("--instructions", "--instructions needs a value");
  expect_usage("--instructions mmx inspect", "there are no CPU instructions 'mmx'; this machine can use ");
  expect_usage("--instructions=mmx inspect", "there are no CPU instructions 'mmx'; this machine can use ");
  expect_usage("score --reference a.de --metric comet", "BLEU and chrF are always computed; --ter adds TER.");
  expect_usage("score --reference a.de --colour red", "'dragoman score --help' shows them all.");
  expect_usage("--model model translate", "'--model' belongs after the command, as in 'dragoman translate --model");
}

TEST_F(Mistakes, AMissingValueIsReportedAtItsFlag) {
  expect_usage("translate --model", "--model needs a value, as in '--model DIR'.");
  expect_usage("translate --model --beam 4", "--model needs a value, but the flag '--beam' follows it.");
  expect_usage("evaluate --model model --source --reference=a.de",
               "--source needs a value, but the flag '--reference'");
}

TEST_F(Mistakes, AValueWithoutAFlagGetsAHint) {
  expect_usage("show --model model a.en", "'a.en' is neither a flag nor a flag's value. Did you mean '--input a.en'?");
  expect_usage("serve model", "Did you mean '--model model'?");
  expect_usage("serve --model model 8000", "Did you mean '--port 8000'?");
  expect_usage("score a.de a.en", "Did you mean '--reference a.de'?");
  expect_usage("evaluate model a.en a.de", "Did you mean '--model model'?");
  expect_usage("train a.en a.de --model m", "Did you mean '--train-source a.en'?");
  expect_usage("train settings.yaml", "Did you mean '--config settings.yaml'?");
  expect_usage("inspect base", "Did you mean '--preset base'?");
  expect_usage("inspect pre", "Did you mean '--norm pre'?");
  expect_usage("tokenizer train --input a.en a.de --output t", "Did you mean '--input a.en,a.de'?");
  expect_usage("tokenizer encode --model model a.en", "The text is read from standard input: write '< a.en'.");
  expect_usage("train --model m --joint-vocabulary false", "Did you mean '--joint-vocabulary=false'?");
  expect_usage("average --model model xyz", "'dragoman average --help' shows examples.");
}

TEST_F(Mistakes, ACommandThatDoesNotExistIsNamedWithTheOthers) {
  expect_usage("completion tcsh", "there is no command 'completion tcsh'. There are bash, zsh and fish.");
  expect_usage("trnslate --help", "Did you mean 'translate'?");
}

TEST_F(Mistakes, ANumberIsJudgedByWhatIsWrongWithIt) {
  expect_usage("translate --model model --beam four", "--beam: 'four' is not a whole number, such as 4.");
  expect_usage("translate --model model --beam 99999999999", "'99999999999' is too large; the largest possible");
  expect_usage("translate --model model --beam -4", "beam is -4; it must be from 1 to 1000.");
  expect_usage("translate --model model --device gpu", "Did you mean 'cuda'?");
}

TEST_F(Mistakes, OneLineIsNotOneLines) {
  expect_usage("score --reference a.de --hypothesis one.de", "'one.de' has only 1 line, but 'a.de' has more;");
  expect_usage("evaluate --model model --source one.de --reference a.de", "'one.de' has 1 line but 'a.de' has 3;");
  expect_usage("train --model m --train-source a.en", "train-source names 1 file and train-target 0;");
  EXPECT_FALSE(std::filesystem::exists(file("m")));
}

TEST_F(Mistakes, AWrongTextLeavesNoDirectoryBehind) {
  const std::string train = "train --model m --preset demo --train-source ";
  expect_usage(train + "a.en --train-target one.de", "'a.en' has 3 lines but 'one.de' has 1;");
  write("empty.de", "");
  expect_usage(train + "empty --train-target empty.de", "'empty' is empty: there is no text to learn a vocabulary");
  expect_one_sentence(here(train + "none.en --train-target a.de"), 1, "cannot read 'none.en'");
  EXPECT_FALSE(std::filesystem::exists(file("m")));
  expect_usage("train --model folder", "'folder' holds no run to resume, and there is no text to train on;");
  EXPECT_TRUE(std::filesystem::exists(file("folder")));
}

TEST_F(Mistakes, AFileThatIsEmptyIsNamed) {
  expect_usage("tokenizer train --input empty --output t", "'empty' is empty: there is no text to learn");
  EXPECT_FALSE(std::filesystem::exists(file("t")));
}

TEST_F(Mistakes, AnOutputThatCannotBeWrittenIsReportedBeforeTheWork) {
  expect_usage("show --model none --input a.en --output no/such/x.html",
               "cannot write 'no/such/x.html': there is no directory 'no/such'.");
  expect_usage("show --model none --input a.en --output folder", "'folder' is a directory; name a file.");
  expect_usage("show --model none --input a.en --output a.en", "'a.en' is an input; name another file to write.");
  expect_usage("tokenizer train --input a.en --output no/t", "cannot write 'no/t': there is no directory 'no'.");
  expect_one_sentence(here("show --model model --input a.en --output /proc/x.html"), 1,
                      "cannot write '/proc/x.html' (");
}

TEST_F(Mistakes, SwappedFilesOfATestSetAreNoticed) {
  write_small_model(file("languages"), "en", "de");
  const std::string evaluate = "evaluate --threads 1 --model languages --source ";
  EXPECT_NE(here(evaluate + "a.de --reference a.en").err.find("did you swap --source and --reference?"),
            std::string::npos);
  EXPECT_EQ(here(evaluate + "a.en --reference a.de").err.find("swap"), std::string::npos);
}

// A port that is in use while this lives.
class UsedPort {
 public:
  UsedPort() {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    EXPECT_EQ(::bind(socket_, reinterpret_cast<sockaddr*>(&at), size), 0);
    EXPECT_EQ(::listen(socket_, 1), 0);
    EXPECT_EQ(::getsockname(socket_, reinterpret_cast<sockaddr*>(&at), &size), 0);
    number_ = ntohs(at.sin_port);
  }
  ~UsedPort() { ::close(socket_); }
  UsedPort(const UsedPort&) = delete;
  UsedPort& operator=(const UsedPort&) = delete;
  std::string number() const { return std::to_string(number_); }

 private:
  int socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
  int number_ = 0;
};

TEST_F(Mistakes, AServerThatCannotListenSaysWhatToChange) {
  const UsedPort used;
  expect_one_sentence(here("serve --model model --port " + used.number()), 1,
                      "serve: cannot listen on port " + used.number() +
                          " of 127.0.0.1 (address already in use); another program uses it: choose another port");
  expect_one_sentence(here("serve --model model --port 0 --address 192.0.2.1"), 1,
                      "choose an address of this machine with --address.");
  expect_usage("serve --model model --address localhost", "serve: 'localhost' is not a numeric address; use 127.0.0.1");
}

TEST_F(Mistakes, ADeviceThatIsNotThereLeavesTheCpu) {
  if (run("--version").out.find("CUDA:       none") == std::string::npos &&
      run("--version").out.find("no device") == std::string::npos) {
    GTEST_SKIP() << "this machine has a GPU";
  }
  const Ending ending = here("translate --model model --device cuda < a.en");
  expect_one_sentence(ending, 1, "use --device cpu.");
  EXPECT_EQ(ending.err.find("older"), std::string::npos) << ending.err;
}

TEST_F(Mistakes, TheValueOfAFlagIsNotTheCommand) {
  write_small_model(file("demo"));
  expect_usage("trnslate --model demo", "dragoman: there is no command 'trnslate'. Did you mean 'translate'?");
  expect_usage("--model demo translate", "as in 'dragoman translate --model ...'.");
  expect_usage("-m demo", "dragoman: there is no flag '-m'.");
  expect_usage("version", "Did you mean 'dragoman --version'?");
  expect_usage("eval", "Did you mean 'dragoman evaluate'?");
}

TEST_F(Mistakes, ATildeMakesNoDirectory) {
  expect_usage("train --model=~/x --train-source a.en --train-target a.de",
               "--model: ~ is not replaced by the home directory in '~/x',");
  expect_usage("export --model model --output '~/o8'", "in '~/o8', because the shell does that only at the beginning");
  expect_usage("score --hypothesis a.en --reference=a.de,~/a.de", "in '~/a.de'");
  expect_usage("translate --model model '~/a.en'", "in '~/a.en'");
  write("tilde.yaml", "train-source: ~/a.en\n");
  expect_usage(
      "train --model m --train-target a.de --config tilde.yaml",
      "'tilde.yaml' line 1: train-source: ~ is not replaced by the home directory in '~/a.en'; write the whole");
  EXPECT_FALSE(std::filesystem::exists(file("~")));
}

TEST_F(Mistakes, AFlagWithoutEffectIsRefused) {
  const std::string train = "train --model m --train-source a.en --train-target a.de ";
  expect_usage(train + "--peak-rate 0.5", "--peak-rate has no effect with the schedule paper;");
  expect_usage(train + "--schedule inverse-sqrt --rate-constant 2", "--rate-constant has no effect");
  expect_usage(train + "--decay-exempt", "--decay-exempt has no effect without weight decay; add --weight-decay.");
  expect_usage(train + "--best-by bleu", "--best-by has no effect without a validation text;");
  for (const char* kind : {"word", "char"}) {
    expect_usage(train + "--subword-sampling 0.1 --tokenizer " + kind, "--subword-sampling has no effect with");
  }
  expect_usage(train + "--max-positions 50", "--max-positions has no effect without --positions learned.");
  expect_usage("complexity --counts-only --rounds 3", "--rounds has no effect with --counts-only, which measures no");
  expect_usage("train --lr 1", "Did you mean '--rate-constant', or '--schedule inverse-sqrt --peak-rate'?");
  const std::string translate = "translate --model model a.en ";
  expect_usage(translate + "--search greedy --beam 5", "--beam has no effect without --search beam.");
  expect_usage(translate + "--temperature 0.5", "--temperature has no effect without --search sample.");
  expect_usage(translate + "--alignment-head 2", "--alignment-head has no effect without --alignment.");
  expect_usage("evaluate --model model --source a.en --reference a.de --n-best 3", "--n-best has no effect here:");
  expect_usage("score --reference a.de --hypothesis a.de --trials 10", "without --confidence or --paired.");
  expect_usage("doctor --sentence one", "--sentence has no effect without --model.");
  expect_usage("demo --task reverse --grammar a.en", "--grammar has no effect with --task reverse, copy or chase");
  EXPECT_FALSE(std::filesystem::exists(file("m")));
  write("beam.yaml", "search: greedy\nbeam: 5\n");  // a file may hold what this call does not need
  EXPECT_EQ(here(translate + "--threads 1 --config beam.yaml").status, 0);
}

TEST_F(Mistakes, AFileThatIsNoTextIsNamedWithWhatItIs) {
  const auto with = [&](const std::string& name, const std::string& bytes, const std::string& part) {
    write(name, bytes);
    expect_usage("translate --model model --on-bad-line keep " + name, part);
    expect_usage("train --model m --preset demo --train-source " + name + " --train-target a.de", part);
    EXPECT_FALSE(std::filesystem::exists(file("m")));
  };
  using namespace std::string_literals;
  with("u16", "\xFF\xFEo\0n\0e\0\n\0"s, "'u16' is in UTF-16; convert it with 'iconv -f UTF-16 -t UTF-8 u16 > NEW'.");
  with("le", "o\0n\0e\0\n\0"s, "'le' is in UTF-16LE; convert it with 'iconv -f UTF-16LE");
  with("t.zip", "PK\x03\x04 and more\n"s, "'t.zip' is a zip archive; unpack it first.");
  with("t.bz2", "BZh91AY\n", "'t.bz2' is packed with bzip2; unpack it first with bunzip2.");
  write("latin", "one\nsch\xF6n\n");
  expect_usage(
      "score --reference latin --hypothesis a.en",
      "if the file is in Latin-1 or Windows-1252, convert it with 'iconv -f WINDOWS-1252 -t UTF-8 latin > NEW'.");
}

TEST_F(Mistakes, AModelWithoutAnEntryIsRefused) {
  ASSERT_EQ(shell("sed -i '/\"heads\"/d' " + model + "/config.json").status, 0);
  expect_one_sentence(here("translate --model model a.en"), 1,
                      "'model/config.json' has no entry 'heads'; copy the model again.");
  write_small_model(model);  // a file of the first version, which had fewer settings
  for (const char* key : {"initialisation", "window-kind", "attention-score", "norm-kind", "batch-norm-padding",
                          "first-position", "embedding-scale", "activation", "decoder-d-ff", "decoder-heads"}) {
    ASSERT_EQ(shell("sed -i '/\"" + std::string(key) + "\"/d' " + model + "/config.json").status, 0);
  }
  EXPECT_EQ(here("translate --threads 1 --model model a.en").status, 0);
}

TEST_F(Mistakes, APartOfAModelLeadsToTheModel) {
  make_directory(model + "/checkpoints/step-4");
  write("model/checkpoints/best.safetensors", "x");
  for (const char* part : {"checkpoints", "checkpoints/best.safetensors", "model.safetensors"}) {
    expect_one_sentence(here(std::string("translate --model model/") + part + " a.en"), 1, "Did you mean 'model'?");
  }
  expect_one_sentence(here("translate --model model/checkpoints/step-4 a.en"), 1,
                      "there is no model.safetensors in 'model/checkpoints/step-4';");
  expect_usage("train --model model/model.safetensors --train-source a.en --train-target a.de",
               "'model/model.safetensors' is a file; name a directory with --model. Did you mean 'model'?");
  expect_usage("demo --model a.en", "'a.en' is a file; name a directory with --model.");
  write("folder/config.json", "{\"model_type\": \"marian\"}\n");
  expect_one_sentence(here("translate --model folder a.en"), 1, "does not describe a model of dragoman");
  replace_file(model + "/config.json", [&] {
    std::string config = read_file(model + "/config.json");
    const std::string width = "\"d-ff\": ";
    return config.insert(config.find(width) + width.size(), "1");
  }());
  expect_one_sentence(here("translate --model model a.en"), 1,
                      "'model/model.safetensors' does not fit 'model/config.json'; copy all files of the model.");
}

TEST_F(Mistakes, HintsWorkWhenTheyAreFollowed) {
  expect_usage("train --train-sets a.en a.de", "Did you mean '--train-source FILE --train-target FILE'?");
  for (const char* flag : {"--train-pairs", "--train-source"}) {
    expect_usage(std::string("train --model m ") + flag + " a.en a.de",
                 "Did you mean '--train-source a.en --train-target a.de'?");
  }
  expect_usage("train --model m --beam 3", "It is a flag of translate, serve, show and evaluate.");
  expect_usage("translate --model model --no-quiet a.en", "Did you mean '--quiet=false'?");
  expect_usage("translate --model model --quiet false a.en", "Did you mean '--quiet=false'?");
  expect_usage("translate --model a.en model", "Did you mean '--model model a.en'?");
  expect_one_sentence(here("translate --model My Model a.en"), 1,
                      "there is no model directory 'My'; put a name with spaces in quotes.");
  expect_usage("inspect model", "Did you mean '--model model'?");
  expect_usage("doctor model", "Did you mean '--model model'?");
  expect_usage("average --model model", "'model' has no checkpoints; name the directory of a training run.");
}

TEST_F(Mistakes, ASettingIsNamedAsItWasGiven) {
  expect_usage("inspect --layers 0", "inspect: layers is 0; it must be from 1 to 1000.");
  expect_usage("inspect --encoder-layers 0 --layers 2", "inspect: encoder-layers is 0;");
  write("lists.yaml", "heads: 8\nlayers: 200000\n");
  expect_usage("inspect --config lists.yaml", "'lists.yaml' line 2: layers is 200000; it must be from 1 to 1000.");
  expect_usage("inspect --model model --layers 9", "inspect: layers is 2 in the model 'model', not 9;");
  expect_usage("tokenizer encode --model model --sample 5", "sample is 5; it must be from 0 to 1.");
  expect_usage("translate --model model a.en --alignment --alignment-layer 9", "there is no layer 9; the model has ");
  write("quote.yaml", "preset: \"demo\nlayers: 3\n");
  expect_usage("inspect --config quote.yaml", "'quote.yaml' line 1 is not YAML (a quote is not closed);");
  write("quoted.yaml", "preset: \"demo\"\nnorm: 'pre'\n");
  EXPECT_EQ(here("inspect --config quoted.yaml").status, 0);
  expect_usage("inspect --config quoted.yaml --config lists.yaml", "--config is given twice;");
}

TEST_F(Mistakes, OriginsAndHostsThatCannotMatchAreRefused) {
  expect_usage("serve --model model --origins example.org", "'example.org' is not an origin such as https://example.");
  expect_usage("serve --model model --origins https://example.org/", "'https://example.org/' is not an origin");
  expect_usage("serve --model model --allowed-host 'http://foo bar'", "'http://foo bar' is not the name of a host.");
}

// Makes a text in a fraction of the time that the built-in grammar takes.
constexpr const char* kCodes = R"(
words Letter : name
  a
  b
  c
  d
  e
  f
  g
  h
words Digit : name
  1
  2
  3
  4
  5
  6
  7
  8
category Sentence
  rule code 1
    D : Digit
    L : Letter
    M : Letter
    N : Letter
    O : Letter
    P : Letter
    Q : Letter
    source = {D.name} {L.name} {M.name} {N.name} {O.name} {P.name} {Q.name}
    target = {L.name} {M.name} {N.name} {O.name} {P.name} {Q.name} {D.name}
unseen Letter Digit 10%
)";

TEST_F(Mistakes, DemoLeavesOtherFilesAlone) {
  make_directory(file("mine/text"));
  write("mine/text/train.en", "my own text\n");
  write("codes.grammar", kCodes);
  expect_usage("demo --model mine --grammar codes.grammar", "'mine/text/train.en' exists and is not of this demo;");
  expect_usage("demo --model d --grammar empty", "the grammar 'empty' is empty.");
  expect_usage("demo --model d --threads 99999", "threads is 99999;");
  EXPECT_FALSE(std::filesystem::exists(file("d")));
}

TEST_F(Mistakes, ACommandThatReadsTheTerminalSaysSo) {
  const std::string program = "sh -c 'cd " + directory + " && exec " + tested_program() + " ";
  Terminal score(program + "score --reference a.de'");
  EXPECT_TRUE(score.shows("score: reading the translations from the terminal; Ctrl-D ends."));
  score.type(Terminal::kEndOfInput);  // once
  EXPECT_TRUE(score.shows("standard input is empty, but 'a.de' is not;"));
  Terminal show(program + "show --model model'");
  EXPECT_TRUE(show.shows("the page would go to the terminal; name a file"));
}

TEST_F(Mistakes, AFileOfAModelIsNotReplacedByAnOutput) {
  const std::string weights = read_file(file("model/model.safetensors")), config = read_file(file("model/config.json"));
  const std::string part = "' is a file of a model; name another file to write.";
  write("model/search.json", "{}");
  for (const char* name : {"model.safetensors", "config.json", "tokenizer.model", "search.json"}) {
    const std::string output = std::string(" --output model/") + name;
    expect_usage("translate --model model a.en" + output, part);
    expect_usage("evaluate --model model --source a.en --reference a.de" + output, part);
    expect_usage("show --model model --input a.en" + output, part);
    expect_usage("tokenizer train --input a.en" + output, part);
  }
  expect_usage("translate --model model a.en --attention model/config.json", "is a file of a model;");
  std::filesystem::create_symlink("model/config.json", file("link"));
  expect_usage("translate --model model a.en --output link", part);
  const std::string serve = "cd " + directory + " && timeout 20 " + kProgram + " serve --port 0 --model model ";
  expect_one_sentence(shell(serve + "--access-log model/config.json"), 2, part);
  expect_one_sentence(shell(serve + "--api-keys a.en --access-log a.en"), 2, "'a.en' is an input;");
  EXPECT_EQ(read_file(file("model/config.json")), config);
  EXPECT_TRUE(read_file(file("model/model.safetensors")) == weights);
  write("folder/config.json", "{}");  // this is no model
  EXPECT_EQ(here("translate --threads 1 --model model a.en --output folder/config.json").status, 0);
  expect_usage("translate --model model a.en --output ''", "--output needs the name of a file, or - for standard");
  expect_usage("report --model model --output ''", "--output needs the name of a file, such as --output report.html.");
}

TEST_F(Mistakes, BinaryDataIsNotTakenForAnotherEncoding) {
  write("data", "\xA7 first line\n\x01\x02\x03\x04\n");
  write("latin", "sch\xF6n\n");
  for (const char* command : {"translate --model model data", "score --reference data --hypothesis a.en",
                              "tokenizer train --output t --input data"}) {
    expect_usage(command, "'data' holds binary data, not text; name a text file.");
  }
  expect_usage("translate --model model latin", "'iconv -f WINDOWS-1252 -t UTF-8 latin > NEW'.");
  const std::string found = here("doctor --train-source data --train-target a.de").out;
  EXPECT_NE(found.find("ERROR    'data' holds binary data, not text;"), std::string::npos) << found;
  const std::string piped = here("doctor --train-source - --train-target a.de < a.en").out;
  EXPECT_NE(piped.find("standard input cannot be checked;"), std::string::npos) << piped;
}

TEST_F(Mistakes, StandardInputIsCalledByItsName) {
  expect_usage("evaluate --model model --source - --reference a.de",
               "standard input is empty, but 'a.de' has 3 lines; parallel files");
  expect_usage("evaluate --model model --source a.en --reference -",
               "standard input is empty, but 'a.en' has 3 lines; parallel files");
  expect_usage("tokenizer train --input - --output t", "standard input is empty: there is no text to learn");
  expect_usage("evaluate --model model --source - --reference empty", "standard input is empty: there is nothing to");
}

TEST_F(Mistakes, ACommandInsideAnotherIsFound) {
  expect_usage("encode --model model", "there is no command 'encode'. Did you mean 'dragoman tokenizer encode'?");
  expect_usage("help encode", "Did you mean 'dragoman tokenizer encode'?");
  expect_usage("marian-decoder -m model", "Did you mean 'dragoman translate'?");
  expect_usage("help train translate",
               "there is no command 'train translate', because 'train' has none inside it; ask for one command");
  expect_usage("help tokenizer train now", "because 'tokenizer train' has none inside it;");
}

TEST_F(Mistakes, ASwitchTakesNoValue) {
  expect_usage("train --model m --csv metrics.csv", "'metrics.csv' follows --csv, which takes no value; leave it out.");
  expect_usage("train --model m --tensorboard runs/", "'runs/' follows --tensorboard, which takes no value;");
  expect_usage("train --model m --csv a.en a.de", "Did you mean '--train-source a.en'?");
}

TEST_F(Mistakes, ANumberThatMustBeAboveZeroIsNotZero) {
  expect_usage("demo --steps 0", "--steps: '0' is not possible; give a whole number above 0");
}

TEST_F(Mistakes, AnEmptyItemOfAListIsRefused) {
  expect_usage("translate --model model,,model a.en", "--model: 'model,,model' has an empty item; write the list as");
  expect_usage("translate --model model --input a.en,,a.de", "--input: 'a.en,,a.de' has an empty item");
  expect_usage("train --model m --train-source a.en --train-target a.de --train-weights 1,", "'1,' has an empty item");
  // The words after it are not taken for its value.
  expect_usage("translate --model , a.en", "--model: ',' has an empty item");
  expect_usage("score --reference , --hypothesis a.de", "--reference: ',' has an empty item");
}

TEST_F(Mistakes, SeveralModelsAreRefusedByACommandForOne) {
  write_small_model(file("second"));
  for (const char* command : {"inspect", "heads", "export --output x", "average"}) {
    expect_usage(std::string(command) + " --model model --model second", "--model is given twice; this command takes");
    expect_usage(std::string(command) + " --model model,second", "'model,second' names several models, but this");
  }
  expect_usage("inspect --list --model model", "--model has no effect with --list, which shows all presets.");
  expect_one_sentence(here("translate --model model a.en,a.de"), 1, "write the files as separate words: a.en a.de.");
  expect_one_sentence(here("translate --model model 'a.en a.de'"), 1, "write the files as separate words: a.en a.de.");
  expect_usage("translate --model model a.en --seed 3", "--seed has no effect without --search sample.");
  expect_usage("show --model model --input a.en --output x.html --top-k 3", "--top-k has no effect without");
  expect_usage("doctor --train-weights 2", "--train-weights has no effect without a training text.");
}

TEST_F(Mistakes, HeadsKeepsWhatItFoundIfTheTextIsWrong) {
  const std::string heads = "heads --threads 1 --model model a.en ";
  ASSERT_EQ(here(heads + "--reference a.de").status, 0);
  const std::string found = read_file(file("model/heads.json"));
  expect_usage(heads + "--reference a.en", "--reference names the text itself; it needs the translations.");
  expect_usage("heads --model model empty", "there is no sentence in 'empty'.");
  write("gold", "0-0\n0-1\n0-0\n");
  expect_usage(heads + "--reference a.de --alignments gold",
               "'gold' line 2: there is no link 0-1; the sentence has 1 word and its translation 1, counted from 0.");
  expect_usage("heads --model model --sentences 3", "--sentences has no effect without a FILE of sentences.");
  EXPECT_EQ(read_file(file("model/heads.json")), found);
  for (const char* damaged : {"x", R"({"heads": [1]})", R"({"heads": [{"layer": "one"}]})"}) {
    write("model/heads.json", damaged);
    expect_last_sentence(here("heads --model model"), 1, "make it again with 'dragoman heads' and a file of");
  }
  write_small_model(file("languages"), "en", "de");
  EXPECT_NE(here("heads --threads 1 --model languages a.de --reference a.en").err.find("swap FILE and --reference?"),
            std::string::npos);
}

TEST_F(Mistakes, APromptGoesOnAfterWrongBytes) {
  Terminal prompt("sh -c 'cd " + directory + " && exec " + tested_program() + " translate --threads 1 --model model'");
  EXPECT_TRUE(prompt.shows("> "));
  prompt.type("\xFF\xFE hi\n");
  EXPECT_TRUE(prompt.shows("this line is not UTF-8 text; type it again."));
  prompt.type(":quit\n");
  EXPECT_EQ(prompt.status(), 0);
}

}  // namespace
}  // namespace dragoman
