#include "dragoman/serve/job.h"

#include <gtest/gtest.h>

#include <latch>

#include "dragoman/decode/testing.h"
#include "dragoman/serve/fake_exchange.h"
#include "dragoman/serve/refusal.h"

namespace dragoman::serve {
namespace {

using JobTest = decode::ModelDirectoryTest;

TEST_F(JobTest, AnAnswerThatCannotBeMadeIsARefusalAndNobodyElseSuffers) {
  const auto model = std::make_shared<ServedModel>(directory, decode::TranslatorOptions{.threads = 1}, 100);
  const auto exchange = std::make_shared<FakeExchange>(Request{});
  const auto job_of = [&](const std::string& text) {
    std::vector<std::unique_ptr<Document>> documents;
    documents.push_back(plain_document(text, "", ""));
    return std::make_shared<Job>(model, std::move(documents), Job::Wishes{.line = {}, .limits = {.tokens = 100}});
  };
  std::latch done(2);
  std::string told, other;
  job_of("one")->submit(exchange, [&](Job& job) {
    if (!job.error()) throw std::bad_alloc();
    told = refusal(job.error()).body;
    done.count_down();
  });
  job_of("two")->submit(exchange, [&](Job& job) {
    other = job.error() ? "failed" : job.text(0);
    done.count_down();
  });
  done.wait();
  model->service.end();  // a worker that let go of the last job, and of the model with it, could not wait for itself
  EXPECT_NE(told.find("memory"), std::string::npos) << told;
  EXPECT_NE(other, "failed");
}

}  // namespace
}  // namespace dragoman::serve
