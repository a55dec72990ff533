#include "dragoman/model/transformer/config.h"

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
  require_vocabularies(config.V_source, config.V_target, config.tie);
  require_between("max-positions", config.max_positions, 1, kMaxWidth);
  require<UsageError>(config.window >= 0, "window is ", config.window, "; it must be above 0, or left out.");
  require<UsageError>(
      config.window > 0 || config.window_kind == Mask::Window::kSliding,
      "window-kind is block, but window is not set; set window to the number of positions of a block, or "
      "leave window-kind out.");
}

void check_heads(const TransformerConfig& config) {
  const bool widths_given = config.d_k > 0 && config.d_v > 0;
  require<UsageError>(widths_given || config.d_model % config.h == 0, "heads is ", config.h,
                      ", which does not divide d-model ", config.d_model,
                      " evenly; choose another number of heads, or give both d-k and d-v.");
  for (const int width : {config.key_width(), config.value_width()}) {
    require<UsageError>((Checked(config.h) * width).at_most(kMaxWidth), counted(config.h, "head"), " of width ", width,
                        " are too wide; together they may have at most ", kMaxWidth, " columns.");
  }
}

void check_embeddings(const TransformerConfig& config) {
  const bool sinusoid = config.positions == Positions::kSinusoid || config.positions == Positions::kSinusoidT2T;
  require<UsageError>(!sinusoid || config.d_model % 2 == 0, "d-model is ", config.d_model,
                      ", but sinusoid positions come in pairs of sine and cosine; make it even, or set positions to "
                      "learned or none.");
}

}  // namespace

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
