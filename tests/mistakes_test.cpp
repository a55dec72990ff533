// Typical mistakes with files, models, devices and ports: each gets one sentence that says what to do, and leaves
// nothing half written.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <filesystem>
#include <string>

#include "dragoman/base/files.h"
#include "tests/mistakes.h"
#include "tests/program.h"
#include "tests/small_model.h"
#include "tests/terminal.h"
#include "tests/tested_program.h"

namespace dragoman {
namespace {

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
  write("mine/text/train.source", "my own text\n");
  write("codes.grammar", std::string("languages en fr\n") + kCodes);
  expect_usage("demo --model mine --grammar codes.grammar", "'mine/text/train.en' exists and is not of this demo;");
  write("codes.grammar", kCodes);
  expect_usage("demo --model mine --grammar codes.grammar", "'mine/text/train.source' exists and is not of this demo;");
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
