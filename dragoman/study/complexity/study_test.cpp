#include "dragoman/study/complexity/study.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "dragoman/base/fields_json.h"
#include "dragoman/study/complexity/testing.h"

namespace dragoman::study {
namespace {

ComplexitySettings small_settings() {
  return {.layers = all_kinds(),
          .n = {4, 8, 16, 32},
          .d = {8, 16},
          .path_n = {16, 70},
          .sizes = {.d_k = 4, .k = 3, .r = 5},
          .rows = 64,
          .sentences = 2,
          .threads = 1,
          .timing = {.rounds = 1, .seconds_a_round = 0}};
}

std::string message_of(const ComplexitySettings& settings) {
  try {
    settings.validate();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(LogSlope, IsTheExponentOfAPower) {
  const double x[] = {1, 2, 4, 8};
  const double square[] = {3, 12, 48, 192}, constant[] = {5, 5, 5, 5}, bent[] = {1, 2, 4, 4};
  EXPECT_NEAR(log_slope(x, square), 2, 1e-12);
  EXPECT_NEAR(log_slope(x, constant), 0, 1e-12);
  EXPECT_NEAR(log_slope(x, bent), 0.7, 1e-12);  // (-1.5 -1.25 + -.5 -.25 + .5 .75 + 1.5 .75) / 5 in units of log 2
  EXPECT_TRUE(std::isnan(log_slope(std::span(x, 1), std::span(square, 1))));
}

// The slopes of the exact counts of attention with projections at d = 512 that the docs give.
TEST(LogSlope, OfAttentionWithProjectionsLiesBetweenOneAndTwo) {
  const auto slope = [](std::initializer_list<std::int64_t> lengths) {
    std::vector<double> n, counts;
    for (const std::int64_t length : lengths) {
      n.push_back(static_cast<double>(length));
      counts.push_back(static_cast<double>(closed_form(LayerKind::kProjections, {.d = 512}, length).forward()));
    }
    return log_slope(n, counts);
  };
  EXPECT_NEAR(slope({256, 512, 1024}), 1.34, 0.005);
  EXPECT_NEAR(slope({512, 1024, 2048, 4096}), 1.58, 0.005);
  EXPECT_NEAR(slope({2048, 4096, 8192}), 1.79, 0.005);
}

TEST(Complexity, EverythingAgreesWithTheFormulas) {
  const ComplexityReport report = measure_complexity(small_settings());
  EXPECT_EQ(report.contradictions(), std::vector<std::string>());
  ASSERT_EQ(report.layers.size(), 8u);
  for (const LayerReport& layer : report.layers) {
    ASSERT_EQ(layer.sweep("n")->at.size(), 4u);
    EXPECT_EQ(layer.sweep("n")->at.front().d, 16);
    EXPECT_EQ(layer.sweep("n")->at.front().B, is_recurrent(layer.kind) ? 2 : 16);
    EXPECT_GT(layer.sweep("n")->at.front().seconds.with_backward, 0);
    EXPECT_EQ(layer.sweep("d")->at.front().n, 16);
    EXPECT_TRUE(layer.paths[0].gradients);
    EXPECT_FALSE(layer.paths[1].gradients);  // a sentence of 70 positions is too long
  }
  EXPECT_NEAR(report.layers.front().sweep("n")->slopes().operations, 2, 1e-12);  // of self-attention
  EXPECT_NEAR(report.layers.front().sweep("d")->slopes().operations, 1, 1e-12);  // two sizes are enough
}

TEST(Complexity, AContradictionIsNamed) {
  ComplexitySettings settings = small_settings();
  settings.layers = {LayerKind::kSelf};
  settings.times = false;
  ComplexityReport report = measure_complexity(settings);
  report.layers.front().sweeps.front().at[1].operations.forward.counted += 1;
  report.layers.front().sequence.front().found.steps = 7;
  report.layers.front().paths.front().gradients->one_short = 1e-300;
  const std::vector<std::string> all = report.contradictions();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0],
            "self at n = 8, d = 16: 16385 multiply-adds were counted and 57344 with backward, but the formula gives "
            "16384 and 57344.");
  EXPECT_EQ(all[1], "self at n = 4: 7 sequential operations instead of 1.");
  EXPECT_NE(all[2].find("self at n = 16"), std::string::npos);
  for (const std::string& sentence : all) EXPECT_NE(complexity_text(report).find(sentence), std::string::npos);
}

TEST(Complexity, BadSizesGetOneSentence) {
  ComplexitySettings settings = small_settings();
  settings.n = {0};
  EXPECT_EQ(message_of(settings), "n is 0; it must be from 1 to 65536.");
  settings = small_settings();
  settings.d = {8, 10};
  EXPECT_EQ(message_of(settings), "d is 10, which is not a multiple of the width of a head, 4 (d-k).");
  settings = small_settings();
  settings.sizes.r = 8;
  EXPECT_EQ(message_of(settings), "r is 8; it must be odd, so that a position sees as far ahead as back.");
  settings = small_settings();
  settings.sizes.k = 1;
  EXPECT_EQ(message_of(settings), "k is 1; it must be from 3 to 65535.");
  settings = small_settings();
  settings.layers.clear();
  EXPECT_EQ(message_of(settings), "layers is empty; give at least one layer.");
}

TEST(ComplexityJson, HasTheNumbersOfTheReport) {
  ComplexitySettings settings = small_settings();
  settings.layers = {LayerKind::kRestricted, LayerKind::kRecurrent};
  const ComplexityReport report = measure_complexity(settings);
  const Json json = Json::parse(complexity_json(report));
  ASSERT_EQ(json["layers"].size(), 2u);
  const Json& restricted = json["layers"][0];
  EXPECT_EQ(restricted["layer"], "restricted");
  const Json& first = restricted["sweeps"][0]["measurements"][0];
  EXPECT_EQ(first["n"], 4);
  EXPECT_EQ(first["r"], 5);
  EXPECT_EQ(first["sentences"], 16);
  EXPECT_EQ(first["multiply_adds"]["counted"], 16 * 2 * 14 * 16);  // 3 + 4 + 4 + 3 pairs
  EXPECT_EQ(first["multiply_adds"]["formula"], first["multiply_adds"]["counted"]);
  EXPECT_GE(first["multiply_adds"]["in_tiles"], first["multiply_adds"]["counted"]);
  EXPECT_GT(first["seconds"], 0.0);
  EXPECT_EQ(restricted["paths"][0]["gradient_one_short"], 0.0);
  EXPECT_EQ(json["layers"][1]["sequential"][3]["operations"], 32);
  EXPECT_EQ(json["contradictions"].size(), 0u);
}

TEST(ComplexityJson, WithoutTimesThereAreNone) {
  ComplexitySettings settings = small_settings();
  settings.times = false;
  const ComplexityReport report = measure_complexity(settings);
  EXPECT_EQ(complexity_json(report).find("seconds"), std::string::npos);
  EXPECT_EQ(complexity_text(report).find(" ms"), std::string::npos);
  EXPECT_EQ(complexity_page(report).find("Time over"), std::string::npos);
}

TEST(ComplexityPage, NeedsNoNetworkAndHasACurveForEveryLayer) {
  ComplexityReport report = measure_complexity(small_settings());
  report.device = "<b>\"Device\" & Co</b>";
  const std::string page = complexity_page(report);
  EXPECT_NE(page.find("&lt;b&gt;&quot;Device&quot; &amp; Co&lt;/b&gt;"), std::string::npos);
  EXPECT_EQ(page.find("<b>\"Device\""), std::string::npos);
  // The only address is the name of SVG's elements, which the script uses and no browser loads.
  for (const std::string_view link : {"src=", "href=", "@import", "url(", "https:"}) {
    EXPECT_EQ(page.find(link), std::string::npos) << link;
  }
  for (const LayerReport& layer : report.layers) {
    EXPECT_NE(page.find(join("data-name=\"", to_string(layer.kind), ", slope ")), std::string::npos);
  }
  std::size_t figures = 0;
  for (std::size_t at = 0; (at = page.find("<svg ", at)) != std::string::npos; ++at) ++figures;
  EXPECT_EQ(figures, 3u * 2 + 1);  // operations, time and time with backward, over n and d; paths
  EXPECT_EQ(page.find("nan"), std::string::npos);
  EXPECT_EQ(page.find("inf\""), std::string::npos);
}

TEST(ComplexityText, HasTheThreeColumnsOfTable1) {
  ComplexitySettings settings = small_settings();
  settings.times = false;
  const std::string text = complexity_text(measure_complexity(settings));
  for (const std::string_view line :
       {"  self              2 n² d                                 1             1             1\n",
        "  lstm              8 n d²                                 n            16            70\n",
        "Multiply-adds counted by the kernels equal the formulas at all 48 measured sizes"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << "\nin\n" << text;
  }
}

TEST(Complexity, ProgressCountsEveryMeasurement) {
  ComplexitySettings settings = small_settings();
  settings.times = false;
  std::set<std::int64_t> seen;
  measure_complexity(settings, [&](std::int64_t done, std::int64_t total, const std::string&) {
    EXPECT_EQ(total, 48);
    EXPECT_TRUE(seen.insert(done).second);
  });
  EXPECT_EQ(seen.size(), 49u);
}

}  // namespace
}  // namespace dragoman::study
