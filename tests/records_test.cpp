// What `dragoman train` leaves beside the model: its last words, metrics.csv and the event file of TensorBoard.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "tests/matching.h"
#include "tests/tested_program.h"
#include "tests/training.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;

// CRC-32C bit by bit, as its definition says.
std::uint32_t slow_crc32c(const std::string& bytes) {
  std::uint32_t remainder = ~0u;
  for (const char byte : bytes) {
    remainder ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) remainder = remainder >> 1 ^ (remainder % 2 == 1 ? 0x82F63B78 : 0);
  }
  return ~remainder;
}

// Reads event files as TensorBoard does.
class EventReader {
 public:
  explicit EventReader(const std::string& file) : bytes_(read_file(file)) {
    for (at_ = 0; at_ < bytes_.size();) events_.push_back(next_record());
  }

  struct Event {
    double time = 0;
    std::int64_t step = 0;
    std::string version;
    std::map<std::string, float> scalars;
  };
  const std::vector<Event>& events() const { return events_; }

 private:
  template <class Number>
  static Number number(const std::string& bytes, std::size_t& at) {
    Number value{};
    std::memcpy(&value, bytes.substr(at, sizeof value).data(), sizeof value);
    at += sizeof value;
    return value;
  }
  static std::uint64_t varint(const std::string& bytes, std::size_t& at) {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes.at(at++));
      value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
  }
  static std::string text(const std::string& bytes, std::size_t& at) {
    const std::size_t length = varint(bytes, at);
    at += length;
    return bytes.substr(at - length, length);
  }
  void expect_checksum(const std::string& data) {
    const std::uint32_t crc = slow_crc32c(data);
    EXPECT_EQ(number<std::uint32_t>(bytes_, at_), (crc >> 15 | crc << 17) + 0xA282EAD8);
  }

  Event next_record() {
    const std::string length = bytes_.substr(at_, 8);
    const auto count = number<std::uint64_t>(bytes_, at_);
    expect_checksum(length);
    const std::string data = bytes_.substr(at_, count);
    at_ += count;
    expect_checksum(data);
    return parsed(data);
  }
  static Event parsed(const std::string& data) {
    Event event;
    for (std::size_t at = 0; at < data.size();) {
      switch (varint(data, at)) {
        case 1 << 3 | 1: event.time = number<double>(data, at); break;
        case 2 << 3 | 0: event.step = static_cast<std::int64_t>(varint(data, at)); break;
        case 3 << 3 | 2: event.version = text(data, at); break;
        case 5 << 3 | 2: event.scalars = scalars(text(data, at)); break;
        default: ADD_FAILURE() << "an unknown field"; return event;
      }
    }
    return event;
  }
  static std::map<std::string, float> scalars(const std::string& summary) {
    std::map<std::string, float> scalars;
    for (std::size_t at = 0; at < summary.size();) {
      EXPECT_EQ(varint(summary, at), 1u << 3 | 2);
      const std::string value = text(summary, at);
      std::size_t in_value = 0;
      EXPECT_EQ(varint(value, in_value), 1u << 3 | 2);
      const std::string tag = text(value, in_value);
      EXPECT_EQ(varint(value, in_value), 2u << 3 | 5);
      scalars[tag] = number<float>(value, in_value);
    }
    return scalars;
  }

  std::string bytes_;
  std::size_t at_ = 0;
  std::vector<Event> events_;
};

class Records : public TrainingTest {
 protected:
  // The only event file of the run.
  std::string event_file(const std::string& model) const {
    const std::vector<fs::path> files = list_directory(file(model) + "/tensorboard");
    EXPECT_EQ(files.size(), 1u);
    return files.empty() ? "" : files.front().string();
  }
  static std::vector<Json> metrics(const std::string& model) {
    std::vector<Json> records;
    std::ifstream lines(model + "/metrics.jsonl");
    for (std::string line; std::getline(lines, line);) records.push_back(parse_json(line, "a record"));
    return records;
  }
  // Checks that the event file holds the records of metrics.jsonl, each once.
  void expect_events_of(const std::string& model) const {
    const std::vector<Json> records = metrics(file(model));
    const std::vector<EventReader::Event> events = EventReader(event_file(model)).events();
    ASSERT_EQ(events.size(), records.size() + 1);
    EXPECT_EQ(events[0].version, "brain.Event:2");
    for (std::size_t i = 0; i < records.size(); ++i) {
      const Json& record = records[i];
      const EventReader::Event& event = events[i + 1];
      EXPECT_EQ(event.step, record["step"].get<std::int64_t>());
      EXPECT_EQ(event.time, record["time"].get<double>());
      const std::string group = record["kind"] == "progress" ? "train/" : "validation/";
      std::size_t numbers = 0;
      for (const auto& [name, value] : record.items()) {
        if (!value.is_number() || name == "step" || name == "time") continue;
        ++numbers;
        ASSERT_TRUE(event.scalars.contains(group + name)) << name;
        EXPECT_EQ(event.scalars.at(group + name), value.get<float>()) << name;
      }
      EXPECT_EQ(event.scalars.size(), numbers);
    }
  }
  void expect_table_of(const std::string& model) const {
    const std::vector<Json> records = metrics(file(model));
    const std::vector<std::string> lines = lines_of(read_file(file(model) + "/metrics.csv"));
    ASSERT_EQ(lines.size(), records.size() + 1);
    EXPECT_TRUE(lines[0].starts_with("kind,step,epoch,loss,nll,rate,")) << lines[0];
    for (std::size_t i = 0; i < records.size(); ++i) {
      const std::string kind = records[i]["kind"], step = records[i]["step"].dump();
      EXPECT_TRUE(lines[i + 1].starts_with(kind + "," + step + ",")) << lines[i + 1];
    }
  }
  static std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }
};

TEST_F(Records, AreWrittenForTensorBoardAndAsATableOnRequest) {
  ASSERT_EQ(run(train("plain", "--steps 30")).status, 0);
  EXPECT_FALSE(fs::exists(file("plain/tensorboard")));
  EXPECT_FALSE(fs::exists(file("plain/metrics.csv")));
  const Ending ending = run(train("run", "--steps 60 --csv --tensorboard"));
  ASSERT_EQ(ending.status, 0) << ending.err;
  EXPECT_GT(metrics(file("run")).size(), 3u);
  expect_events_of("run");
  expect_table_of("run");
}

TEST_F(Records, GoOnWithoutDuplicatesWhenARunIsResumed) {
  ASSERT_EQ(run(train("run", "--steps 60 --csv --tensorboard")).status, 0);
  // As if the run had been killed after its records of step 60, but before the checkpoint of step 60.
  fs::remove_all(checkpoint(file("run"), 60));
  const Ending resumed = run("train --model " + file("run") + " --steps 90");
  ASSERT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_EQ(resumed_step(resumed), 40);
  expect_events_of("run");
  expect_table_of("run");
  std::set<std::pair<std::string, int>> seen;
  for (const Json& record : metrics(file("run"))) EXPECT_TRUE(seen.emplace(record["kind"], record["step"]).second);
}

TEST_F(Records, OfEarlierSessionsAreWrittenToo) {
  ASSERT_EQ(run(train("run", "--steps 60")).status, 0);
  ASSERT_EQ(run("train --model " + file("run") + " --steps 90 --csv --tensorboard").status, 0);
  EXPECT_GT(metrics(file("run")).size(), 4u);
  expect_events_of("run");
  expect_table_of("run");
}

TEST_F(Records, AFileThatCannotBeWrittenStopsTheRunWithASentence) {
  fs::create_directories(file("run"));
  std::ofstream(file("run/tensorboard"));
  expect_last_sentence(run(train("run", "--steps 30 --tensorboard")), 1, "tensorboard' (not a directory).");
}

TEST_F(Records, TheLastWordsAreTheTimesTheBestScoreThePlacesAndTheNextCommand) {
  const std::string model = file("my run");
  const Ending trained = run("train --model '" + model + "' " + flags() + " --steps 60");
  ASSERT_EQ(trained.status, 0) << trained.err;
  const std::vector<std::string> lines = lines_of(trained.err);
  ASSERT_GE(lines.size(), 6u);
  const auto last = [&](std::size_t i) { return lines[lines.size() - i]; };
  EXPECT_FALSE(whole_match(last(6), R"(trained for 60 steps in \d+:\d\d)").empty()) << last(6);
  EXPECT_FALSE(whole_match(last(5), R"(saving: training waited \d+\.\d ms for a checkpoint, and \d+\.\d ms at most )"
                                    R"(\(2 checkpoints\))")
                   .empty())
      << last(5);
  EXPECT_FALSE(
      whole_match(last(4), R"(best validation: nll \d+\.\d{4}, ppl \d+\.\d\d, BLEU \d+\.\d \(step \d+\))").empty())
      << last(4);
  EXPECT_EQ(last(3), "model: " + model + " (the mean of the last 3 checkpoints)");
  EXPECT_EQ(last(2), "report: " + model + "/report.html");
  EXPECT_EQ(last(1), "next: " + tested_program() + " translate --model '" + model + "'");
  EXPECT_TRUE(fs::exists(model + "/report.html"));
  const Ending pasted = shell("echo the cat | " + last(1).substr(6));
  EXPECT_EQ(pasted.status, 0) << pasted.err;
  EXPECT_EQ(lines_of(pasted.out).size(), 1u);
}

TEST_F(Records, ARunWithoutValidationHasNoBestScore) {
  std::string flags = train("run", "--steps 20");
  for (const std::string& name :
       {std::string(" --valid-source ") + file("valid.en"), std::string(" --valid-target ") + file("valid.ne")}) {
    flags.erase(flags.find(name), name.size());
  }
  const Ending trained = run(flags);
  ASSERT_EQ(trained.status, 0) << trained.err;
  EXPECT_EQ(trained.err.find("best validation"), std::string::npos) << trained.err;
  EXPECT_NE(trained.err.find("next: "), std::string::npos) << trained.err;
}

}  // namespace
}  // namespace dragoman
