// Training by several processes that mpirun starts: the result has the same bytes for any number of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "dragoman/backend/backend.h"
#include "dragoman/backend/instructions.h"
#include "dragoman/base/files.h"
#include "tests/matching.h"
#include "tests/process.h"
#include "tests/server_process.h"
#include "tests/training.h"

namespace dragoman {
namespace {

class Ranks : public TrainingTest {
 protected:
  void SetUp() override {
#if !defined(DRAGOMAN_MPI_MODULE)
    GTEST_SKIP() << "this build has no MPI";
#endif
    if (shell("command -v mpirun").status != 0) GTEST_SKIP() << "there is no mpirun";
  }

  // Runs mpirun with these arguments. The settings allow Open MPI to run as root, and to start more processes than
  // there are processors.
  Ending run_mpi(const std::string& arguments) const {
    return shell("OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe --bind-to none " +
                 arguments);
  }
  Ending run_ranks(int ranks, const std::string& arguments, const std::string& of_mpirun = "") const {
    return run_mpi(of_mpirun + " -np " + std::to_string(ranks) + " " + kProgram + " " + arguments);
  }
  std::string train_in_quarters(const std::string& model, int steps) const {
    return train(model,
                 "--accumulate 4 --clip 0.5 --batch-tokens 128 --average 2 --save-every 10 --valid-every 10"
                 " --report-every 10 --steps " +
                     std::to_string(steps));
  }

  // A run of one update on the text of the current directory.
  static std::string short_run(const std::string& model, const std::string& program = kProgram) {
    return program + " train --model " + model +
           " --train-source train.en --train-target train.ne --layers 1 --d-model 16 --d-ff 32 --heads 2"
           " --vocabulary 60 --accumulate 2 --steps 1 --threads 1";
  }
  // Two ranks that run these lines of shell in the directory.
  Ending run_pair(const std::string& rank_0, const std::string& rank_1) const {
    const auto process = [&](const std::string& line) { return "-np 1 sh -c \"cd " + directory + "; " + line + "\""; };
    return run_mpi(process(rank_0) + " : " + process(rank_1));
  }
  // Checks that two ranks end with one sentence, which gives this reason, if rank 1 is started in another way.
  void expect_refusal_of_rank_1(const std::string& rank_1, const std::string& reason, const std::string& rank_0) const {
    const Ending refused = run_pair("exec " + rank_0, rank_1);
    EXPECT_NE(refused.status, 0);
    const std::vector<std::string> sentences = lines_with("train: ", refused.err);
    ASSERT_EQ(sentences.size(), 1U) << refused.err;
    EXPECT_TRUE(sentences.front().starts_with("train: rank 1 (process ")) << sentences.front();
    EXPECT_NE(sentences.front().find("failed: " + reason), std::string::npos) << sentences.front();
  }
  void expect_refusal_of_rank_1(const std::string& rank_1, const std::string& reason) const {
    expect_refusal_of_rank_1(rank_1, reason, short_run(file("model")));
  }
  static std::vector<std::string> lines_with(const std::string& start, const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
      if (line.starts_with(start)) lines.push_back(line);
    }
    return lines;
  }
};

TEST_F(Ranks, GiveTheSameBytesAsOneProcess) {
  const Ending straight = run(train_in_quarters("straight", 40));
  ASSERT_EQ(straight.status, 0) << straight.err;
  const Ending four = run_ranks(4, train_in_quarters("divided", 10));
  ASSERT_EQ(four.status, 0) << four.err;
  EXPECT_NE(four.err.find("4 processes train together"), std::string::npos) << four.err;
  const Ending two = run_ranks(2, train_in_quarters("divided", 20));
  ASSERT_EQ(two.status, 0) << two.err;
  EXPECT_EQ(resumed_step(two), 10);
  const Ending one = run(train_in_quarters("divided", 40));
  ASSERT_EQ(one.status, 0) << one.err;
  EXPECT_EQ(resumed_step(one), 20);
  expect_same_directory(file("straight"), file("divided"));
}

#if defined(DRAGOMAN_NCCL_OVER_MPI)
TEST_F(Ranks, OnOneCudaDeviceGiveTheSameBytesWithMpiAndNccl) {
  if (cuda_devices() == 0) GTEST_SKIP() << "there is no GPU";
  const auto train_on_gpu = [&](const std::string& model) {
    return train_in_quarters(model, 20) + " --device cuda --memory-mb 4000";
  };
  const Ending alone = run(train_on_gpu("alone") + " --exchange nccl");
  ASSERT_EQ(alone.status, 0) << alone.err;
  const Ending by_mpi = run_ranks(2, train_on_gpu("mpi") + " --exchange mpi");
  ASSERT_EQ(by_mpi.status, 0) << by_mpi.err;
  expect_same_weights(file("alone"), file("mpi"), 20);
  for (const int ranks : {2, 4}) {
    const std::string model = "nccl" + std::to_string(ranks);
    const Ending by_nccl =
        run_ranks(ranks, train_on_gpu(model) + " --exchange nccl", "-x LD_PRELOAD=" DRAGOMAN_NCCL_OVER_MPI);
    ASSERT_EQ(by_nccl.status, 0) << by_nccl.err;
    expect_same_weights(file("alone"), file(model), 20);
  }
}
#endif

TEST_F(Ranks, MustDivideTheBatchesOfAnUpdate) {
  const Ending three = run_ranks(3, train_in_quarters("model", 5));
  EXPECT_EQ(three.status, 2);
  EXPECT_NE(three.err.find("an update has 4 batches (accumulate), which 3 processes cannot divide"), std::string::npos)
      << three.err;
  EXPECT_FALSE(std::filesystem::exists(file("model")));
}

TEST_F(Ranks, RefuseOneWithAnotherText) {
  std::filesystem::create_directories(file("other"));
  std::filesystem::copy(file("valid.en"), file("other/train.en"));
  std::filesystem::copy(file("valid.ne"), file("other/train.ne"));
  expect_refusal_of_rank_1("cd " + file("other") + " && exec " + short_run(file("model")),
                           "the training text of this rank is not that of rank 0");
  EXPECT_FALSE(std::filesystem::exists(file("model")));
}

// mpirun passes the signal on to all ranks. Only the first one prepares the text; the others wait for it.
TEST_F(Ranks, EndWhileTheTextIsPrepared) {
  write_text("train", 200'000, 1);
  Process ranks({"sh", "-c",
                 "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 exec mpirun --oversubscribe --bind-to none "
                 "-np 2 " +
                     kProgram + " " + train_in_quarters("model", 1000)});
  EXPECT_TRUE(eventually([&] { return std::filesystem::exists(file("model/checkpoints")); }));
  ranks.signal(SIGTERM);
  EXPECT_NE(ranks.status(), 0);
  EXPECT_EQ(ranks.output().find("memory: "), std::string::npos) << ranks.output();
  // Rank 0 removes the directory, but not if that takes a second: then mpirun kills it.
}

TEST_F(Ranks, RefuseOneOfAnotherVersion) {
  // The same program with the name of another commit in it.
  const std::vector<std::string> version = first_match(run("--version").out, "dragoman ([^ ]+) \\(commit ([^)]+)\\)");
  ASSERT_EQ(version.size(), 3U);
  const std::string &number = version[1], &commit = version[2], other = commit.substr(1) + "x";
  if (commit == "unknown") GTEST_SKIP() << "the program does not know its commit";
  std::string program = read_file(tested_program());
  for (std::size_t at = 0; (at = program.find(commit, at)) != std::string::npos;) {
    program.replace(at, commit.size(), other);
  }
  replace_file(file("dragoman"), program);
  std::filesystem::permissions(file("dragoman"), std::filesystem::perms::owner_all);
#if defined(DRAGOMAN_MPI_MODULE)
  std::filesystem::create_symlink(DRAGOMAN_MPI_MODULE, file("dragoman_mpi.so"));
#endif
  expect_refusal_of_rank_1("exec " + short_run(file("model"), file("dragoman")),
                           "this is dragoman " + number + " (" + other + "), but rank 0 is dragoman ");
  EXPECT_FALSE(std::filesystem::exists(file("model")));
}

TEST_F(Ranks, RefuseOneWithOtherInstructions) {
  const auto is_other = [](const InstructionSet& set) {
    return set.usable() && set.vectors != used_instructions().vectors;
  };
  const auto other = std::ranges::find_if(instruction_sets(), is_other);
  if (other == instruction_sets().end()) GTEST_SKIP() << "there is only one kind of instructions";
  expect_refusal_of_rank_1("exec env DRAGOMAN_INSTRUCTIONS=" + other->name + " " + short_run(file("model")),
                           "this rank computes with CPU, " + other->vectors + ", but rank 0 with CPU, ");
  EXPECT_FALSE(std::filesystem::exists(file("model")));
}

TEST_F(Ranks, LearnThatOneFailsBeforeItJoins) {
  expect_refusal_of_rank_1("exec env DRAGOMAN_INSTRUCTIONS=none " + short_run(file("model")),
                           "there are no CPU instructions 'none'");
  EXPECT_FALSE(std::filesystem::exists(file("model")));
  // What is wrong for all is said once.
  const Ending all = run_ranks(2, "train --wrong");
  EXPECT_EQ(all.status, 2);
  EXPECT_EQ(lines_with("train: ", all.err), (std::vector<std::string>{"train: there is no flag '--wrong'. 'dragoman "
                                                                      "train --help' shows them all."}));
}

TEST_F(Ranks, RefuseOneThatDoesNotSeeTheDirectoryAndLeaveItAsItWas) {
  ASSERT_EQ(shell("cd " + directory + " && " + short_run("model")).status, 0);
  std::filesystem::create_directories(file("other"));
  std::filesystem::copy(file("model"), file("other/model"), std::filesystem::copy_options::recursive);
  expect_refusal_of_rank_1("cd " + file("other") + " && exec " + short_run("model") + " --steps 2",
                           "this rank does not see the files of rank 0 in 'model'", short_run("model") + " --steps 2");
  expect_same_directory(file("model"), file("other/model"));
}

TEST_F(Ranks, SayThatOneOfThemHasNoMpi) {
  const std::string program = file("dragoman");
  std::filesystem::copy_file(tested_program(), program);
  const Ending refused = run_pair("exec " + short_run("model"), "exec " + short_run("model", program));
  EXPECT_NE(refused.status, 0);
  EXPECT_EQ(lines_with("train: there is no MPI to connect processes (dragoman_mpi.so: ", refused.err).size(), 1U)
      << refused.err;
}

TEST_F(TrainingTest, WithNcclNeedsGpus) {
  expect_one_sentence(run(train("model", "--exchange nccl")), 2, "--exchange nccl connects GPUs");
  EXPECT_FALSE(std::filesystem::exists(file("model")));
}

TEST_F(Ranks, AreConnectedByAModuleSoThatTheProgramIsNotLinkedWithMpi) {
  const std::string libraries = shell("LD_TRACE_LOADED_OBJECTS=1 " + kProgram).out;
  EXPECT_NE(libraries.find("libc.so"), std::string::npos) << libraries;
  EXPECT_EQ(libraries.find("libmpi"), std::string::npos) << libraries;
  EXPECT_NE(run("--version").out.find("MPI:        Open MPI v"), std::string::npos);
}

TEST_F(TrainingTest, ByRanksIsRefusedWithoutTheModuleOfMpi) {
  // The program alone, as a build without MPI leaves it.
  const std::string program = file("dragoman"), flags = train("model");
  std::filesystem::copy_file(tested_program(), program);
  for (const std::string& line :
       {program + " " + flags + " --exchange mpi", "OMPI_COMM_WORLD_RANK=0 " + program + " " + flags}) {
    expect_one_sentence(shell(line), 1, "train: there is no MPI to connect processes (dragoman_mpi.so: ");
    EXPECT_FALSE(std::filesystem::exists(file("model")));
  }
  EXPECT_NE(shell(program + " --version").out.find("MPI:        none\n"), std::string::npos);
  EXPECT_EQ(shell(program + " " + flags + " --steps 1").status, 0);
}

}  // namespace
}  // namespace dragoman
