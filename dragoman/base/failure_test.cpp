#include "dragoman/base/failure.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <new>
#include <system_error>

#include "dragoman/base/error.h"

namespace dragoman {
namespace {

template <class Failure>
std::string sentence(const Failure& failure) {
  return failure_sentence(std::make_exception_ptr(failure));
}

TEST(Failure, IsASentenceWhateverWasThrown) {
  EXPECT_EQ(sentence(UsageError("say which.")), "say which.");
  EXPECT_EQ(sentence(std::bad_alloc()), "out of memory; choose smaller sizes.");
  EXPECT_EQ(sentence(std::filesystem::filesystem_error("status", "a/b", std::make_error_code(std::errc::io_error))),
            "cannot use 'a/b' (input/output error).");
  EXPECT_EQ(sentence(std::system_error(std::make_error_code(std::errc::too_many_files_open))),
            "a system call failed (too many open files).");
  EXPECT_EQ(sentence(std::logic_error("why")), "unexpected failure (why).");
  EXPECT_EQ(sentence(1), "unexpected failure (an exception without a description).");
}

}  // namespace
}  // namespace dragoman
