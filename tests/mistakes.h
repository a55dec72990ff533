// A directory with a model and the files that typical mistakes need.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/program.h"
#include "tests/small_model.h"
#include "tests/tested_program.h"

namespace dragoman {

class Mistakes : public SmallModelTest {
 protected:
  Mistakes() {
    write("a.en", "one two\ntwo\nthree\n");
    write("a.de", "one two\ntwo\nthree\n");
    write("one.de", "one\n");
    write("empty", "");
    std::filesystem::create_directory(file("folder"));
  }

  // Runs the program in the directory of the files, where the model is `model`.
  Ending here(const std::string& arguments) const {
    return shell("cd " + directory + " && " + kProgram + " " + arguments);
  }
  void expect_usage(const std::string& arguments, const std::string& part) const {
    expect_one_sentence(here(arguments + " < /dev/null"), 2, part);
  }
};

}  // namespace dragoman
