// Typical mistakes on the command line: each gets one sentence that says what to do, and leaves nothing half written.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <filesystem>
#include <string>

#include "tests/program.h"
#include "tests/small_model.h"

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
  expect_usage("train --model m --epochs 3", "Did you mean '--steps'?");
  expect_usage("train --model m --src a.en", "Did you mean '--train-source'?");
  expect_usage("evaluate --model m --src a.en", "Did you mean '--source'?");
  expect_usage("translate -m model", "there is no flag '-m'. Did you mean '--model'?");
  expect_usage("-v", "there is no flag '-v'. Did you mean '--version'?");
  expect_usage("translate \u2013model model", "Did you mean '--model'?");  // a word processor made a dash of it
  expect_usage("translate model", "'model' is a directory. Did you mean '--model model'?");
  expect_usage("translate '--model model'", "there is no flag '--model model'. Write it without the quotes.");
  expect_usage("train --model m --resume", "A run is resumed by itself if --model names its directory.");
}

TEST_F(Mistakes, AFlagOfAnotherCommandIsNamedWithItsCommands) {
  expect_usage("translate --model model --reference a.de", "It is a flag of evaluate and score.");
  expect_usage("translate --version", "Did you mean 'dragoman --version'?");
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
  expect_usage(train + "empty --train-target empty", "'empty' is empty: there is no text to learn a vocabulary from.");
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

}  // namespace
}  // namespace dragoman
