// A run that was stopped, killed and resumed gives the same bytes as an uninterrupted run; so does any number of
// threads.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include "dragoman/backend/backend.h"
#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "dragoman/base/hash.h"
#include "dragoman/base/random.h"
#include "tests/matching.h"
#include "tests/process.h"
#include "tests/training.h"

namespace dragoman {
namespace {

class Resume : public TrainingTest {
 protected:
  static int newest_checkpoint(const std::string& model) {
    const std::vector<int> steps = checkpoint_steps(model);
    return steps.empty() ? 0 : steps.back();
  }

  // Runs until there is a checkpoint of step `least` or later, then kills the run, whatever it is doing.
  void kill_after_checkpoint(const std::string& command, const std::string& model, int least) {
    Child child(command);
    const bool seen = child.wait_until([&] { return newest_checkpoint(model) >= least; });
    child.kill();
    EXPECT_TRUE(seen) << child.wait().err;
    EXPECT_EQ(child.wait().status, 128 + SIGKILL);
    EXPECT_EQ(resumed_step(child.wait()) > 0, least > 20);  // the first run had no checkpoint to resume from
  }

  // Kills a run while it writes a checkpoint. If the run ends before that, restores the directory from a copy and tries
  // again.
  void kill_while_saving(const std::string& command, const std::string& model) {
    const std::string copy = model + "_before";
    std::filesystem::copy(model, copy, std::filesystem::copy_options::recursive);
    for (bool caught = false; !caught;) {
      Child child(command);
      caught = child.freeze_when([&] { return !checkpoint_steps(model, ".unfinished").empty(); });
      child.kill();
      if (caught) {
        EXPECT_GT(resumed_step(child.wait()), 0);
        continue;
      }
      std::filesystem::remove_all(model);
      std::filesystem::copy(copy, model, std::filesystem::copy_options::recursive);
    }
    std::filesystem::remove_all(copy);
    EXPECT_FALSE(checkpoint_steps(model, ".unfinished").empty());
  }

  // Asks a run to stop once it has saved a checkpoint of step `least` or later.
  void stop_after_checkpoint(const std::string& command, const std::string& model, int least) {
    Child child(command);
    EXPECT_TRUE(child.wait_until([&] { return newest_checkpoint(model) >= least; })) << child.wait().err;
    child.signal(SIGTERM);
    const Ending ending = child.wait();
    EXPECT_EQ(ending.status, 128 + SIGTERM);
    EXPECT_GT(resumed_step(ending), 0);
    const std::string saved = "stopped at step " + std::to_string(newest_checkpoint(model)) + ", which is saved";
    EXPECT_NE(ending.err.find(saved), std::string::npos) << ending.err;
  }

  void expect_killed_run_to_equal_straight_one(const std::string& flags) {
    // One of the runs ends after 140 steps, where a record, a validation and a checkpoint are due anyway.
    const std::string more = flags + " --report-every 35 --valid-every 70";
    const std::string model = file("killed"), killed = train("killed", "--steps 240 " + more);
    kill_after_checkpoint(killed, model, 20);
    kill_after_checkpoint(killed, model, newest_checkpoint(model) + 20);
    kill_while_saving(train("killed", "--steps 140 " + more), model);
    stop_after_checkpoint(killed, model, newest_checkpoint(model) + 20);
    kill_after_checkpoint(killed, model, newest_checkpoint(model) + 20);
    const Ending last = run(killed);
    EXPECT_EQ(last.status, 0) << last.err;
    EXPECT_GT(resumed_step(last), 0);
    const Ending straight = run(train("straight", "--steps 240 " + more));
    EXPECT_EQ(straight.status, 0) << straight.err;
    EXPECT_EQ(resumed_step(straight), 0);
    expect_same_directory(file("straight"), model);
  }
};

TEST_F(Resume, AfterFourKillsAndAStopLeavesTheDirectoryOfAStraightRun) { expect_killed_run_to_equal_straight_one(""); }

TEST_F(Resume, KeepsTheFilmWhole) {
  replace_file(file("probe"), "the old cat\na small house\tesuoh llams a\n");
  // Also with a different choice of weights to publish.
  expect_killed_run_to_equal_straight_one("--average 0 --ema 0 --keep 1 --probe " + file("probe"));
}

// Everything that a killed run may leave between two checkpoints, all at once.
TEST_F(Resume, CleansUpWhatAKillLeftBehind) {
  replace_file(file("probe"), "the old cat\n");
  const std::string flags = "--average 0 --ema 0 --keep 1 --report-every 20 --probe " + file("probe");
  const std::string model = file("killed");
  ASSERT_EQ(run(train("killed", flags + " --steps 40")).status, 0);
  ASSERT_EQ(run(train("straight", flags + " --steps 80")).status, 0);
  std::filesystem::rename(model + "/probe/step-40.jsonl", model + "/probe/step-57.jsonl");
  replace_file(model + "/probe/step-60.jsonl.unfinished", "{");
  replace_file(model + "/report.html.unfinished", "<");
  replace_file(model + "/checkpoints/best-step-60.safetensors", "weights that no checkpoint knows of");
  const Ending ending = run(train("killed", flags + " --steps 80"));
  EXPECT_EQ(ending.status, 0) << ending.err;
  EXPECT_EQ(resumed_step(ending), 40);
  expect_same_directory(file("straight"), model);
}

TEST_F(Resume, RemovesOlderCheckpointsThatAKilledRunKept) {
  ASSERT_EQ(run(train("model", "--average 0 --steps 80 --keep 4")).status, 0);
  ASSERT_EQ(checkpoint_steps(file("model")), (std::vector<int>{20, 40, 60, 80}));
  ASSERT_EQ(run(train("model", "--average 0 --steps 80 --keep 1")).status, 0);
  EXPECT_EQ(checkpoint_steps(file("model")), (std::vector<int>{60, 80}));
}

// DRAGOMAN_PRELOADED stops the clock and records what is flushed.
TEST_F(Resume, DoesNotNeedAClock) {
  const std::string stopped = "LD_PRELOAD='" DRAGOMAN_PRELOADED "' DRAGOMAN_CLOCK=stopped " + kProgram + " ";
  const Ending first = shell(stopped + train("stopped", "--steps 40"));
  ASSERT_EQ(first.status, 0) << first.err;
  EXPECT_NE(first.err.find(" 0 tok/s"), std::string::npos) << first.err;
  const Ending second = shell(stopped + train("stopped", "--steps 60"));
  ASSERT_EQ(second.status, 0) << second.err;
  EXPECT_EQ(resumed_step(second), 40);
  ASSERT_EQ(run(train("running", "--steps 60")).status, 0);
  expect_same_weights(file("running"), file("stopped"), 60);
}

// A slow disk: many updates are made while a checkpoint is written. With one MiB less than the plan asks for there is
// no snapshot, and training waits for each checkpoint.
TEST_F(Resume, ACheckpointHasTheSameBytesWhetherTrainingWaitsForItOrNot) {
  const std::string flags = "--average 0 --valid-every 30 --steps 120";
  const Ending background =
      shell("LD_PRELOAD='" DRAGOMAN_PRELOADED "' DRAGOMAN_SLOW_FLUSH=3 " + kProgram + " " + train("background", flags));
  ASSERT_EQ(background.status, 0) << background.err;
  const int planned = number_in(background.err, "memory: ([0-9,]+) MiB of");
  EXPECT_GT(number_in(background.err, "snapshot ([0-9]+)"), 0) << background.err;
  const Ending waiting = run(train("waiting", flags + " --memory-mb " + std::to_string(planned - 1)));
  EXPECT_NE(waiting.err.find("no snapshot: training waits"), std::string::npos) << waiting.err;
  EXPECT_EQ(checkpoint_steps(file("background")), checkpoint_steps(file("waiting")));
  for (const int step : checkpoint_steps(file("waiting"))) {
    expect_same_run(file("waiting"), file("background"), step);
  }
  const std::string best = "/checkpoints/best.safetensors";
  EXPECT_TRUE(read_file(file("waiting") + best) == read_file(file("background") + best));
}

// What is written aside is removed. DRAGOMAN_PRELOADED lets each command wait at the end of the first file that it
// writes.
TEST_F(Resume, ASignalEndsACommandAndLeavesNothingUnfinished) {
  const Ending trained = run(train("run", "--steps 40"));
  ASSERT_EQ(trained.status, 0) << trained.err;
  const std::string model = " --model " + file("run"), output = " --output " + file("made");
  const Ending foreign = run("export --format transformers" + model + " --output " + file("foreign"));
  ASSERT_EQ(foreign.status, 0) << foreign.err;
  const auto before = list_directory(directory);
  for (const std::string& command :
       {"export" + model + output, "export --format transformers" + model + output,
        "export --format ctranslate2" + model + output, "export --format argos" + model + output,
        "average --last 2" + model + output, "import " + file("foreign") + " --model " + file("made")}) {
    Process process(
        {"sh", "-c",
         "exec env LD_PRELOAD='" DRAGOMAN_PRELOADED "' DRAGOMAN_SLOW_FLUSH=60000 " + kProgram + " " + command});
    const auto has_begun = [&] { return list_directory(directory) != before; };
    for (int wait = 0; wait < 60000 && !has_begun(); ++wait) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_TRUE(has_begun()) << command << ": " << process.output();
    process.signal(SIGTERM);
    EXPECT_EQ(process.status(), 128 + SIGTERM) << command;
    EXPECT_EQ(list_directory(directory), before) << command;
  }
}

// What is read, learned and tokenised before the first update can be made again, so a signal ends the run at once.
TEST_F(Resume, ASignalEndsThePreparationAtOnceAndLeavesNothing) {
  std::string text;
  RandomStream random(3);
  for (int word = 0; word < 200'000; ++word) {
    for (int letter = 0; letter < 6; ++letter) text += static_cast<char>('a' + random.below(26));
    text += word % 10 == 9 ? '\n' : ' ';
  }
  replace_file(file("train.en"), text);
  replace_file(file("train.ne"), text);
  const std::string model = file("model");
  const auto end_when = [&](const std::string& name, const std::string& vocabulary, int signal) {
    Child child("train --model " + model + " --train-source " + file("train.en") + " --train-target " +
                file("train.ne") + " --layers 1 --d-model 16 --d-ff 32 --heads 2 --threads 1 --steps 1 " + vocabulary);
    EXPECT_TRUE(child.wait_until([&] { return std::filesystem::exists(model + name); })) << child.wait().err;
    child.signal(signal);
    const Ending ending = child.wait();
    EXPECT_EQ(ending.status, 128 + signal) << ending.err;
    return ending.err;
  };
  const std::string learned = end_when("/checkpoints", "--tokenizer unigram --vocabulary 8000", SIGTERM);
  EXPECT_EQ(learned.find("vocabulary: "), std::string::npos) << learned;
  EXPECT_FALSE(std::filesystem::exists(model));
  // A directory that was there before stays.
  std::filesystem::create_directory(model);
  const std::string tokenised = end_when("/corpus/tokens.cache.unfinished", "--tokenizer char --vocabulary 40", SIGINT);
  EXPECT_EQ(tokenised.find("text: "), std::string::npos) << tokenised;
  EXPECT_TRUE(std::filesystem::exists(model));
  EXPECT_EQ(shell("cd " + model + " && find . -name '*.unfinished'").out, "");
}

TEST_F(Resume, OfANewDirectoryIsPossibleAfterAPowerCut) {
  const Ending ending = shell("LD_PRELOAD='" DRAGOMAN_PRELOADED "' DRAGOMAN_FLUSHED=" + file("flushed") + " " +
                              kProgram + " " + train("a/b/model", "--steps 20"));
  ASSERT_EQ(ending.status, 0) << ending.err;
  const std::string flushed = read_file(file("flushed")), here = std::filesystem::canonical(directory);
  for (const char* path : {"", "/a", "/a/b", "/a/b/model", "/a/b/model/checkpoints", "/a/b/model/metrics.jsonl"}) {
    EXPECT_NE(flushed.find(here + path + "\n"), std::string::npos) << path << " is not flushed:\n" << flushed;
  }
}

TEST_F(Resume, GivesTheSameBytesOnCuda) {
  if (cuda_devices() == 0) GTEST_SKIP() << "this machine has no CUDA device";
  expect_killed_run_to_equal_straight_one("--device cuda --ema 0.99 --clip 1");
}

TEST_F(Resume, GivesTheSameBytesWithSampledSubwords) {
  expect_killed_run_to_equal_straight_one("--tokenizer unigram --subword-sampling 0.2");
}

TEST_F(Resume, ARunOfTheSameCommandGivesTheSameBytes) {
  for (const char* model : {"one", "two"}) ASSERT_EQ(run(train(model, "--steps 60")).status, 0);
  expect_same_run(file("one"), file("two"), 60);
  ASSERT_EQ(run(train("other", "--steps 60 --seed 2")).status, 0);
  const auto bytes = bytes_of(file("one"), 60);
  for (const auto& [name, other] : bytes_of(file("other"), 60)) EXPECT_TRUE(bytes.at(name) != other) << name;
}

TEST_F(Resume, DoesNotDependOnTheNumberOfThreads) {
  for (const char* threads : {"1", "2", "3"}) {
    const Ending ending = run(train(threads, std::string("--steps 60 --subword-sampling 0.1 --threads ") + threads));
    ASSERT_EQ(ending.status, 0) << ending.err;
  }
  expect_same_run(file("1"), file("2"), 60);
  expect_same_run(file("1"), file("3"), 60);
}

// "up to 1,234 tokens a side at once" -> 1234
int micro_tokens(const Ending& ending) { return number_in(ending.err, "up to ([0-9,]+) tokens a side"); }

TEST_F(Resume, KeepsThePlanOfARunThatHadLittleMemory) {
  const std::string large = "--batch-tokens 3000 --accumulate 1 --d-ff 512 --save-every 6 --steps ";
  const Ending refused = run(train("refused", large + "12 --memory-mb 8"));
  const int enough = number_in(refused.err, "needs at least ([0-9]+) MiB");
  ASSERT_GT(enough, 0) << refused.err;
  const std::string little = " --memory-mb " + std::to_string(enough);

  const Ending straight = run(train("straight", large + "12" + little));
  EXPECT_LT(micro_tokens(straight), 3000) << straight.err;
  ASSERT_EQ(run(train("resumed", large + "6" + little)).status, 0);
  expect_last_sentence(run(train("resumed", large + "12 --memory-mb 8")), 1, "the run was planned for ");
  const Ending resumed = run(train("resumed", large + "12"));
  EXPECT_EQ(resumed_step(resumed), 6) << resumed.err;
  EXPECT_EQ(micro_tokens(resumed), micro_tokens(straight));
  expect_same_weights(file("straight"), file("resumed"), 12);
}

TEST_F(Resume, IsRefusedWithOtherSettingsUnlessTheyAreAllowed) {
  ASSERT_EQ(run(train("model", "--steps 20")).status, 0);
  expect_one_sentence(run(train("model", "--steps 40 --dropout 0.3")), 2, "dropout was 0.1 and is 0.3");
  const Ending allowed = run(train("model", "--steps 40 --dropout 0.3 --allow-changes"));
  EXPECT_EQ(allowed.status, 0) << allowed.err;
  EXPECT_EQ(resumed_step(allowed), 20);
}

// Changes what the state of a checkpoint says of the arithmetic; nothing if it is empty.
void set_arithmetic(const std::string& checkpoint, const std::string& arithmetic) {
  Json state = parse_json(read_file(checkpoint + "/state.json"), "the state");
  state["arithmetic"] = arithmetic;
  if (arithmetic.empty()) state.erase("arithmetic");
  replace_file(checkpoint + "/state.json", state.dump(2) + "\n");
  Json checksums = parse_json(read_file(checkpoint + "/checksums.json"), "the checksums");
  checksums["state.json"] = Hash().add(state.dump(2) + "\n").hex();
  replace_file(checkpoint + "/checksums.json", checksums.dump(2) + "\n");
}

TEST_F(Resume, IsRefusedWithOtherInstructionsUnlessTheyAreAllowed) {
  ASSERT_EQ(run(train("model", "--steps 20")).status, 0);
  const std::string first = file("model") + "/checkpoints/step-20";
  set_arithmetic(first, "CPU, AVX-9");
  expect_one_sentence(run(train("model", "--steps 40")), 2, "was computed with AVX-9 instructions so far");
  const Ending allowed = run(train("model", "--steps 40 --allow-changes"));
  EXPECT_EQ(allowed.status, 0) << allowed.err;
  EXPECT_NE(allowed.err.find("the run was computed by CPU, AVX-9 so far"), std::string::npos) << allowed.err;
}

// Older programs had other functions, and the oldest did not record what they computed with.
TEST_F(Resume, SaysOnceThatAnOlderProgramComputedOtherBits) {
  ASSERT_EQ(run(train("straight", "--steps 40")).status, 0);
  ASSERT_EQ(run(train("model", "--steps 20")).status, 0);
  const std::string first = file("model") + "/checkpoints/step-20";
  const std::string now = arithmetic_of(Device{}), without_functions = now.substr(0, now.find(", functions"));
  for (const std::string older : {"", "CPU", without_functions.c_str()}) {
    set_arithmetic(first, older);
    std::filesystem::remove_all(file("model") + "/checkpoints/step-40");
    const Ending resumed = run(train("model", "--steps 40"));
    EXPECT_EQ(resumed_step(resumed), 20) << resumed.err;
    EXPECT_NE(resumed.err.find("the run was computed by " + (older.empty() ? "an older program" : older) +
                               " so far, and continues with " + now + ": sums may differ in their last bits"),
              std::string::npos)
        << resumed.err;
    expect_same_weights(file("straight"), file("model"), 40);
  }
  const Ending again = run(train("model", "--steps 60"));
  EXPECT_EQ(resumed_step(again), 40) << again.err;
  EXPECT_EQ(again.err.find("computed by"), std::string::npos) << again.err;
}

TEST_F(Resume, NeedsNoMoreThanTheDirectory) {
  ASSERT_EQ(run(train("model", "--steps 40")).status, 0);
  const Ending longer = run("train --model " + file("model") + " --steps 80");
  EXPECT_EQ(longer.status, 0) << longer.err;
  EXPECT_EQ(resumed_step(longer), 40);
  ASSERT_EQ(run(train("straight", "--steps 80")).status, 0);
  expect_same_weights(file("straight"), file("model"), 80);
  const Ending done = run("train --model " + file("model"));
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(resumed_step(done), 80);
  EXPECT_NE(done.err.find("nothing was trained: the run already has its 80 steps\n"), std::string::npos) << done.err;
  EXPECT_NE(done.err.find("give more steps with --steps\n"), std::string::npos) << done.err;
}

TEST_F(Resume, ARunWithoutValidationNeedsNoMoreThanTheDirectoryEither) {
  const std::string pairs = "train --model " + file("model") + " --train-pairs " + file("pairs") +
                            " --layers 1 --d-model 8 --d-ff 8 --heads 1 --vocabulary 60 --batch-tokens 300 --steps ";
  ASSERT_EQ(shell("paste " + file("train.en") + " " + file("train.ne") + " >" + file("pairs")).status, 0);
  ASSERT_EQ(run(pairs + "5").status, 0);
  const Ending longer = run("train --model " + file("model") + " --steps 10");
  EXPECT_EQ(longer.status, 0) << longer.err;
  EXPECT_EQ(resumed_step(longer), 5);
}

TEST_F(Resume, IsRefusedIfTheTextHasChanged) {
  ASSERT_EQ(run(train("model", "--steps 20")).status, 0);
  write_text("train", 390, 3);
  const Ending ending = run(train("model", "--steps 40"));
  EXPECT_EQ(ending.status, 2);
  EXPECT_NE(ending.err.find("is not that of the run in"), std::string::npos) << ending.err;
}

TEST_F(Resume, IsRefusedWhileAnotherTrainsThere) {
  Child first(train("model", "--steps 100000"));
  ASSERT_TRUE(first.wait_until([&] { return !checkpoint_steps(file("model")).empty(); })) << first.wait().err;
  first.signal(SIGSTOP);
  expect_one_sentence(run(train("model", "--steps 100000")), 1, "another process is working in");
}

TEST_F(Resume, ARunMayStartFromAnotherModelsWeights) {
  ASSERT_EQ(run(train("first", "--steps 40")).status, 0);
  const std::string one_step = "--steps 1 --rate-constant 1e-12 --save-every 1 --average 1 --ema 0 ";
  ASSERT_EQ(run(train("fresh", one_step)).status, 0);
  const Ending started = run(train("started", one_step + "--init " + file("first")));
  ASSERT_EQ(started.status, 0) << started.err;
  const auto nll = [&](const char* model) {
    return timeless_metrics(file(model)).back()["nll"].get<double>();  // from the validation after the last step
  };
  EXPECT_LT(nll("started"), nll("fresh") - 0.1);
  EXPECT_EQ(read_file(file("started/tokenizer.model")), read_file(file("first/tokenizer.model")));
  expect_last_sentence(run(train("wrong", "--steps 1 --d-ff 40 --init " + file("first"))), 2,
                       "has other sizes: d-ff was 32 and is 40; leave these settings out.");
}

}  // namespace
}  // namespace dragoman
