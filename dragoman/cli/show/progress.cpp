#include "dragoman/cli/show/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <utility>

#include "dragoman/base/strings.h"

namespace dragoman::cli {
namespace {

constexpr double kSecondsBetweenDrawings = 0.1;
constexpr double kSecondsForARate = 0.5;  // over a shorter time a rate says nothing
constexpr int kDefaultColumns = 80, kNarrowestBar = 5, kWidestBar = 30;
constexpr std::string_view kGap = "  ", kEllipsis = "…";
constexpr std::string_view kColour = "\x1b[36m", kFaint = "\x1b[2m", kPlain = "\x1b[0m", kClearToEnd = "\x1b[K";

int terminal_columns() {
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : kDefaultColumns;
}

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view{} : std::string_view(value);
}

bool continues_code_point(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

int code_points(std::string_view text) {
  return static_cast<int>(std::ranges::count_if(text, [](char byte) { return !continues_code_point(byte); }));
}

// The text, or as many of its fields (separated by a gap) as fit, or else the start of the first.
std::string cut(std::string_view text, int columns) {
  if (code_points(text) <= columns) return std::string(text);
  if (columns <= 0) return "";
  std::size_t end = 0;
  for (int seen = 0; end < text.size(); ++end) {
    if (!continues_code_point(text[end]) && seen++ == columns - 1) break;
  }
  const std::size_t field_end = text.rfind(kGap, end);
  if (field_end != std::string_view::npos) return std::string(text.substr(0, field_end));
  return std::string(text.substr(0, end)) + std::string(kEllipsis);
}

std::string repeated(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

// 1,200/2,000, or 1,200 if the total is unknown.
std::string count_text(std::int64_t done, std::int64_t total) {
  return total > 0 ? fmt::format("{}/{}", with_thousands(done), with_thousands(total)) : with_thousands(done);
}

// 0.4/s, 210,000/s, 2.1 million/s.
std::string rate_text(double rate) {
  if (rate < 10) return fmt::format("{:.1f}/s", rate);
  return rate < 1e6 ? with_thousands(std::llround(rate)) + "/s" : fmt::format("{:.1f} million/s", rate / 1e6);
}

// Heavy for the part that is done and light for the rest, so that it can be read without colour.
std::string bar(double share, int columns, bool colour) {
  const int full = static_cast<int>(std::lround(share * columns));
  const std::string done = repeated("━", full), rest = repeated("─", columns - full);
  if (!colour) return done + rest;
  return fmt::format("{}{}{}{}{}{}", kColour, done, kPlain, kFaint, rest, kPlain);
}

}  // namespace

ProgressOutput standard_error() {
  const bool terminal = ::isatty(STDERR_FILENO) == 1 && variable("TERM") != "dumb";
  return {.terminal = terminal,
          .colour = terminal && variable("NO_COLOR").empty(),
          .columns = terminal_columns,
          // If progress cannot be shown, the task goes on.
          .write = [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); },
          .seconds =
              [] {
                const auto since = std::chrono::steady_clock::now().time_since_epoch();
                return std::chrono::duration<double>(since).count();
              }};
}

ProgressLine::ProgressLine(ProgressOptions options, ProgressOutput output)
    : options_(std::move(options)), output_(std::move(output)), start_(output_.seconds()), drawn_done_(options_.first) {
  // A terminal shows the first status at once; a log only after a while.
  drawn_at_ = output_.terminal ? -std::numeric_limits<double>::infinity() : start_;
}

ProgressLine::~ProgressLine() { finish(); }

void ProgressLine::show(const Status& status) {
  status_ = status;
  pending_ = true;
  if (is_due(output_.seconds())) draw();
}

void ProgressLine::say(std::string_view line) {
  if (line_open_) output_.write(fmt::format("\r{}", kClearToEnd));
  output_.write(fmt::format("{}\n", line));
  if (line_open_) draw();
}

void ProgressLine::finish() {
  if (pending_) draw();
  if (line_open_) output_.write("\n");
  line_open_ = false;
}

bool ProgressLine::is_due(double now) const {
  const double spent = now - drawn_at_;
  if (output_.terminal) return spent >= kSecondsBetweenDrawings;
  const bool enough_done = options_.done_between > 0 && status_.done - drawn_done_ >= options_.done_between;
  return enough_done || spent >= options_.seconds_between;
}

void ProgressLine::draw() {
  pending_ = false;
  drawn_at_ = output_.seconds();
  drawn_done_ = status_.done;
  std::string text = status_.text + counts(), left = time_left();
  if (!output_.terminal) {
    text += left;
    if (!text.empty()) output_.write(text + "\n");
    return;
  }

  // The last column stays free, because some terminals start a new line when it is used.
  const int columns = output_.columns() - 1;
  if (code_points(left) > columns / 2) left.clear();
  const int room = columns - code_points(left);
  text = cut(text, room);
  const int bar_room = std::min(kWidestBar, room - code_points(text) - static_cast<int>(kGap.size()));
  std::string line;
  if (status_.total > 0 && bar_room >= kNarrowestBar) {
    const double share = static_cast<double>(status_.done) / static_cast<double>(status_.total);
    line = fmt::format("{}{}", bar(std::clamp(share, 0.0, 1.0), bar_room, output_.colour), kGap);
  }
  output_.write(fmt::format("\r{}{}{}{}", line, text, left, kClearToEnd));
  line_open_ = true;
}

std::string ProgressLine::counts() const {
  if (options_.unit.empty()) return "";
  std::string unit = options_.unit;
  if (status_.done == 1 && status_.total <= 1) unit.pop_back();  // the s of the plural
  const std::string counted = fmt::format("{}{} {}", kGap, count_text(status_.done, status_.total), unit);
  const double spent = drawn_at_ - start_, done_now = static_cast<double>(status_.done - options_.first);
  if (spent < kSecondsForARate || done_now <= 0) return counted;
  return counted + std::string(kGap) + rate_text(done_now / spent);
}

// If it is not given: at the mean speed of this session, pauses such as validations included.
std::string ProgressLine::time_left() const {
  if (status_.seconds_left) return fmt::format("{}{} left", kGap, duration_text(*status_.seconds_left));
  const std::int64_t done_now = status_.done - options_.first, to_do = status_.total - status_.done;
  if (done_now <= 0 || to_do <= 0) return "";
  const double seconds = (drawn_at_ - start_) * static_cast<double>(to_do) / static_cast<double>(done_now);
  return fmt::format("{}{} left", kGap, duration_text(seconds));
}

namespace {

// The slowest and the fastest of several ranks.
std::string ranks_text(const std::vector<double>& rates) {
  if (rates.empty()) return "";
  const auto [slowest, fastest] = std::ranges::minmax(rates);
  return fmt::format(" ({} ranks: {} to {})", rates.size(), with_thousands(std::llround(slowest)),
                     with_thousands(std::llround(fastest)));
}

}  // namespace

std::string training_line(const train::ProgressRecord& progress, std::int64_t steps) {
  std::string rate = fmt::format("{:.1e}", progress.rate);
  if (const std::size_t zero = rate.find("e-0"); zero != std::string::npos) rate.erase(zero + 2, 1);  // 7.0e-4
  return fmt::format("epoch {}  step {}  loss {:.3f}  ppl {:.4g}  rate {}  {} tok/s{}", progress.epoch,
                     count_text(progress.step, steps), progress.losses["loss"], std::exp(progress.losses["nll"]), rate,
                     with_thousands(std::llround(progress.tokens_per_second)),
                     ranks_text(progress.rank_tokens_per_second));
}

}  // namespace dragoman::cli
