// Models of other programs on a CUDA device: they translate and score as on the CPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "dragoman/backend/backend.h"
#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "dragoman/decode/inside/likelihood.h"
#include "dragoman/decode/lines/search_of_model.h"
#include "dragoman/decode/lines/translator.h"
#include "dragoman/model/files/directory.h"
#include "dragoman/model/import/import.h"
#include "tests/foreign_models.h"
#include "tests/program.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;

using decode::TranslatedLine;

// What a device computes: translations, and log-probabilities of given translations, for each of their tokens.
struct Outcome {
  std::vector<TranslatedLine> lines;
  std::vector<double> log_probabilities;
};

struct Place {
  Device device;
  WeightForm weights = WeightForm::kFloat32;
};
constexpr Device kCuda{Device::Kind::kCuda, 0};

// The differences of two outcomes.
struct Differences {
  int same_source = 0, same_best = 0, same_n_best = 0;  // lines
  double score = 0, log_probability = 0;                // the largest; scores of the nth best are compared
};

Differences compare(const Outcome& a, const Outcome& b) {
  Differences result;
  for (std::size_t i = 0; i < a.lines.size(); ++i) {
    const auto &ours = a.lines[i].hypotheses, &others = b.lines[i].hypotheses;
    result.same_source += a.lines[i].source == b.lines[i].source ? 1 : 0;
    result.same_best += ours.front().tokens == others.front().tokens ? 1 : 0;
    result.same_n_best +=
        std::ranges::equal(ours, others, {}, &decode::Hypothesis::tokens, &decode::Hypothesis::tokens);
    EXPECT_EQ(ours.size(), others.size());
    for (std::size_t n = 0; n < std::min(ours.size(), others.size()); ++n) {
      result.score = std::max(result.score, std::abs(ours[n].score - others[n].score));
    }
    result.log_probability =
        std::max(result.log_probability, std::abs(a.log_probabilities[i] - b.log_probabilities[i]));
  }
  return result;
}

class CudaImport : public ::testing::Test {
 protected:
  void SetUp() override {
    if (cuda_devices() == 0) GTEST_SKIP() << "this machine has no CUDA device";
  }
  CudaImport() {
    fs::create_directory(directory);
    const Json expected = parse_json(read_file(kForeignModels / "marian/expected.json"), "expected.json");
    for (const Json& source : expected["sources"]) texts.push_back(source["text"].get<std::string>());
  }
  ~CudaImport() override { fs::remove_all(directory); }

  // Translates the lines, and computes the log-probabilities of `given`, or of these translations if it is null.
  Outcome outcome(const std::string& model, const Place& place, const std::vector<TranslatedLine>* given) const {
    decode::TranslatorOptions options{
        .search = decode::search_of_model(model), .device = place.device, .threads = 1, .weights = place.weights};
    options.search.n_best = options.search.beam;
    options.search.max_extra = 10;
    Outcome result{.lines = decode::Translator(model, options).translate(texts), .log_probabilities = {}};
    std::vector<data::SentencePair> pairs;
    for (const TranslatedLine& line : given != nullptr ? *given : result.lines)
      pairs.push_back({line.source, line.target});
    const std::unique_ptr<Backend> on = make_backend(place.device);
    const model::LoadedModel loaded(*on, model, place.weights);
    const model::Seq2Seq* const models[] = {loaded.model.get()};
    const std::vector<double> nll = decode::negative_log_likelihoods(*on, models, pairs);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      result.log_probabilities.push_back(-nll[i] / static_cast<double>(pairs[i].target.size()));
    }
    return result;
  }

  const std::string directory = scratch("_cuda_import");
  std::vector<std::string> texts;
};

TEST_F(CudaImport, TranslatesAndScoresAsTheCpuDoes) {
  for (const ForeignFixture& fixture : foreign_fixtures()) {
    SCOPED_TRACE(fixture.name);
    const std::string ours = directory + "/ours";
    model::import_model(fixture.write_to(directory + "/theirs"), ours, {.source = "en", .target = "de"});
    const Outcome cpu = outcome(ours, {.device = Device{}}, nullptr);
    const int lines = static_cast<int>(texts.size());
    for (const WeightForm weights : {WeightForm::kFloat32, WeightForm::kBFloat16}) {
      const bool is_rounded = weights == WeightForm::kBFloat16;
      const Differences found = compare(cpu, outcome(ours, {.device = kCuda, .weights = weights}, &cpu.lines));
      std::printf("%-22s %s: best %d, n-best %d of %d the same; scores %.1e, log-probabilities %.1e apart\n",
                  fixture.name.c_str(), is_rounded ? "bf16" : "fp32", found.same_best, found.same_n_best, lines,
                  found.score, found.log_probability);
      EXPECT_EQ(found.same_source, lines);
      EXPECT_LT(found.log_probability, is_rounded ? 0.1 : 1e-5);  // on an H200 0.026 and 7e-7
      if (is_rounded) continue;  // then translations that are nearly as good change places
      EXPECT_EQ(found.same_best, lines);
      EXPECT_LT(found.score, 1e-5);
    }
    fs::remove_all(directory);
    fs::create_directory(directory);
  }
}

}  // namespace
}  // namespace dragoman
