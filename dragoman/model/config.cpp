#include "dragoman/model/config.h"

#include <cmath>

#include "dragoman/model/limits.h"

namespace dragoman::model {

void require_vocabularies(int V_source, int V_target, Tie tie) {
  require_between("source-vocabulary", V_source, kMinVocabulary, kMaxVocabulary);
  require_between("target-vocabulary", V_target, kMinVocabulary, kMaxVocabulary);
  require<UsageError>(tie != Tie::kThreeWay || V_source == V_target,
                      "tie is three-way, which needs one vocabulary for both sides, but source-vocabulary is ",
                      V_source, " and target-vocabulary is ", V_target,
                      "; make them equal, or set tie to decoder or none.");
}

optim::Schedule TrainingConfig::rates(int d_model) const {
  return {.shape = schedule,
          .constant = rate_constant,
          .d_model = d_model,
          .peak = peak_rate,
          .initial = initial_rate,
          .warmup_steps = warmup,
          .steps = steps,
          .cooldown_steps = std::llround(cooldown * steps)};
}

void TrainingConfig::validate() const {
  require_probability("label-smoothing", eps_ls);
  require_probability("momentum", momentum);
  require_probability("beta1", beta1);
  require_probability("beta2", beta2);
  require_positive("adam-epsilon", eps);
  require_positive("rate-constant", rate_constant);
  require_positive("peak-rate", peak_rate);
  require_not_negative("initial-rate", initial_rate);
  require_positive("warmup", warmup);
  require<UsageError>(cooldown >= 0 && cooldown <= 1, "cooldown is ", cooldown, "; it must be from 0 to 1.");
  require_positive("steps", steps);
  require_not_negative("weight-decay", weight_decay);
  require_not_negative("clip", clip);
  require_positive("batch-tokens", batch_tokens);
  require_positive("accumulate", accumulate);
  require_not_negative("average", average);
  require_probability("ema", ema);
}

}  // namespace dragoman::model
