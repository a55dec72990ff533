#include "dragoman/model/foreign/pickle.h"

#include <gtest/gtest.h>

#include "dragoman/data/testing.h"
#include "dragoman/model/foreign/testing.h"

namespace dragoman::model::foreign {
namespace {

using namespace pickled;
using data::error_message_of;
using Kind = Pickle::Kind;

Pickle pickle_of(const std::string& bytes) {
  ByteCursor cursor(memory_bytes(bytes, "a.pkl"));
  return Pickle(cursor);
}

// A value of every kind, as Python writes it.
std::string every_kind() {
  return whole(
      dict({text("none"), "N", text("true"), "\x88", text("int"), integer(-7), text("long"),
            std::string("\x8A\x02\x00\xFF", 4), text("float"), std::string("G\xC0\x04\0\0\0\0\0\0", 9), text("list"),
            "](K\x01K\x02"
            "eK\x03"
            "a",
            text("tuple"), integers({4, 5, 6}) + "q\x01", text("again"), "h\x01", text("object"),
            global("argparse", "Namespace") + ")\x81" + dict({text("lr"), integer(3)}) + "b"}));
}

TEST(Pickle, ReadsValuesOfEveryKind) {
  const Pickle pickle = pickle_of(every_kind());
  const auto entry = [&](std::string_view key) -> const Pickle::Value& { return *pickle.find(pickle.root(), key); };
  EXPECT_EQ(entry("none").kind, Kind::kNone);
  EXPECT_EQ(entry("true").kind, Kind::kBool);
  EXPECT_EQ(entry("true").integer, 1);
  EXPECT_EQ(entry("int").integer, -7);
  EXPECT_EQ(entry("long").integer, -256);
  EXPECT_EQ(entry("float").number, -2.5);
  EXPECT_EQ(entry("list").items.size(), 3u);
  EXPECT_EQ(pickle.at(entry("list").items[2]).integer, 3);
  EXPECT_EQ(pickle.at(entry("tuple").items[1]).integer, 5);
  EXPECT_EQ(&entry("again"), &entry("tuple"));
  EXPECT_EQ(pickle.find(pickle.root(), "missing"), nullptr);
}

TEST(Pickle, FindsTheAttributesOfAnObject) {
  const Pickle pickle = pickle_of(every_kind());
  const Pickle::Value* object = pickle.find(pickle.root(), "object");
  EXPECT_EQ(pickle.at(object->items[0]).text, "argparse Namespace");
  EXPECT_EQ(pickle.find(*object, "lr")->integer, 3);
}

// A pickle that would delete files in Python is a value here.
TEST(Pickle, CallsNothing) {
  const Pickle pickle = pickle_of(whole(global("os", "system") + text("rm -r /") + "\x85R"));
  EXPECT_EQ(pickle.root().kind, Kind::kObject);
  EXPECT_EQ(pickle.at(pickle.root().items[0]).text, "os system");
}

TEST(Pickle, AnOrderedDictIsADictionary) {
  const Pickle pickle = pickle_of(whole(global("collections", "OrderedDict") + ")R(" + text("a") + integer(1) + "u"));
  EXPECT_EQ(pickle.find(pickle.root(), "a")->integer, 1);
}

TEST(Pickle, AValueMayContainItself) {
  const Pickle pickle =
      pickle_of(whole("]q\x01h\x01"
                      "a"));
  EXPECT_EQ(&pickle.at(pickle.root().items[0]), &pickle.root());
}

TEST(Pickle, TheCursorIsBehindThePickle) {
  ByteCursor cursor(memory_bytes(whole(integer(1)) + whole(integer(2)), "a.pkl"));
  EXPECT_EQ(Pickle(cursor).root().integer, 1);
  EXPECT_EQ(Pickle(cursor).root().integer, 2);
  EXPECT_EQ(cursor.remaining(), 0u);
}

TEST(Pickle, RefusesWhatItDoesNotKnow) {
  EXPECT_NE(error_message_of([] { pickle_of("\x80\x04."); }).find("protocol"), std::string::npos);
  EXPECT_NE(error_message_of([] {
              pickle_of(
                  "\x80\x02"
                  "i");
            }).find("instruction 105"),
            std::string::npos);
}

TEST(Pickle, RefusesAProgramThatTakesWhatIsNotThere) {
  for (const std::string program :
       {".", "(.", "a.", "N(a.", "t.", "h\x05.", "NNs.", "R.", "NNR.", "Nb.", "\x85.", "Q."}) {
    EXPECT_THROW(pickle_of("\x80\x02" + program), Error) << program;
  }
}

// Each instruction may take memory, so their number is limited: here values, and stored values.
TEST(Pickle, RefusesProgramsWithoutEnd) {
  EXPECT_NE(error_message_of([] { pickle_of(std::string(150'001, 'N')); }).find("150000 values"), std::string::npos);
  std::string program = "N";
  for (int i = 0; i < 500'001; ++i) program += "q\1h\1";
  EXPECT_NE(error_message_of([&] { pickle_of(program); }).find("instructions"), std::string::npos);
  EXPECT_NE(error_message_of([] { pickle_of("Nq\1q\2"); }).find("stores a value twice"), std::string::npos);
  const std::string name = "c" + std::string(900, 'a') + "\n\n";
  program.clear();
  for (int i = 0; i < 10'000; ++i) program += name;
  EXPECT_NE(error_message_of([&] { pickle_of(program); }).find("bytes of text"), std::string::npos);
}

TEST(Pickle, SurvivesDamage) {
  expect_survives_damage(every_kind(), [](const std::string& bytes) { pickle_of(bytes); });
}

}  // namespace
}  // namespace dragoman::model::foreign
