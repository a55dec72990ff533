// The objective that training minimises: the losses of a batch, and the weight of a batch in an update.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dragoman/data/batch.h"
#include "dragoman/model/config.h"
#include "dragoman/model/seq2seq.h"

namespace dragoman::train {

struct BatchLosses {
  // A number that is reported: the sum of `values`, multiplied by `times`.
  struct Figure {
    Array values;
    double times = 1;
  };

  std::vector<Tensor> roots;    // scalars whose sum is minimised; backward starts at all of them
  std::vector<Figure> figures;  // in the order of Objective::figures()
};

// What the batches of an update, or some of them, consist of; batches without items count for nothing.
struct ItemCounts {
  std::int64_t items = 0, source_tokens = 0;
};

// What the losses of a batch are multiplied by, so that those of all batches of an update make means: one over the
// number of items, and of source tokens, of the whole update.
struct UpdateWeights {
  double items = 1;
  double source_tokens = 1;
};
UpdateWeights weights_of(const ItemCounts& update);

class Objective {
 public:
  virtual ~Objective() = default;

  // The names of the figures that are reported for each update. The first is "loss", the objective itself. Training
  // minimises the sum of this and of the losses that the model adds.
  virtual std::vector<std::string> figures() const = 0;
  // The number of items of the batch. Losses are means over the items of an update.
  virtual std::int64_t items(const data::HostBatch& batch) const = 0;
  virtual BatchLosses losses(const data::HostBatch& batch, const UpdateWeights& weights, nn::Pass& pass) const = 0;

  ItemCounts count(std::span<const data::HostBatch> batches) const;
};

// The objective of translation: the label-smoothed cross-entropy of each target token, given the source and the target
// tokens before it. Also reports the cross-entropy without smoothing ("nll") and the model's own losses. Items are the
// target tokens, except masked ones (ids below 0).
class TranslationObjective final : public Objective {
 public:
  TranslationObjective(const model::Seq2Seq& model, const LabelSmoothing& smoothing)
      : model_(model), smoothing_(smoothing) {}

  std::vector<std::string> figures() const override;
  std::int64_t items(const data::HostBatch& batch) const override;
  BatchLosses losses(const data::HostBatch& batch, const UpdateWeights& weights, nn::Pass& pass) const override;

 private:
  const model::Seq2Seq& model_;
  LabelSmoothing smoothing_;
};

LabelSmoothing smoothing_of(const model::TrainingConfig& config);

data::BatchOptions batch_options(const model::Seq2Seq& model);

}  // namespace dragoman::train
