#include "dragoman/decode/lines/service.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

#include "dragoman/decode/search/offers.h"
#include "dragoman/decode/testing.h"

namespace dragoman::decode {
namespace {

class ServiceTest : public ModelDirectoryTest {
 protected:
  struct Answer {
    std::vector<TranslatedLine> lines;
    std::vector<std::string> settled;  // the settled texts of the first line
  };

  // Submits an order and waits for the answer. Throws the error that the order failed with.
  static Answer ask(Service& service, std::vector<SourceLine> lines) {
    Answer answer;
    std::promise<void> finished;
    std::exception_ptr error;
    std::size_t left = lines.size();
    answer.lines.resize(left);
    service.submit({.lines = std::move(lines),
                    .done =
                        [&](std::size_t line, Order::Outcome outcome) {
                          if (outcome.error) error = outcome.error;
                          answer.lines[line] = std::move(outcome.line);
                          if (--left == 0) finished.set_value();
                        },
                    .settled =
                        [&](std::size_t line, const std::string& text) {
                          if (line == 0) answer.settled.push_back(text);
                        }});
    finished.get_future().wait();
    if (error) std::rethrow_exception(error);
    return answer;
  }
  static std::vector<SourceLine> lines_of(const std::vector<std::string>& texts) {
    std::vector<SourceLine> lines;
    for (const std::string& text : texts) lines.push_back({.text = text});
    return lines;
  }

  const std::vector<std::string> texts{"one", "", "two three four", data::words(9), "five six", "seven"};
};

TEST_F(ServiceTest, GivesWhatATranslatorGivesUnderAnyLoad) {
  const TranslatorOptions options{.search = {.max_extra = 12}, .threads = 2, .workers = 2, .batch_size = 3};
  Translator translator(directory, options);
  const auto expected = translator.translate(texts);
  Service service(directory, options, 1000);
  std::vector<std::thread> askers;
  std::atomic<int> differing = 0;
  for (int asker = 0; asker < 8; ++asker) {
    askers.emplace_back([&] {
      for (int times = 0; times < 5; ++times) {
        const Answer answer = ask(service, lines_of(texts));
        for (std::size_t i = 0; i < texts.size(); ++i) {
          const TranslatedLine& line = answer.lines[i];
          differing += line.text != expected[i].text || line.score != expected[i].score ? 1 : 0;
        }
      }
    });
  }
  for (std::thread& asker : askers) asker.join();
  EXPECT_EQ(differing, 0);
  const ServiceCounts counts = service.counts();
  EXPECT_EQ(counts.finished, 8 * 5 * 6);
  EXPECT_EQ(counts.waiting, 0);
  EXPECT_EQ(counts.under_way, 0);
  EXPECT_GE(counts.step_sentences, counts.steps);
}

TEST_F(ServiceTest, EachLineMayHaveItsOwnSearchSettings) {
  Service service(directory, {.threads = 1}, 100);
  for (const SearchSettings& search :
       {SearchSettings{.beam = 2, .n_best = 2}, SearchSettings{.method = Method::kSample, .seed = 3}}) {
    Translator translator(directory, {.search = search, .threads = 1});
    const auto expected = translator.translate(texts);
    std::vector<SourceLine> lines = lines_of(texts);
    for (SourceLine& line : lines) line.options.search = search;
    lines[2].options.trace = true;
    const Answer answer = ask(service, std::move(lines));
    for (std::size_t i = 0; i < texts.size(); ++i) {
      EXPECT_EQ(answer.lines[i].text, expected[i].text);
      EXPECT_EQ(answer.lines[i].hypotheses.size(), expected[i].hypotheses.size());
      EXPECT_EQ(answer.lines[i].trace != nullptr, i == 2);
    }
  }
}

TEST_F(ServiceTest, TextThatIsSettledIsNeverTakenBack) {
  // Sentences of more than four tokens are split: the first line is translated in three pieces.
  Service service(directory, {.search = {.max_extra = 30}, .threads = 1, .longest = 4}, 100);
  const Answer answer = ask(service, {{.text = data::words(9), .options = {.follow = true}}, {.text = "one"}});
  ASSERT_FALSE(answer.settled.empty());
  std::string before;
  for (const std::string& text : answer.settled) {
    EXPECT_TRUE(text.starts_with(before)) << text;
    before = text;
  }
  EXPECT_TRUE(answer.lines[0].text.starts_with(before));
  EXPECT_EQ(answer.lines[0].pieces, 3);
}

TEST_F(ServiceTest, RefusesWhatItHasNoRoomFor) {
  Service service(directory, {.threads = 1}, 6);
  EXPECT_THROW(service.submit({.lines = lines_of({"1", "2", "3", "4", "5", "6", "7"}), .done = {}, .settled = {}}),
               UsageError);
  std::promise<void> held, go;
  const auto block = [&, first = true](std::size_t, const Order::Outcome&) mutable {
    if (!std::exchange(first, false)) return;
    held.set_value();
    go.get_future().wait();
  };
  const Service::Ticket ticket = service.submit({.lines = lines_of({"", "one"}), .done = block, .settled = {}});
  held.get_future().wait();  // the only worker is blocked now
  const auto ignore = [](std::size_t, const Order::Outcome&) {};
  service.submit({.lines = lines_of({"one", "two", "three", "four"}), .done = ignore, .settled = {}});
  EXPECT_THROW(service.submit({.lines = lines_of({"one", "two", "three"}), .done = ignore, .settled = {}}), Overload);
  go.set_value();
  service.drain();
  EXPECT_NO_THROW(ask(service, lines_of({"one", "two", "three"})));
  service.cancel(ticket);  // the order is done, so nothing happens
}

TEST_F(ServiceTest, ABadLineIsRefusedAndOthersGoOn) {
  Service service(directory, {.threads = 1}, 100);
  EXPECT_THROW(ask(service, {{.text = "one", .prefix = data::words(200)}}), UsageError);
  EXPECT_THROW(ask(service, {{.text = "one", .options = {.search = SearchSettings{.beam = 100000}}}}), UsageError);
  EXPECT_THROW(ask(service, {{.text = "", .prefix = "one"}}), UsageError);
  EXPECT_THROW(ask(service, {{.text = "\xff"}}), UsageError);
  EXPECT_NO_THROW(ask(service, {{.text = "one"}}));
}

TEST_F(ServiceTest, ALineWithoutFiniteScoresFailsAlone) {
  write_damaged_model();
  Service service(directory, {.search = {.max_extra = 12}, .threads = 1}, 100);
  const Answer expected = ask(service, lines_of({"one", "two three"}));
  std::vector<std::string> answers(3);
  service.submit(
      {.lines = lines_of({"one", "two nine", "two three"}), .done = [&](std::size_t line, Order::Outcome outcome) {
         try {
           if (outcome.error) std::rethrow_exception(outcome.error);
           answers[line] = outcome.line.text;
         } catch (const Error& error) {
           answers[line] = join("failed: ", error.what());
         }
       }});
  service.drain();
  EXPECT_EQ(answers,
            (std::vector<std::string>{expected.lines[0].text, join("failed: ", kNotFinite), expected.lines[1].text}));
}

TEST_F(ServiceTest, ACancelledOrderGetsNoMoreCallbacks) {
  Service service(directory, {.search = {.max_extra = 40}, .threads = 2, .workers = 2, .batch_size = 4}, 5000);
  const auto expected = ask(service, lines_of(texts));
  std::atomic<int> late = 0;
  for (int round = 0; round < 50; ++round) {
    auto cancelled = std::make_shared<std::atomic<bool>>(false);
    std::vector<SourceLine> lines = lines_of({data::words(9), data::words(8), data::words(7), data::words(6)});
    for (SourceLine& line : lines) line.options.follow = true;
    const auto count_if_late = [&late, cancelled] { late += *cancelled ? 1 : 0; };
    const Service::Ticket ticket =
        service.submit({.lines = std::move(lines),
                        .done = [count_if_late](std::size_t, const Order::Outcome&) { count_if_late(); },
                        .settled = [count_if_late](std::size_t, const std::string&) { count_if_late(); }});
    if (round % 5 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    service.cancel(ticket);
    *cancelled = true;
  }
  const Answer answer = ask(service, lines_of(texts));
  for (std::size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(answer.lines[i].text, expected.lines[i].text);
  service.drain();
  EXPECT_EQ(late, 0);
  EXPECT_EQ(service.counts().waiting, 0);
  EXPECT_EQ(service.counts().under_way, 0);
}

TEST_F(ServiceTest, OrdersThatAreNotDoneAtTheEndFail) {
  std::atomic<int> done = 0, failed = 0;
  {
    Service service(directory, {.search = {.max_extra = 100}, .threads = 1, .batch_size = 1}, 1000);
    service.submit({.lines = lines_of(std::vector<std::string>(200, data::words(9))),
                    .done = [&](std::size_t, const Order::Outcome& outcome) { ++(outcome.error ? failed : done); },
                    .settled = {}});
  }
  EXPECT_EQ(done + failed, 200);
  EXPECT_GT(failed, 0);
}

// A line that takes a few hundred steps, whatever the model predicts.
SourceLine long_line() {
  return {.text = "one", .options = {.search = SearchSettings{.beam = 2, .max_extra = 300, .min_length = 300}}};
}

TEST_F(ServiceTest, AClientThatFillsTheBatchHoldsUpNobodyElse) {
  Service service(directory, {.threads = 1, .batch_size = 4}, 1000);
  std::atomic<int> done = 0;
  const Service::Ticket ticket = service.submit({.lines = std::vector<SourceLine>(100, long_line()),
                                                 .done = [&](std::size_t, const Order::Outcome&) { ++done; },
                                                 .client = "a"});
  while (service.counts().under_way < 4) std::this_thread::yield();
  std::promise<int> before;
  service.submit({.lines = lines_of({"one"}),
                  .done = [&](std::size_t, const Order::Outcome&) { before.set_value(done); },
                  .client = "b"});
  EXPECT_LE(before.get_future().get(), 4);  // lines of "a" that were done before that of "b"
  service.cancel(ticket);
}

TEST_F(ServiceTest, ClientsTakeTurnsHoweverManyOrdersOneHas) {
  Service service(directory, {.threads = 1, .batch_size = 1}, 1000);
  std::vector<Service::Ticket> tickets;
  std::atomic<int> done = 0;
  const auto count = [&](std::size_t, const Order::Outcome&) { ++done; };
  for (int i = 0; i < 200; ++i) {
    tickets.push_back(service.submit({.lines = {long_line()}, .done = count, .client = "a"}));
  }
  const int already_done = done;
  std::promise<int> before;
  service.submit({.lines = lines_of({"one", "two", "three"}),
                  .done =
                      [&, left = 3](std::size_t, const Order::Outcome&) mutable {
                        if (--left == 0) before.set_value(done);
                      },
                  .client = "b"});
  // About one line of "a" for each of the three of "b", and a margin. Without turns it would be all 200.
  EXPECT_LE(before.get_future().get() - already_done, 20);
  for (const Service::Ticket ticket : tickets) service.cancel(ticket);
}

TEST_F(ServiceTest, AQueueThatOneClientHasFilledHasPlacesForOthers) {
  Service service(directory, {.threads = 1, .batch_size = 1}, 640);
  std::vector<Service::Ticket> tickets;
  const auto nothing = [](std::size_t, const Order::Outcome&) {};
  const auto fill = [&](const std::string& client) {
    int orders = 0;
    try {
      for (; orders < 1000; ++orders) {
        tickets.push_back(service.submit({.lines = {long_line()}, .done = nothing, .client = client}));
      }
    } catch (const Overload&) {
    }
    return orders;
  };
  // The queue has 720 places: the 640 that one client may take, and an eighth more. A client may take eight times what
  // it leaves free (see Shares): when "a" has 640, this gives "b" 71 of the last 80, and then "c" 8 of the last 9.
  EXPECT_GE(fill("a"), 640);
  EXPECT_GE(fill("b"), 50);
  EXPECT_GE(fill("c"), 5);
  for (const Service::Ticket ticket : tickets) service.cancel(ticket);
  EXPECT_EQ(service.counts().waiting, 0);
  EXPECT_GE(fill("c"), 640);
  for (const Service::Ticket ticket : tickets) service.cancel(ticket);
}

}  // namespace
}  // namespace dragoman::decode
