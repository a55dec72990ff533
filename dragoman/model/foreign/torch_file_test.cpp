#include "dragoman/model/foreign/torch_file.h"

#include <gtest/gtest.h>

#include "dragoman/data/testing.h"
#include "dragoman/model/foreign/testing.h"

namespace dragoman::model::foreign {
namespace {

using data::error_message_of;
using Floats = std::vector<float>;

Tensors tensors_of(const std::string& bytes) {
  const TorchFile file(memory_bytes(bytes, "a.bin"));
  return file.tensors(file.object().root());
}

TEST(TorchFile, ReadsTensorsOfBothLayouts) {
  for (const std::string& bytes : {torch_zip_of(saved_tensors()), torch_legacy_of(saved_tensors())}) {
    const Tensors tensors = tensors_of(bytes);
    ASSERT_EQ(tensors.size(), 3u);
    EXPECT_EQ(tensors.at("a").shape, (std::vector<std::int64_t>{2, 3}));
    EXPECT_EQ(floats_of(tensors.at("a")), (Floats{0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(floats_of(tensors.at("a.T")), (Floats{0, 3, 1, 4, 2, 5}));
    EXPECT_EQ(floats_of(tensors.at("b")), (Floats{-2, 0.5}));
  }
}

TEST(TorchFile, ReadsNumbersOfEveryKind) {
  const auto saved = [](const std::string& kind, const std::string& numbers) {
    return std::vector<SavedTensor>{{"x", kind, "0", numbers, 2, 0, {2}, {1}}};
  };
  const auto read = [&](const std::string& kind, const std::string& numbers) {
    return floats_of(tensors_of(torch_zip_of(saved(kind, numbers))).at("x"));
  };
  EXPECT_EQ(read("DoubleStorage", bytes_of(std::vector<double>{1.5, -2})), (Floats{1.5, -2}));
  EXPECT_EQ(read("BFloat16Storage", bytes_of(std::vector<std::uint16_t>{0x3F80, 0xC040})), (Floats{1, -3}));
  EXPECT_EQ(read("LongStorage", bytes_of(std::vector<std::int64_t>{7, -9})), (Floats{7, -9}));
  EXPECT_EQ(read("IntStorage", bytes_of(std::vector<std::int32_t>{7, -9})), (Floats{7, -9}));
  EXPECT_EQ(read("ShortStorage", bytes_of(std::vector<std::int16_t>{7, -9})), (Floats{7, -9}));
  EXPECT_EQ(read("CharStorage", bytes_of(std::vector<std::int8_t>{7, -9})), (Floats{7, -9}));
  EXPECT_EQ(read("ByteStorage", bytes_of(std::vector<std::uint8_t>{7, 200})), (Floats{7, 200}));
  const std::string message = error_message_of([&] { read("ComplexFloatStorage", std::string(16, 'x')); });
  EXPECT_NE(message.find("ComplexFloatStorage"), std::string::npos) << message;
}

// The dictionary of a model's parameters instead of its state: each tensor is wrapped in a call.
TEST(TorchFile, ReadsParametersAsTheirTensors) {
  using namespace pickled;
  for (const std::string function : {"_rebuild_parameter", "_rebuild_parameter_with_state"}) {
    const std::string id =
        tuple({text("storage"), global("torch", "FloatStorage"), text("0"), text("cpu"), integer(2)});
    const std::string tensor = global("torch._utils", "_rebuild_tensor_v2") +
                               tuple({id + "Q", integer(0), integers({2}), integers({1})}) + "R";
    const std::string parameter = global("torch._utils", function) + tuple({tensor, "\x88"}) + "R";
    const Tensors tensors = tensors_of(zip_of(
        {{"m/data.pkl", whole(dict({text("p"), parameter}))}, {"m/data/0", bytes_of(std::vector<float>{3, 4})}}));
    ASSERT_TRUE(tensors.contains("p")) << function;
    EXPECT_EQ(floats_of(tensors.at("p")), (Floats{3, 4}));
  }
}

// How a tensor uses its numbers.
struct View {
  int offset = 0;
  std::vector<int> shape = {}, strides = {};
};

TEST(TorchFile, RefusesTensorsThatDoNotFitTheirNumbers) {
  const auto with = [](const View& view) {
    SavedTensor tensor = saved_tensors()[0];
    tensor.offset = view.offset;
    tensor.shape = view.shape;
    tensor.strides = view.strides;
    return error_message_of([&] { tensors_of(torch_zip_of({tensor})); });
  };
  EXPECT_EQ(with({.offset = 5, .shape = {1}, .strides = {1}}), "");
  EXPECT_EQ(with({.shape = {0, 1 << 30}, .strides = {1, 1}}), "");
  // An expanded tensor repeats its numbers without end.
  for (const View& wrong : std::vector<View>{{.shape = {1 << 30}, .strides = {0}},
                                             {.shape = {1 << 30, 1 << 30, 1 << 30}, .strides = {0, 0, 0}},
                                             {.offset = 5, .shape = {2}, .strides = {1}},
                                             {.offset = 7, .shape = {0}, .strides = {1}},
                                             {.shape = {2, 3}, .strides = {4, 1}},
                                             {.shape = {2}, .strides = {1, 1}},
                                             {.offset = 3, .shape = {2}, .strides = {-1}},
                                             {.offset = -1, .shape = {2}, .strides = {1}},
                                             {.shape = {-1}, .strides = {1}}}) {
    EXPECT_NE(with(wrong).find("the tensor \"a\""), std::string::npos) << with(wrong);
  }
}

// Tensors may share one shape of any length, and one tensor may have any number of names.
TEST(TorchFile, RefusesSharedPartsThatWouldBeCopiedWithoutEnd) {
  const auto with = [](std::size_t sizes, std::size_t count) {
    return error_message_of([&] {
      tensors_of(zip_of({{"m/data.pkl", pickled::whole(pickled_shared_tensors(sizes, count))},
                         {"m/data/0", bytes_of(std::vector<float>{3, 4})}}));
    });
  };
  EXPECT_EQ(with(8, 100), "");
  EXPECT_NE(with(9, 1).find("the tensor \"0\" has 9 dimensions; at most 8 are read."), std::string::npos) << with(9, 1);
  EXPECT_NE(with(1, 20'001).find("more than 20000 tensors"), std::string::npos) << with(1, 20'001);
}

// Reading them takes no longer than the file is.
TEST(TorchFile, ReadsAKeyThatEntriesShareOnce) {
  using namespace pickled;
  std::string shared = "}(" + text("parts") + pickled_shared_parts(1) + text(std::string(60'000, 'k')) + "q\3" +
                       pickled_shared_tensor() + "q\4";
  for (int i = 0; i < 200'000; ++i) shared += "h\3h\4";
  const Tensors tensors =
      tensors_of(zip_of({{"m/data.pkl", whole(shared + "u")}, {"m/data/0", bytes_of(std::vector<float>{3, 4})}}));
  EXPECT_EQ(tensors.size(), 1u);
}

TEST(TorchFile, RefusesPackedNumbers) {
  const SavedTensor tensor{"x", "FloatStorage", "0", "", 2, 0, {2}, {1}};
  const std::string packed = zip_of({{"m/data.pkl", pickled::whole(pickled_tensors({tensor}, false))},
                                     {"m/data/0", std::string(8, 'x'), deflated(std::string(8, 'x'))}});
  EXPECT_NE(error_message_of([&] { tensors_of(packed); }).find("is packed, which torch.save does not do"),
            std::string::npos);
}

TEST(TorchFile, NamesWhatIsMissing) {
  EXPECT_NE(error_message_of([] { tensors_of("nothing"); }).find("not a checkpoint"), std::string::npos);
  EXPECT_NE(error_message_of([] { tensors_of(zip_of({{"a", "b"}})); }).find("data.pkl"), std::string::npos);
  std::vector<SavedTensor> tensors = saved_tensors();
  tensors[2].numbers.clear();
  EXPECT_NE(error_message_of([&] { tensors_of(torch_zip_of(tensors)); }).find("model/data/1"), std::string::npos);
  EXPECT_NE(error_message_of([&] { tensors_of(torch_legacy_of(tensors)); }).find("missing"), std::string::npos);
  const std::string no_dictionary = zip_of({{"m/data.pkl", pickled::whole("N")}});
  EXPECT_NE(error_message_of([&] { tensors_of(no_dictionary); }).find("no dictionary"), std::string::npos);
}

TEST(TorchFile, SurvivesDamage) {
  for (const std::string& whole : {torch_zip_of(saved_tensors()), torch_legacy_of(saved_tensors())}) {
    expect_survives_damage(whole, [](const std::string& bytes) {
      for (const auto& [name, tensor] : tensors_of(bytes)) EXPECT_LE(floats_of(tensor).size(), 6u);
    });
  }
}

}  // namespace
}  // namespace dragoman::model::foreign
