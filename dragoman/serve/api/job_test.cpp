#include "dragoman/serve/api/job.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>

#include "dragoman/decode/testing.h"
#include "dragoman/serve/api/refusal.h"
#include "dragoman/serve/http/exchange_testing.h"

namespace dragoman::serve {
namespace {

class JobTest : public decode::ModelDirectoryTest {
 protected:
  std::shared_ptr<Job> job_of(const std::string& text) const {
    std::vector<std::unique_ptr<Document>> documents;
    documents.push_back(plain_document(text, "", ""));
    return std::make_shared<Job>(model, std::move(documents), Job::Options{.limits = {.tokens = 100}});
  }

  const std::shared_ptr<ServedModel> model =
      std::make_shared<ServedModel>("model", directory, decode::TranslatorOptions{.threads = 1}, 100);
};

TEST_F(JobTest, AnAnswerThatThrowsBecomesARefusalAndOtherJobsGoOn) {
  const auto exchange = std::make_shared<FakeExchange>(HttpRequest{});
  std::latch done(2);
  std::string message, other;
  job_of("one")->submit(exchange, [&](Job& job) {
    if (!job.error()) throw std::bad_alloc();
    message = refusal(job.error()).body;
    done.count_down();
  });
  job_of("two")->submit(exchange, [&](Job& job) {
    other = job.error() ? "failed" : job.text(0);
    done.count_down();
  });
  done.wait();
  // Ends the workers while `model` still exists. If a worker destroyed the last job and with it the model, the model's
  // destructor would wait for that worker itself.
  model->service.end();
  EXPECT_NE(message.find("memory"), std::string::npos) << message;
  EXPECT_NE(other, "failed");
}

TEST_F(JobTest, ARefusalThatThrowsIsDroppedAndOtherJobsGoOn) {
  std::vector<std::shared_ptr<FakeExchange>> exchanges;
  for (int i = 0; i < 4; ++i) exchanges.push_back(std::make_shared<FakeExchange>(HttpRequest{}));
  std::latch done(4);
  std::atomic<int> right = 0;
  for (int i = 0; i < 4; ++i) {
    job_of(i % 2 == 0 ? "one" : "two three four")->submit(exchanges[i], [&, i](Job& job) {
      if (job.error() || i % 2 == 1) done.count_down();
      right += i % 2 == 1 && !job.error() ? 1 : 0;
      if (i % 2 == 0) throw 1;  // also in the second call, which has the error of the first
    });
  }
  done.wait();
  model->service.end();
  EXPECT_EQ(right, 2);
}

}  // namespace
}  // namespace dragoman::serve
