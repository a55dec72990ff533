#include "dragoman/serve/api/metrics.h"

#include <gtest/gtest.h>

namespace dragoman::serve {
namespace {

TEST(ServerMetrics, LabelsAreEscaped) {
  const ModelFigures model{.source = "a\"b\\c\nd", .target = "de", .counts = {}};
  const std::string text = ServerMetrics().text({}, {model});
  EXPECT_NE(text.find("dragoman_queue_sentences{source=\"a\\\"b\\\\c\\nd\",target=\"de\"} 0\n"), std::string::npos)
      << text;
}

TEST(ServerMetrics, ASecondModelOfTheSameLanguagesHasItsName) {
  const ModelFigures first{.source = "en", .target = "de", .counts = {}};
  const ModelFigures second{.name = "large", .source = "en", .target = "de", .counts = {}};
  const std::string text = ServerMetrics().text({}, {first, second});
  EXPECT_NE(text.find("dragoman_queue_sentences{source=\"en\",target=\"de\"} 0\n"), std::string::npos) << text;
  EXPECT_NE(text.find("dragoman_queue_sentences{source=\"en\",target=\"de\",model=\"large\"} 0\n"), std::string::npos);
}

TEST(ServerMetrics, RefusedRequestsAreCountedWithoutATime) {
  ServerMetrics metrics;
  metrics.answered("/translate", 200, 0.1);
  metrics.refused("/translate", 413);
  metrics.refused("other", 400);
  metrics.refused("other", 400);
  const std::string text = metrics.text({}, {});
  EXPECT_NE(text.find("dragoman_requests_total{path=\"/translate\",status=\"413\"} 1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("dragoman_requests_total{path=\"other\",status=\"400\"} 2\n"), std::string::npos) << text;
  EXPECT_NE(text.find("dragoman_request_seconds_count{path=\"/translate\"} 1\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("dragoman_request_seconds_count{path=\"other\"}"), std::string::npos) << text;
}

TEST(ServerMetrics, ShowLinesThatLogsHaveLost) {
  const std::string text = ServerMetrics().text({}, {}, {{"access", 7}});
  EXPECT_NE(text.find("dragoman_log_lines_lost_total{log=\"access\"} 7\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace dragoman::serve
