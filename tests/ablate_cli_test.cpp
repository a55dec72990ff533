// `dragoman ablate` from text to table: runs that are interrupted or killed end with the same bytes, a run that fails
// does not stop the others, and mistakes get one sentence.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "tests/process.h"
#include "tests/training.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;

class Ablate : public TrainingTest {
 protected:
  // Two rows (base and one head instead of two) with two seeds each.
  std::string table(const std::string& output, const std::string& more = "--rows A-h1") const {
    return "ablate --output " + file(output) + text_flags() +
           " --layers 1 --d-model 16 --d-ff 32 --heads 2 --vocabulary 60 --max-length 40 --warmup 100"
           " --batch-tokens 256 --dropout 0.1 --save-every 10 --threads 1 --steps 60 --seeds 2 " +
           more;
  }
  Ending made(const std::string& output, const std::string& more = "--rows A-h1") const {
    const Ending ending = run(table(output, more));
    EXPECT_EQ(ending.status, 0) << ending.err;
    return ending;
  }
  std::string content(const std::string& name) const { return read_file(file(name)); }
  void expect_same_table(const std::string& one, const std::string& other) const {
    for (const std::string name : {"/table.md", "/table.json", "/table.html"}) {
      EXPECT_EQ(content(one + name), content(other + name)) << name;
    }
  }
  // The files in a directory and below it.
  std::set<std::string> files_in(const std::string& name) const {
    std::set<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(file(name))) {
      if (!entry.is_directory()) files.insert(entry.path().string().substr(file(name).size() + 1));
    }
    return files;
  }
  Json read_table(const std::string& name) const { return parse_json(content(name + "/table.json"), "the table"); }
  // Ends a table with this signal while the second run is trained, and makes the rest.
  void interrupt(const std::string& output, int signal) const {
    {
      Child child(table(output));
      const std::string model = file(output + "/runs/A-h1/seed-1/model");
      ASSERT_TRUE(child.wait_until([&] { return !checkpoint_steps(model).empty(); })) << child.wait().err;
      child.signal(signal);
      const Ending ending = child.wait();
      EXPECT_EQ(ending.status, 128 + signal);
      if (signal == SIGINT) {
        EXPECT_NE(ending.err.find("stopped; run the same command again to continue\n"), std::string::npos)
            << ending.err;
      }
    }
    EXPECT_TRUE(fs::exists(file(output + "/runs/base/seed-1/result.json")));
    EXPECT_FALSE(fs::exists(file(output + "/runs/A-h1/seed-1/result.json")));
    const auto finished = fs::last_write_time(file(output + "/runs/base/seed-1/result.json"));
    const Ending rest = made(output);
    EXPECT_NE(rest.err.find("1 of 4 runs finished before\n"), std::string::npos) << rest.err;
    EXPECT_EQ(fs::last_write_time(file(output + "/runs/base/seed-1/result.json")), finished);
  }
};

TEST_F(Ablate, AnInterruptedOrKilledTableEndsWithTheSameBytes) {
  const Ending straight = made("straight");
  EXPECT_EQ(straight.out, content("straight/table.md"));
  interrupt("stopped", SIGINT);
  expect_same_table("straight", "stopped");
  interrupt("killed", SIGKILL);
  expect_same_table("straight", "killed");

  // Only results and translations are left of the runs, and the rest is small.
  EXPECT_EQ(
      files_in("straight/runs"),
      (std::set<std::string>{"A-h1/seed-1/hypotheses.txt", "A-h1/seed-1/result.json", "A-h1/seed-2/hypotheses.txt",
                             "A-h1/seed-2/result.json", "base/seed-1/hypotheses.txt", "base/seed-1/result.json",
                             "base/seed-2/hypotheses.txt", "base/seed-2/result.json"}));
  // Seeds differ, and a run is what `train` and `evaluate` make of it.
  const Json rows = read_table("straight")["rows"];
  EXPECT_EQ(rows[1]["change"], "heads 1");
  EXPECT_EQ(rows[0]["seeds"], Json::array({1, 2}));
  EXPECT_NE(rows[0]["perplexity"]["values"][0], rows[0]["perplexity"]["values"][1]);
}

TEST_F(Ablate, SaysWhatWillRunAndListsItWithoutRunning) {
  const std::string plan =
      "  base              60 steps  the model that the others vary\n"
      "  A-h1              60 steps  heads 1\n"
      "2 rows with 2 seeds each: 4 runs\n";
  const Ending listed = run(table("listed", "--rows A-h1 --list"));
  EXPECT_EQ(listed.status, 0) << listed.err;
  EXPECT_EQ(listed.out, plan);
  EXPECT_FALSE(fs::exists(file("listed")));
  EXPECT_EQ(made("table", "--rows base --seeds 1").err.find("what will run:\n  base "), 0u);

  // It needs neither texts nor a directory.
  const Ending rows = run("ablate --preset demo --rows A --list");
  EXPECT_TRUE(rows.out.ends_with("\n5 rows with 3 seeds each: 15 runs\n")) << rows.out << rows.err;
  const Json json = parse_json(run("ablate --preset demo --rows A,big --list --json").out, "the rows");
  EXPECT_EQ(json["runs"], 18);
  EXPECT_EQ(json["rows"].back()["row"], "big");
  EXPECT_EQ(json["rows"].back()["steps"].get<int>(), 3 * json["rows"].front()["steps"].get<int>());
  expect_last_sentence(run("ablate --preset demo --rows A"), 2, "ablate: --output DIR is missing");
  expect_last_sentence(run("ablate --preset demo --rows A --list=no"), 2, "ablate: --output DIR is missing");
  expect_last_sentence(run("ablate --preset demo --rows Z --list"), 2, "ablate: there is no row 'Z'");
}

// The table is what anybody gets who calls `train` and `evaluate`.
// Its processes end for it even if it was started to ignore SIGCHLD.
TEST_F(Ablate, ItsScoresAreThoseOfTrainAndEvaluate) {
  std::vector<std::string> command{tested_program()};
  std::istringstream words(table("table"));
  for (std::string word; words >> word;) command.push_back(word);
  const auto handler = std::signal(SIGCHLD, SIG_IGN);
  Process making(command);
  std::signal(SIGCHLD, handler);
  ASSERT_EQ(making.status(), 0) << making.output();
  fs::create_directories(file("model"));
  fs::copy(file("table/vocabulary/tokenizer.model"), file("model/tokenizer.model"));
  const Ending trained = run("train --model " + file("model") + " --train-source " + file("train.en") +
                             " --train-target " + file("train.ne") +
                             " --layers 1 --d-model 16 --d-ff 32 --heads 1 --vocabulary 60 --max-length 40 --warmup 100"
                             " --batch-tokens 256 --dropout 0.1 --average 0 --threads 1 --steps 60 --seed 2");
  ASSERT_EQ(trained.status, 0) << trained.err;
  const Ending evaluated = run("evaluate --json --model " + file("model") + " --source " + file("valid.en") +
                               " --reference " + file("valid.ne") + " --output " + file("hypotheses"));
  ASSERT_EQ(evaluated.status, 0) << evaluated.err;
  const Json expected = parse_json(evaluated.out, "the evaluation"), row = read_table("table")["rows"][1];
  EXPECT_EQ(row["bleu"]["values"][1], expected["bleu"]["score"]);
  EXPECT_NEAR(row["perplexity"]["values"][1].get<double>(), expected["references"]["perplexity"].get<double>(), 1e-9);
  EXPECT_EQ(content("table/runs/A-h1/seed-2/hypotheses.txt"), content("hypotheses"));
}

TEST_F(Ablate, JobsAndLaterRowsChangeNothing) {
  made("one", "--rows A-h1,D-ls0 --jobs 1");
  made("two", "--rows A-h1 --jobs 2 --seeds 1");
  const Ending more = made("two", "--rows A-h1,D-ls0 --jobs 3");
  EXPECT_NE(more.err.find("2 of 6 runs finished before\n"), std::string::npos) << more.err;
  expect_same_table("one", "two");
  const Ending printed = made("two", "--rows A-h1,D-ls0 --json");
  EXPECT_EQ(printed.out, content("two/table.json"));
}

TEST_F(Ablate, MinutesEndARunBeforeItsSteps) {
  made("table", "--rows base --seeds 1 --steps 1000000 --minutes 0.01");
  const Json result = parse_json(content("table/runs/base/seed-1/result.json"), "the result");
  EXPECT_GT(result["steps"], 0);
  EXPECT_LT(result["steps"], 1000000);
  EXPECT_NE(content("table/table.md").find("Each run had 0.01 minutes, but at most 1,000,000 steps. "),
            std::string::npos);
}

TEST_F(Ablate, AFailedRunIsNamedAndTheOthersGoOn) {
  made("table", "--rows base --seeds 1");
  make_directory(file("table/runs/E-learned/seed-1/model"));
  replace_file(file("table/runs/E-learned/seed-1/model/checkpoints"), "");  // where training makes a directory
  const Ending ending = run(table("table", "--rows E,D-ls0 --seeds 1"));
  expect_last_sentence({ending.status, "", ending.err}, 1, "ablate: 1 run failed; run the same command again");
  EXPECT_NE(ending.err.find("E-learned with seed 1 failed: train: "), std::string::npos) << ending.err;
  EXPECT_NE(ending.err.find("D-ls0 with seed 1: PPL "), std::string::npos) << ending.err;
  EXPECT_EQ(ending.out, content("table/table.md"));
  EXPECT_NE(ending.out.find("\n- E-learned with seed 1 failed: train: "), std::string::npos) << ending.out;
  const Json json = read_table("table");
  EXPECT_EQ(json["failed"][0]["row"], "E-learned");
  EXPECT_TRUE(json["rows"][2]["bleu"].is_null());
  EXPECT_TRUE(json["rows"][1]["bleu"].is_object());
}

TEST_F(Ablate, MistakesGetOneSentence) {
  const auto expect_refused = [&](const std::string& more, const std::string& part) {
    expect_one_sentence(run(table("wrong", more)), 2, part);
    EXPECT_FALSE(fs::exists(file("wrong"))) << more;
  };
  expect_refused("--rows C-N7", "there is no row 'C-N7'; with this configuration there are A-h1, ");
  expect_refused("--rows A --d-model 20",
                 "the row A-h8 cannot be formed: heads is 8, which does not divide d-model 20");
  expect_refused("--rows D-drop0 --dropout 0", "the row D-drop0 equals base");
  expect_refused("--seeds 0", "seeds is 0; it must be from 1 to 100.");
  expect_refused("--jobs 0", "jobs is 0; it must be from 1 to 100.");
  expect_refused("--arch rnn --hidden 8", "there is no flag '--d-model'");
  expect_refused("--absolute", "--d-ff has no effect with --absolute");
  expect_refused("--average 3", "there is no flag '--average'");
  expect_one_sentence(run(table("wrong", "--valid-source none.en")), 1, "cannot read 'none.en'");
  EXPECT_FALSE(fs::exists(file("wrong")));
  expect_one_sentence(run("ablate --output " + file("wrong") + " --train-source " + file("train.en") +
                          " --train-target " + file("train.ne")),
                      2, "there is no validation text");
}

TEST_F(Ablate, AnotherTableIsNotMixedIn) {
  const std::string few = "--rows base --seeds 1 ";
  made("table", few);
  const std::string before = content("table/table.json");
  const auto expect_refused = [&](const std::string& more, const std::string& part) {
    expect_one_sentence(run(table("table", few + more)), 2, part);
  };
  expect_refused("--dropout 0.2", "was begun with other settings: dropout was 0.1 and is 0.2; use the same");
  expect_refused("--steps 70", "steps was 60 and is 70");
  expect_refused("--minutes 1", "minutes was 0 and is 1");
  write_text("other", 20, 7);
  expect_refused("--valid-source " + file("other.en") + " --valid-target " + file("other.ne"),
                 "the texts are not the same");
  EXPECT_EQ(content("table/table.json"), before);
  fs::copy(file("valid.en"), file("moved.en"));
  EXPECT_EQ(run(table("table", few + "--valid-source " + file("moved.en"))).status, 0);
  make_directory(file("full"));
  replace_file(file("full/letter"), "dear reader\n");
  expect_one_sentence(run(table("full", few)), 2, "holds something else than a table of dragoman ablate");
  EXPECT_EQ(files_in("full"), std::set<std::string>{"letter"});
}

}  // namespace
}  // namespace dragoman
