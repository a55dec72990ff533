// ModelConfig: the settings of a model of any architecture, and functions of them. Training, decoding, files, the
// server and the command line use this type; only an architecture's own folder uses the type of its settings.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dragoman/base/error.h"
#include "dragoman/base/fields.h"
#include "dragoman/model/checked.h"
#include "dragoman/model/config.h"

namespace dragoman::model {

class Seq2Seq;

// What the settings struct of an architecture must have. In addition: fields() and, if some keys set two fields,
// shorthands().
template <class Config>
concept Architectural = requires(const Config& config, std::int64_t n) {
  { Config::kArch } -> std::convertible_to<std::string_view>;
  { config.V_source } -> std::convertible_to<int>;
  { config.V_target } -> std::convertible_to<int>;
  { config.tie } -> std::convertible_to<Tie>;
  { config.width() } -> std::convertible_to<int>;  // of position encodings; d_model in equation (3)
  config.validate();                               // throws a UsageError for invalid settings
  { make_model(config) } -> std::same_as<std::unique_ptr<Seq2Seq>>;
  // Multiply-adds of all matrix products, attention included, in one forward pass over n source and n target tokens.
  { multiply_adds(config, n, n) } -> std::same_as<Checked>;
  { describe(config) } -> std::same_as<std::string>;  // "6 + 6 layers of width 512, 8 heads"
};

namespace held {

// Type erasure: how a ModelConfig holds settings whose type its users do not know.
struct HeldConfig {
  virtual ~HeldConfig() = default;
  virtual std::unique_ptr<HeldConfig> copy() const = 0;
  virtual std::string_view arch() const = 0;
  virtual void list_fields(FieldList& list) = 0;
  virtual void list_shorthands(FieldList& list) = 0;
  virtual void validate() const = 0;
  virtual int source_vocabulary() const = 0;
  virtual int target_vocabulary() const = 0;
  virtual void set_vocabularies(int source, int target) = 0;
  virtual Tie tie() const = 0;
  virtual int width() const = 0;
  virtual std::unique_ptr<Seq2Seq> make() const = 0;
  virtual Checked cost(std::int64_t n, std::int64_t m) const = 0;
  virtual std::string description() const = 0;
};

template <class Config>
struct ConfigHolder final : HeldConfig {
  explicit ConfigHolder(const Config& config_) : config(config_) {}

  std::unique_ptr<HeldConfig> copy() const override { return std::make_unique<ConfigHolder>(config); }
  std::string_view arch() const override { return Config::kArch; }
  void list_fields(FieldList& list) override { config.fields(list); }
  void list_shorthands(FieldList& list) override {
    if constexpr (requires { config.shorthands(list); }) config.shorthands(list);
  }
  void validate() const override { config.validate(); }
  int source_vocabulary() const override { return config.V_source; }
  int target_vocabulary() const override { return config.V_target; }
  void set_vocabularies(int source, int target) override {
    config.V_source = source;
    config.V_target = target;
  }
  Tie tie() const override { return config.tie; }
  int width() const override { return config.width(); }
  std::unique_ptr<Seq2Seq> make() const override { return make_model(config); }
  Checked cost(std::int64_t n, std::int64_t m) const override { return multiply_adds(config, n, m); }
  std::string description() const override { return describe(config); }

  Config config;
};

}  // namespace held

class ModelConfig {
 public:
  // Without an architecture. Every function except assignment throws a UsageError.
  ModelConfig() = default;
  template <Architectural Config>
  ModelConfig(const Config& config)
      : held_(std::make_unique<held::ConfigHolder<Config>>(config)) {
  }  // NOLINT: implicit, so that the settings of an architecture can be passed as a ModelConfig
  ModelConfig(const ModelConfig& other) : held_(other.held_ ? other.held_->copy() : nullptr) {}
  ModelConfig& operator=(const ModelConfig& other) {
    held_ = other.held_ ? other.held_->copy() : nullptr;
    return *this;
  }
  ModelConfig(ModelConfig&&) = default;
  ModelConfig& operator=(ModelConfig&&) = default;
  ~ModelConfig() = default;

  std::string_view arch() const { return held().arch(); }
  // The settings by their own type. Throws a UsageError if they belong to another architecture.
  template <Architectural Config>
  const Config& as() const {
    const auto* holder = dynamic_cast<const held::ConfigHolder<Config>*>(held_.get());
    require<UsageError>(holder != nullptr, "the model is a ", arch(), ", not a ", Config::kArch, ".");
    return holder->config;
  }
  template <Architectural Config>
  Config& as() {
    return const_cast<Config&>(std::as_const(*this).as<Config>());
  }

  // The fields and shorthands, as every settings struct lists them.
  template <class Visitor>
  void fields(Visitor&& field) {
    FieldList list;
    held().list_fields(list);
    list.each(field);
  }
  template <class Visitor>
  void shorthands(Visitor&& field) {
    FieldList list;
    held().list_shorthands(list);
    list.each(field);
  }

  // Throws a UsageError for invalid settings, or for a model with more than kMaxParameters parameters.
  void validate() const;

  int source_vocabulary() const { return held().source_vocabulary(); }
  int target_vocabulary() const { return held().target_vocabulary(); }
  void set_vocabularies(std::int64_t source, std::int64_t target) {
    held().set_vocabularies(static_cast<int>(source), static_cast<int>(target));
  }
  Tie tie() const { return held().tie(); }
  int width() const { return held().width(); }

  std::unique_ptr<Seq2Seq> make_model() const;  // its parameters have no memory until a ParameterBlock is made
  // Multiply-adds of one forward pass over n source and m target tokens. Throws a UsageError if the number overflows.
  std::int64_t multiply_adds(std::int64_t n, std::int64_t m) const;
  // Floating-point operations of training on such a pair: two for each multiply-add; backward costs twice as much as
  // forward.
  double training_flops(std::int64_t n, std::int64_t m) const { return 6.0 * static_cast<double>(multiply_adds(n, m)); }
  std::string describe() const { return held().description(); }

 private:
  held::HeldConfig& held() const {
    require<UsageError>(held_ != nullptr, "no model is configured: the architecture is missing.");
    return *held_;
  }

  std::unique_ptr<held::HeldConfig> held_;
};

struct ParameterInfo {
  std::string name;
  std::vector<std::int64_t> shape;
  std::int64_t count;
};

// Every parameter of the model by name, in the order of the model file. Allocates no weights.
std::vector<ParameterInfo> parameter_table(const ModelConfig& config);
std::int64_t parameter_count(const ModelConfig& config);
// Whether the weights of one model fit the other.
bool have_same_shapes(const ModelConfig& a, const ModelConfig& b);

}  // namespace dragoman::model
