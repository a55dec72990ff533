#include "dragoman/data/loader.h"

#include <algorithm>
#include <cmath>
#include <future>
#include <optional>
#include <utility>

#include "dragoman/base/error.h"
#include "dragoman/base/strings.h"
#include "dragoman/base/threads.h"

namespace dragoman::data {

namespace {

constexpr std::uint32_t kSamplePurpose = 0x73756277;  // "subw"
constexpr std::size_t kUpdatesAhead = 3;

Sentence sample(const text::Tokenizer& tokenizer, const std::string& text, double amount, int max_length,
                RandomStream random) {
  Sentence ids = tokenizer.sample(text, amount, random);
  if (ids.empty() || std::ssize(ids) >= max_length) ids = tokenizer.encode(text);
  return tokenizer.with_end(std::move(ids));
}

}  // namespace

void LoaderSettings::validate(const CleaningSettings& cleaning) const {
  require<UsageError>(batch_tokens >= 1, "batch-tokens is ", batch_tokens, "; it must be at least 1.");
  require<UsageError>(accumulate >= 1, "accumulate is ", accumulate, "; it must be at least 1.");
  require<UsageError>(ranks >= 1 && accumulate % ranks == 0, "accumulate is ", accumulate, ", which ", ranks,
                      " processes cannot divide.");
  require<UsageError>(micro_tokens >= 0, "micro-tokens is ", micro_tokens, "; it must be at least 0.");
  require<UsageError>(subword_sampling >= 0 && subword_sampling < 1, "subword-sampling is ", subword_sampling,
                      "; it must be at least 0 and below 1.");
  require<UsageError>(cleaning.max_length <= batch_tokens, "max-length is ", cleaning.max_length, ", but a batch has ",
                      counted(batch_tokens, "token"), ": lower max-length or raise batch-tokens.");
  require<UsageError>(micro_tokens == 0 || cleaning.max_length <= micro_tokens, "max-length is ", cleaning.max_length,
                      ", but there is memory for ", counted(micro_tokens, "token"), " at once: lower max-length.");
}

// The state of the preparing thread: the current epoch's order and the position in it.
class Loader::Preparation {
 public:
  Preparation(const Loader& loader, Position start)
      : loader_(loader),
        cache_(loader.cache_),
        settings_(loader.settings_),
        team_(settings_.subword_sampling > 0 ? threads_for(settings_.threads) : 1),
        at_(start) {
    begin_epoch(loader_.order_of(at_.epoch));
    require<UsageError>(at_.batch <= order_->batches(), "training stopped after ",
                        counted(at_.batch, "batch", "batches"), " of epoch ", at_.epoch + 1, ", but that epoch has ",
                        counted(order_->batches(), "batch", "batches"), " now: the text or the settings have changed.");
    skip_finished_epochs();
  }

  Update next() {
    Update update{.micro_batches = {}, .batches = {}, .first = at_, .after = {}};
    const std::int64_t batches = settings_.accumulate / settings_.ranks;
    for (std::int64_t k = 0; k < settings_.accumulate; ++k) {
      const std::span<const std::uint32_t> numbers = order_->batch(at_.batch);
      if (k / batches == settings_.rank) {
        add(read(numbers), update);
      } else {
        update.sentences += std::ssize(numbers);
      }
      ++at_.batch;
      skip_finished_epochs();
    }
    update.after = at_;
    return update;
  }

 private:
  // Also starts making the next epoch's order in the background, so that training never waits for it.
  void begin_epoch(EpochOrder order) {
    order_ = std::move(order);
    loader_.remember(at_.epoch, order_->batches());
    next_order_ =
        std::async(std::launch::async, [&from = loader_, epoch = at_.epoch + 1] { return from.order_of(epoch); });
  }

  // A loop, because weights below one may leave an epoch without any batch.
  void skip_finished_epochs() {
    while (at_.batch == order_->batches()) {
      at_ = {.epoch = at_.epoch + 1, .batch = 0};
      begin_epoch(next_order_.get());
    }
  }

  std::vector<SentencePair> read(std::span<const std::uint32_t> numbers) {
    std::vector<SentencePair> pairs(numbers.size());
    if (settings_.subword_sampling > 0) {
      run_guarded(team_, std::ssize(pairs), [&](std::int64_t i) { pairs[i] = sampled(numbers[i]); });
    } else {
      std::ranges::transform(numbers, pairs.begin(), [&](std::uint32_t pair) { return cache_.pair(pair); });
    }
    return pairs;
  }

  SentencePair sampled(std::uint32_t pair) const {
    const TokenCache::TextPair texts = cache_.text_pair(pair);
    const auto random = [&](std::uint64_t side) {  // a stream of its own for each epoch, pair and side
      return RandomStream(settings_.seed, kSamplePurpose,
                          static_cast<std::uint64_t>(at_.epoch) << 33 | std::uint64_t{pair} << 1 | side);
    };
    const int max_length = cache_.cleaning().max_length;
    return {sample(cache_.source(), texts.source, settings_.subword_sampling, max_length, random(0)),
            sample(cache_.target(), texts.target, settings_.subword_sampling, max_length, random(1))};
  }

  // Splits a batch into micro-batches, keeping the order.
  void add(std::span<const SentencePair> batch, Update& update) const {
    const std::int64_t limit = settings_.micro_tokens > 0 ? settings_.micro_tokens : settings_.batch_tokens;
    const std::size_t before = update.micro_batches.size();
    while (!batch.empty()) {
      const BatchOptions options{.V_source = cache_.source().size(),
                                 .V_target = cache_.target().size(),
                                 .start_token = settings_.start_token,
                                 .first_sentence = static_cast<std::int32_t>(update.sentences)};
      const HostBatch& made = update.micro_batches.emplace_back(make_host_batch(take_batch(batch, limit), options));
      update.sentences += made.sentences();
      update.source_tokens += made.source.R();
      update.target_tokens += made.target.R();
    }
    update.batches.push_back(static_cast<std::int64_t>(update.micro_batches.size() - before));
  }

  const Loader& loader_;
  const TokenCache& cache_;
  const LoaderSettings& settings_;
  ThreadTeam team_;
  Position at_;
  std::optional<EpochOrder> order_;
  std::future<EpochOrder> next_order_;
};

Loader::Loader(const TokenCache& cache, const LoaderSettings& settings, Position start)
    : cache_(cache), settings_(settings) {
  settings_.validate(cache.cleaning());
  require<UsageError>(settings.subword_sampling == 0 || cache.keeps_text(),
                      "subword-sampling needs a token cache that keeps the text.");
  thread_ = std::thread([this, start] { prepare_ahead(start); });
}

Loader::~Loader() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Loader::prepare_ahead(Position start) {
  try {
    Preparation preparation(*this, start);
    while (true) {
      Update update = preparation.next();
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return stop_ || ready_.size() < kUpdatesAhead; });
      if (stop_) return;
      ready_.push_back(std::move(update));
      changed_.notify_all();
    }
  } catch (...) {
    const std::lock_guard lock(mutex_);
    problem_ = std::current_exception();
    changed_.notify_all();
  }
}

Update Loader::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return problem_ || !ready_.empty(); });
  if (ready_.empty()) std::rethrow_exception(problem_);
  Update update = std::move(ready_.front());
  ready_.pop_front();
  changed_.notify_all();
  return update;
}

EpochOrder Loader::order_of(std::int64_t epoch) const {
  return {cache_.lengths(),
          cache_.ranges(),
          {.batch_tokens = settings_.batch_tokens, .seed = settings_.seed, .epoch = epoch}};
}

void Loader::remember(std::int64_t epoch, std::int64_t batches) const {
  const std::lock_guard lock(mutex_);
  batches_[epoch] = batches;
}

std::int64_t Loader::batches_in_epoch(std::int64_t epoch) const {
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = batches_.find(epoch); known != batches_.end()) return known->second;
  }
  const std::int64_t batches = order_of(epoch).batches();
  remember(epoch, batches);
  return batches;
}

std::string Loader::describe(Position position) const {
  const EpochOrder order = order_of(position.epoch);
  const std::string name = join("epoch ", position.epoch + 1, ", batch ", position.batch + 1);
  if (position.batch >= order.batches()) return name;
  const std::int64_t pair = order.batch(position.batch).front();
  return join(name, " (first pair: line ", cache_.line_of(pair), " of '", cache_.files(cache_.corpus_of(pair)).source,
              "')");
}

std::int64_t Loader::resident_bytes(const TokenCache& cache, const LoaderSettings& settings) {
  std::int64_t epoch_pairs = 0;
  for (const WeightedRange& range : cache.ranges())
    epoch_pairs += (range.end - range.first) * static_cast<std::int64_t>(std::ceil(range.weight));
  // Bytes of each pair: 4 in the current order and 4 in the next one. While the next one is made, a bucket, which may
  // hold almost all pairs, takes another 8 for each of its pairs.
  const std::int64_t orders = epoch_pairs * (4 + 12);
  // Thirteen values of four bytes for each token: six lists of HostTokens for each side, and the targets. They are in
  // the waiting updates, the one being made and the one in use. With subword sampling a sentence may have more tokens,
  // but rarely more than twice as many.
  const std::int64_t batch = settings.batch_tokens * 13 * 4 * (settings.subword_sampling > 0 ? 2 : 1);
  return orders + cache.index_bytes() + (static_cast<std::int64_t>(kUpdatesAhead) + 2) * settings.accumulate * batch;
}

}  // namespace dragoman::data
