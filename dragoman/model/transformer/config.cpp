#include "dragoman/model/transformer/config.h"

#include <cmath>

#include "dragoman/base/strings.h"
#include "dragoman/model/checked.h"
#include "dragoman/model/limits.h"

namespace dragoman::model::transformer {
namespace {

void check_sizes(const TransformerConfig& config) {
  require_between("encoder-layers", config.N_enc, 1, kMaxLayers);
  require_between("decoder-layers", config.N_dec, 1, kMaxLayers);
  require_between("d-model", config.d_model, 1, kMaxWidth);
  require_between("d-ff", config.d_ff, 1, kMaxWidth);
  require_between("heads", config.h, 1, kMaxWidth);
  require_between("d-k", config.d_k, 0, kMaxWidth);
  require_between("d-v", config.d_v, 0, kMaxWidth);
  require_between("decoder-d-ff", config.d_ff_dec, 0, kMaxWidth);
  require_between("decoder-heads", config.h_dec, 0, kMaxWidth);
  require_vocabularies(config.V_source, config.V_target, config.tie);
  require_between("max-positions", config.max_positions, 1, kMaxWidth);
  require_between("first-position", config.first_position, 0, kMaxWidth);
  require<UsageError>(config.positions != Positions::kLearned || config.first_position < config.max_positions,
                      "first-position is ", config.first_position, ", but the learned table has only ",
                      counted(config.max_positions, "row"), "; set max-positions to more.");
  require<UsageError>(config.positions != Positions::kNone || config.first_position == 0, "first-position is ",
                      config.first_position, ", but positions is none; leave one of them out.");
  require<UsageError>(config.window >= 0, "window is ", config.window, "; it must be above 0, or left out.");
  require<UsageError>(
      config.window > 0 || config.window_kind == Mask::Window::kSliding,
      "window-kind is block, but window is not set; set window to the number of positions of a block, or "
      "leave window-kind out.");
}

void check_heads(const TransformerConfig& config) {
  const bool widths_given = config.d_k > 0 && config.d_v > 0;
  const auto check = [&](std::string_view key, const LayerSizes& sizes) {
    require<UsageError>(widths_given || config.d_model % sizes.h == 0, key, " is ", sizes.h,
                        ", which does not divide d-model ", config.d_model,
                        " evenly; choose another number of heads, or give both d-k and d-v.");
    for (const int width : {sizes.d_k, sizes.d_v}) {
      require<UsageError>((Checked(sizes.h) * width).at_most(kMaxWidth), counted(sizes.h, "head"), " of width ", width,
                          " are too wide; together they may have at most ", kMaxWidth, " columns.");
    }
  };
  check("heads", config.encoder_sizes());
  if (config.h_dec > 0) check("decoder-heads", config.decoder_sizes());
}

void check_embeddings(const TransformerConfig& config) {
  const bool sinusoid = config.positions != Positions::kLearned && config.positions != Positions::kNone;
  require<UsageError>(!sinusoid || config.d_model % 2 == 0, "d-model is ", config.d_model,
                      ", but sinusoid positions come in pairs of sine and cosine; make it even, or set positions to "
                      "learned or none.");
}

}  // namespace

double TransformerConfig::embedding_factor() const {
  return scale == EmbeddingScale::kSqrt ? std::sqrt(static_cast<double>(d_model)) : 1.0;
}

void TransformerConfig::validate() const {
  check_sizes(*this);
  check_heads(*this);
  check_embeddings(*this);
  require_positive("layer-norm-epsilon", ln_eps);
  require_positive("batch-norm-epsilon", bn_eps);
  require<UsageError>(bn_padding == BatchNormPadding::kIgnore || norm_kind == NormKind::kBatch,
                      "batch-norm-padding is ", to_string(bn_padding), ", but norm-kind is ", to_string(norm_kind),
                      "; set norm-kind to batch, or leave batch-norm-padding out.");
  require_probability("dropout", P_drop);
  require_probability("attention-dropout", P_drop_attention);
  require_probability("relu-dropout", P_drop_relu);
}

}  // namespace dragoman::model::transformer
