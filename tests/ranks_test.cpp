// Training by several processes that mpirun starts: the result has the same bytes for any number of them.
#include <gtest/gtest.h>

#include "dragoman/backend/backend.h"
#include "dragoman/exchange/exchange.h"
#include "tests/training.h"

namespace dragoman {
namespace {

class Ranks : public TrainingTest {
 protected:
  void SetUp() override {
    if (exchange::mpi_version().empty()) GTEST_SKIP() << "this build has no MPI";
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
  const std::string flags = "train --model " + file("model") +
                            " --train-source train.en --train-target train.ne --layers 1 --d-model 16 --d-ff 32"
                            " --heads 2 --vocabulary 60 --accumulate 2 --steps 1 --threads 1";
  const auto in_folder = [&](const std::string& folder) {
    return "-np 1 sh -c 'cd " + folder + " && exec " + kProgram + " " + flags + "'";
  };
  std::filesystem::create_directories(file("other"));
  std::filesystem::copy(file("valid.en"), file("other/train.en"));
  std::filesystem::copy(file("valid.ne"), file("other/train.ne"));
  const Ending refused = run_mpi(in_folder(directory) + " : " + in_folder(file("other")));
  EXPECT_NE(refused.status, 0);
  EXPECT_NE(refused.err.find("failed: the training text of this rank is not that of rank 0"), std::string::npos)
      << refused.err;
  EXPECT_NE(refused.err.find("train: rank 1 (process "), std::string::npos) << refused.err;
  EXPECT_FALSE(std::filesystem::exists(file("model")));
}

}  // namespace
}  // namespace dragoman
