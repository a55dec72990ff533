// What happens when a worker fails: the device is lost, the memory is short, or the model's scores are not finite
// numbers. This test can also run as the program itself, with the architecture of tests/failing_model.h, and can lose
// its GPU as a faulty kernel would.
#define main program_main
#include "dragoman/cli/main.cpp"
#undef main

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "dragoman/backend/lost_device_testing.h"
#include "dragoman/base/fields_json.h"
#include "dragoman/decode/lines/service.h"
#include "dragoman/decode/search/offers.h"
#include "dragoman/decode/testing.h"
#include "dragoman/serve/api/refusal.h"
#include "tests/failing_model.h"
#include "tests/server_process.h"
#include "tests/training.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLoseWhen = "DRAGOMAN_LOSE_WHEN";  // names a file: when it exists, the GPU is lost

void lose_device_when_asked() {
  const char* file = std::getenv(kLoseWhen);
  if (file == nullptr) return;
  std::thread([file = std::string(file)] {
    while (!fs::exists(file)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    lose_cuda_device();
  }).detach();
}

std::string this_program() { return fs::read_symlink("/proc/self/exe"); }

// This test, as the program.
class FailingServer : public Process {
 public:
  explicit FailingServer(const std::vector<std::string>& flags) : Process(command(flags)) { port_ = listening_port(); }
  int port() const { return port_; }

 private:
  static std::vector<std::string> command(const std::vector<std::string>& flags) {
    std::vector<std::string> words{this_program(), "serve", "--port", "0", "--allowed-host", "a", "--threads", "1"};
    words.insert(words.end(), flags.begin(), flags.end());
    return words;
  }

  int port_ = 0;
};

std::string error_of(const Client::Answer& answer) { return parse_json(answer.body, "the answer").value("error", ""); }

class WorkerFailures : public decode::ModelDirectoryTest {
 protected:
  static void SetUpTestSuite() {
    if (std::ranges::count(model::architecture_names(), "failing") == 0) model::add_failing_architecture();
  }

  // Submits an order of one line, as a client of its own. Its outcome is in errors[line] when it is done.
  void submit(decode::Service& service, const std::string& text, decode::SearchSettings search = {}) {
    const std::size_t i = asked++;
    decode::SourceLine line{.text = text, .options = {.search = search}};
    service.submit({.lines = {line},
                    .done = [this, i](std::size_t, decode::Order::Outcome outcome) { errors[i] = outcome.error; },
                    .client = std::to_string(i)});
  }
  // The status with which a server answers the request of this order.
  int status(std::size_t order) const { return errors[order] ? serve::refusal(errors[order]).status : 200; }

  // A search that takes many steps.
  static decode::SearchSettings long_search() { return {.beam = 2, .max_extra = 2000, .min_length = 2000}; }

  std::size_t asked = 0;
  std::vector<std::exception_ptr> errors = std::vector<std::exception_ptr>(10);
};

TEST_F(WorkerFailures, ALostDeviceEndsAllWorkersAndTheirOrders) {
  model::write_failing_model(directory);
  std::atomic<int> losses = 0;
  std::string reason;
  decode::Service service(directory, {.threads = 1, .workers = 2}, 100, [&](const std::string& why) {
    ++losses;
    reason = why;
  });
  for (int i = 0; i < 6; ++i) submit(service, "one two", long_search());
  while (service.counts().under_way < 6) std::this_thread::yield();
  submit(service, "six seven");
  service.drain();
  EXPECT_EQ(losses, 1);
  EXPECT_EQ(reason, model::kLossReason);
  for (std::size_t i = 0; i < 7; ++i) {
    ASSERT_TRUE(errors[i]) << i;
    EXPECT_THROW(std::rethrow_exception(errors[i]), DeviceLost) << i;
    EXPECT_EQ(status(i), 503);
  }
  EXPECT_THROW(submit(service, "one"), DeviceLost);
  EXPECT_EQ(service.counts().under_way, 0);
  EXPECT_EQ(service.counts().waiting, 0);
}

TEST_F(WorkerFailures, AnOrderThatDoesNotFitAloneIsTooLargeAndOthersMayTryAgain) {
  model::write_failing_model(directory);
  decode::Service service(directory, {.threads = 1}, 100);
  submit(service, "eight");
  service.drain();
  EXPECT_EQ(status(0), 413);
  submit(service, "one", long_search());
  while (service.counts().under_way < 1) std::this_thread::yield();
  submit(service, "eight");
  service.drain();
  EXPECT_EQ(status(1), 503);
  EXPECT_EQ(status(2), 503);
  submit(service, "one");
  service.drain();
  EXPECT_EQ(status(3), 200);
}

TEST_F(WorkerFailures, AServerThatHasLostItsDeviceSaysSoAndEndsWithStatusOne) {
  model::write_failing_model(directory / "failing");
  FailingServer server({"--model", directory / "failing", "--model", directory});
  Client client(server.port());
  const auto translate = [&](const std::string& text, const std::string& model) {
    return client.ask(posted("/v1/translate", {{"q", text}, {"model", model}}));
  };
  EXPECT_EQ(client.ask("GET /health HTTP/1.1\r\nHost: a\r\n\r\n").status, 200);
  EXPECT_EQ(translate("one", "failing").status, 200);
  const auto answers = [&] {
    return std::vector{translate("seven", "failing"), translate("one", "failing"),
                       translate("one", directory.filename()), client.ask("GET /health HTTP/1.1\r\nHost: a\r\n\r\n")};
  }();
  for (const Client::Answer& answer : answers) {
    EXPECT_EQ(answer.status, 503);
    EXPECT_EQ(error_of(answer), model::kLossReason);
    EXPECT_EQ(answer.headers.at("Retry-After"), "10");
  }
  EXPECT_EQ(server.status(), 1);
  EXPECT_NE(server.output().find(std::string("serve: ") + model::kLossReason), std::string::npos) << server.output();
}

TEST_F(WorkerFailures, ACommandThatHasLostItsDeviceEndsWithOneSentence) {
  model::write_failing_model(directory);
  const std::string input = directory / "input";
  replace_file(input, "one\nseven\ntwo\n");
  expect_one_sentence(shell("'" + this_program() + "' translate --threads 1 --model " + directory.string() +
                            " --batch-size 1 < " + input + " > " + input + ".out"),
                      1, model::kLossReason);
}

TEST_F(WorkerFailures, AServerKeepsTheReasonOfAFailureToItself) {
  model::write_failing_model(directory);
  FailingServer server({"--model", directory});
  Client client(server.port());
  const auto answer = client.ask(posted("/translate", {{"q", "eight"}, {"source", "en"}, {"target", "de"}}));
  EXPECT_EQ(answer.status, 413);
  EXPECT_EQ(error_of(answer).find("/srv"), std::string::npos) << answer.body;
  EXPECT_TRUE(eventually([&] {
    return server.output().find("serve: POST /translate got status 413: out of memory: '/srv/model'") !=
           std::string::npos;
  })) << server.output();
}

TEST_F(WorkerFailures, ALineWithoutFiniteScoresIsEmptyAndTheCommandSaysSoAtItsEnd) {
  write_damaged_model();
  const std::string input = directory / "input";
  const auto translate = [&](const std::string& text, const std::string& flags = "") {
    replace_file(input, text);
    return shell(kProgram + " translate --quiet --threads 1 --model " + directory.string() + " " + flags + " < " +
                 input);
  };
  const std::string one = translate("one\n").out, three = translate("three\n").out;
  const Ending some = translate("one\ntwo nine\nthree\n");
  EXPECT_EQ(some.out, one + "\n" + three);
  EXPECT_EQ(some.status, 1);
  EXPECT_EQ(some.err, join("translate: line 2 has no translation; ", decode::kNotFinite, "\n"));
  const Ending more = translate("nine\none\nnine nine\n", "--flags");
  EXPECT_TRUE(more.out.starts_with("\tfailed\n")) << more.out;
  EXPECT_EQ(more.err, join("translate: 2 lines have no translation, the first is line 1; ", decode::kNotFinite, "\n"));
}

TEST_F(WorkerFailures, AServerFailsOnlyTheRequestWhoseScoresAreNotFinite) {
  write_damaged_model();
  ServerProcess server({"--model", directory, "--threads", "1"});
  Client client(server.port()), other(server.port());
  for (int i = 0; i < 3; ++i) {
    client.send(posted("/v1/translate", {{"q", "one nine"}}));
    other.send(posted("/v1/translate", {{"q", "two three"}}));
    EXPECT_EQ(client.answer().status, 500);
    EXPECT_EQ(other.answer().status, 200);
  }
}

// The same with a real device, which is lost in the process of the program.
class CudaLoss : public WorkerFailures {
 protected:
  void SetUp() override {
    if (cuda_devices() == 0) GTEST_SKIP() << "this machine has no CUDA device";
  }
  // Runs this test as the program, which loses its GPU when the file exists.
  static Ending run_losing(const std::string& when, const std::string& arguments) {
    return shell(std::string(kLoseWhen) + "='" + when + "' '" + this_program() + "' " + arguments);
  }
};

TEST_F(CudaLoss, AServerRefusesEverythingAndEndsWithStatusOne) {
  const std::string when = directory / "now";
  setenv(kLoseWhen, when.c_str(), 1);
  FailingServer server({"--model", directory, "--device", "cuda"});
  unsetenv(kLoseWhen);
  Client client(server.port());
  const std::string request = posted("/v1/translate", {{"q", "one two"}});
  EXPECT_EQ(client.ask(request).status, 200);
  EXPECT_EQ(client.ask("GET /health HTTP/1.1\r\nHost: a\r\n\r\n").status, 200);
  replace_file(when, "");
  Client::Answer answer;
  EXPECT_TRUE(eventually([&] { return (answer = client.ask(request)).status != 200; }));
  const auto after = client.ask(request), health = client.ask("GET /health HTTP/1.1\r\nHost: a\r\n\r\n");
  for (const Client::Answer& one : {answer, after, health}) {
    EXPECT_EQ(one.status, 503);
    EXPECT_TRUE(error_of(one).starts_with("CUDA failed at ")) << one.body;
  }
  EXPECT_EQ(server.status(), 1);
  EXPECT_NE(server.output().find("serve: CUDA failed at "), std::string::npos) << server.output();
}

TEST_F(CudaLoss, TranslateEndsWithOneSentence) {
  const std::string input = directory / "input", output = directory / "output";
  std::string lines;
  for (int i = 0; i < 200000; ++i) lines += data::words(9) + "\n";
  replace_file(input, lines);
  expect_last_sentence(run_losing(output + ".unfinished", "translate --device cuda --quiet --model " +
                                                              directory.string() + " --output " + output + " " + input),
                       1, "CUDA failed at ");
}

class CudaLossInTraining : public TrainingTest {};

TEST_F(CudaLossInTraining, TrainEndsWithOneSentence) {
  if (cuda_devices() == 0) GTEST_SKIP() << "this machine has no CUDA device";
  expect_last_sentence(shell(std::string(kLoseWhen) + "='" + file("model/metrics.jsonl") + "' '" + this_program() +
                             "' " + train("model", "--device cuda --steps 1000000")),
                       1, "CUDA failed at ");
}

}  // namespace
}  // namespace dragoman

// With a command as its first argument this test is the program; otherwise it runs its tests.
int main(int argc, char** argv) {
  if (argc > 1 && argv[1][0] != '-') {
    dragoman::model::add_failing_architecture();
    dragoman::lose_device_when_asked();
    return program_main(argc, argv);
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
