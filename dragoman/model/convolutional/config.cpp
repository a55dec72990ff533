#include "dragoman/model/convolutional/config.h"

#include <algorithm>

#include "dragoman/base/strings.h"
#include "dragoman/model/limits.h"

namespace dragoman::model::convolutional {
namespace {

// The largest number of positions that a convolution may reach over, and of columns that its product may have.
constexpr int kMaxReach = kMaxWidth;

// A part of an item of a list; `limit` is the largest number that it may be, and `most` that of the item.
int number_in(std::string_view text, int limit, std::string_view item, std::string_view key, int most) {
  const int number = parse_number<int>(text).value_or(0);
  require<UsageError>(number >= 1 && number <= limit, key, " has '", item, "', but its items are numbers from 1 to ",
                      most, ", as in 3, or such a number and for how many layers it is, as in 3x9.");
  return number;
}

// The number of each layer. `layers_key` is the setting that has the number of layers.
std::vector<int> each_layer(std::string_view key, const LayerNumbers& list, std::string_view layers_key, int layers,
                            int most) {
  std::vector<int> numbers;
  for (const std::string& item : list) {
    const std::size_t x = item.find('x');
    const std::string_view text(item);
    const int number = number_in(text.substr(0, x), most, item, key, most);
    const int times = x == std::string::npos ? 1 : number_in(text.substr(x + 1), kMaxLayers, item, key, most);
    numbers.insert(numbers.end(), static_cast<std::size_t>(times), number);
    require<UsageError>(numbers.size() <= static_cast<std::size_t>(kMaxLayers), key, " is for more than ", kMaxLayers,
                        " layers.");
  }
  const bool for_all = list.size() == 1 && numbers.size() == 1;
  if (for_all) numbers.resize(static_cast<std::size_t>(layers), numbers.front());
  require<UsageError>(std::ssize(numbers) == layers, key, " is for ", counted(std::ssize(numbers), "layer"), ", but ",
                      layers_key, " is ", layers, "; give one number for all layers, or one for each.");
  return numbers;
}

struct StackLists {
  std::string_view side;
  int layers;
  const LayerNumbers &channels, &kernels, &dilations;
};

std::vector<LayerSize> layers_of(const StackLists& stack) {
  const std::string side(stack.side), layers_key = side + "-layers";
  require_between(layers_key, stack.layers, 1, kMaxLayers);
  const auto numbers = [&](const char* key, const LayerNumbers& list, int most) {
    return each_layer(side + key, list, layers_key, stack.layers, most);
  };
  const std::vector<int> channels = numbers("-channels", stack.channels, kMaxWidth / 8),
                         kernels = numbers("-kernels", stack.kernels, kMaxReach),
                         dilations = numbers("-dilations", stack.dilations, kMaxReach);
  std::vector<LayerSize> sizes;
  for (std::size_t l = 0; l < channels.size(); ++l) {
    sizes.push_back({.channels = channels[l], .kernel = kernels[l], .dilation = dilations[l]});
    const int in = l == 0 ? channels[0] : channels[l - 1];
    require<UsageError>((Checked(kernels[l]) * in).at_most(kMaxWidth), side, "-kernels has ", kernels[l], ", and ",
                        side, "-channels ", in, "; their product may be at most ", kMaxWidth, ".");
    require<UsageError>((Checked(kernels[l]) * dilations[l]).at_most(kMaxReach), side, "-kernels has ", kernels[l],
                        ", and ", side, "-dilations ", dilations[l], "; their product may be at most ", kMaxReach, ".");
  }
  return sizes;
}

}  // namespace

std::vector<LayerSize> ConvolutionalConfig::encoder() const {
  return layers_of({"encoder", N_enc, encoder_channels, encoder_kernels, encoder_dilations});
}

std::vector<LayerSize> ConvolutionalConfig::decoder() const {
  return layers_of({"decoder", N_dec, decoder_channels, decoder_kernels, decoder_dilations});
}

void ConvolutionalConfig::validate() const {
  require_between("embedding", E, 1, kMaxWidth / 8);
  require_between("output-width", E_output, 0, kMaxWidth / 8);
  for (const LayerSize& layer : encoder()) {
    require<UsageError>(layer.kernel % 2 == 1, "encoder-kernels has ", layer.kernel,
                        "; the encoder's taps lie on both sides of a word, so their number must be odd, such as ",
                        layer.kernel + 1, "; decoder-kernels may be even.");
  }
  decoder();
  require_vocabularies(V_source, V_target, tie);
  require<UsageError>(tie == Tie::kNone || output_width() == E, "tie is ", to_string(tie),
                      ", so that the output projection is an embedding of width ", E, ", but output-width is ",
                      output_width(), "; make them equal, or set tie to none.");
  require_between("max-positions", max_positions, 1, kMaxWidth);
  require_probability("dropout", P_drop);
}

std::string describe(const ConvolutionalConfig& config) {
  const auto range = [](const std::vector<LayerSize>& a, const std::vector<LayerSize>& b, int LayerSize::*member) {
    int least = a.front().*member, most = least;
    for (const auto* stack : {&a, &b}) {
      for (const LayerSize& layer : *stack) {
        least = std::min(least, layer.*member);
        most = std::max(most, layer.*member);
      }
    }
    return least == most ? std::to_string(least) : join(least, " to ", most);
  };
  const std::vector<LayerSize> encoder = config.encoder(), decoder = config.decoder();
  return join(config.N_enc, " + ", config.N_dec, " convolutional layers of width ",
              range(encoder, decoder, &LayerSize::channels), ", kernel ", range(encoder, decoder, &LayerSize::kernel));
}

}  // namespace dragoman::model::convolutional
