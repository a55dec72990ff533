#include "dragoman/base/failure.h"

#include <filesystem>
#include <new>
#include <system_error>

#include "dragoman/base/error.h"
#include "dragoman/base/files.h"
#include "dragoman/base/strings.h"

namespace dragoman {

std::string failure_sentence(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    return error.what();
  } catch (const std::bad_alloc&) {
    return "out of memory; choose smaller sizes.";
  } catch (const std::filesystem::filesystem_error& error) {
    return join("cannot use ", final_name(error.path1()), " (", lower_first(error.code().message()), ").");
  } catch (const std::system_error& error) {
    return join("a system call failed (", lower_first(error.code().message()), ").");
  } catch (const std::exception& error) {
    return join("unexpected failure (", error.what(), ").");
  } catch (...) {
    return "unexpected failure (an exception without a description).";
  }
}

}  // namespace dragoman
