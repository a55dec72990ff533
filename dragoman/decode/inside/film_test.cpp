#include "dragoman/decode/inside/film.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "dragoman/base/error.h"
#include "dragoman/base/files.h"
#include "dragoman/data/testing.h"

namespace dragoman::decode {
namespace {

using FilmTest = data::CorpusTest;

// Reading it would wait for another program for ever.
TEST_F(FilmTest, APipeIsNotReadAsAFrame) {
  make_directory(directory / "probe");
  ASSERT_EQ(::mkfifo((directory / "probe/step-50.jsonl").c_str(), 0600), 0);
  EXPECT_NE(summarise_film(directory).problem.find("is a pipe, but a file is needed"), std::string::npos);
  EXPECT_THROW(film_json(directory), Error);
}

}  // namespace
}  // namespace dragoman::decode
