#include "dragoman/decode/lines/pipeline.h"

#include <iterator>
#include <utility>

namespace dragoman::decode {

bool Pipeline::has_room() const {
  return parts_.empty() || (std::ssize(parts_) < window_.parts && bytes_ < window_.bytes);
}

bool Pipeline::put(SourceLine line) {
  std::unique_lock lock(mutex_);
  room_.wait(lock, [&] { return given_up_ || has_room(); });
  if (given_up_) return false;
  const Part part{next_line_, line.continues, line.text.size() + line.prefix.size()};
  line.part = next_part_;
  if (!line.number) line.number = next_line_;
  next_part_ = line.continues ? next_part_ + 1 : 0;
  next_line_ += line.continues ? 0 : 1;
  bytes_ += part.bytes;
  parts_.push_back(part);
  waiting_.push({read_++, std::move(line)});
  lines_.notify_one();
  return true;
}

void Pipeline::close(std::exception_ptr error) {
  const std::lock_guard lock(mutex_);
  reading_error_ = std::move(error);
  closed_ = true;
  lines_.notify_all();
  results_.notify_all();
}

std::optional<LineQueue::Line> Pipeline::take(bool wait) {
  std::unique_lock lock(mutex_);
  if (wait) lines_.wait(lock, [&] { return given_up_ || closed_ || !waiting_.empty(); });
  if (given_up_ || waiting_.empty()) return std::nullopt;
  Line line = std::move(waiting_.front());
  waiting_.pop();
  return line;
}

void Pipeline::finish(TranslatedLine line) {
  const std::int64_t number = line.number;
  store_outcome(number, std::move(line));
}

void Pipeline::refuse(std::int64_t number, const std::string& reason) {
  std::unique_lock lock(mutex_);
  const std::int64_t line = parts_[static_cast<std::size_t>(number - delivered_)].line;
  lock.unlock();
  store_outcome(number, UsageError(name_of(line) + reason));
}

void Pipeline::store_outcome(std::int64_t number, Outcome outcome) {
  const std::lock_guard lock(mutex_);
  done_.emplace(number, std::move(outcome));
  if (number == delivered_) results_.notify_one();
}

std::optional<TranslatedLine> Pipeline::next() {
  std::unique_lock lock(mutex_);
  results_.wait(lock, [&] { return given_up_ || done_.contains(delivered_) || (closed_ && delivered_ == read_); });
  if (error_) std::rethrow_exception(error_);
  if (given_up_) return std::nullopt;
  if (!done_.contains(delivered_)) {
    if (reading_error_) std::rethrow_exception(reading_error_);
    return std::nullopt;
  }
  Outcome outcome = std::move(done_.extract(delivered_).mapped());
  if (const auto* refusal = std::get_if<UsageError>(&outcome)) throw *refusal;
  TranslatedLine line = std::get<TranslatedLine>(std::move(outcome));
  line.number = parts_.front().line;
  line.continues = parts_.front().continues;
  bytes_ -= parts_.front().bytes;
  parts_.pop_front();
  ++delivered_;
  room_.notify_one();
  return line;
}

void Pipeline::give_up(std::exception_ptr error) {
  const std::lock_guard lock(mutex_);
  if (!given_up_) error_ = std::move(error);
  given_up_ = true;
  room_.notify_all();
  lines_.notify_all();
  results_.notify_all();
}

bool Pipeline::given_up() {
  const std::lock_guard lock(mutex_);
  return given_up_;
}

}  // namespace dragoman::decode
