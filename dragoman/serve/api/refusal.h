// An error that becomes the answer to a request: an HTTP status and a message.
#pragma once

#include <exception>
#include <string>

#include "dragoman/base/error.h"
#include "dragoman/serve/http/message.h"

namespace dragoman::serve {

struct Refusal : Error {
  Refusal(int status_, const std::string& message, int retry_seconds_ = 1)
      : Error(message), status(status_), retry_seconds(retry_seconds_) {}

  int status;
  int retry_seconds;  // when the client may try again; sent with the statuses 429 and 503
};

// Throws a Refusal with the parts as its message unless the condition holds.
template <class... Parts>
void require_or(int status, bool condition, const Parts&... parts) {
  if (!condition) [[unlikely]]
    throw Refusal(status, join(parts...));
}

// Does work that reads files of the server. What is wrong with them is not a mistake of the client, so a UsageError
// becomes another Error.
template <class Work>
auto with_own_files(const Work& work) {
  try {
    return work();
  } catch (const UsageError& error) {
    throw Error(error.what());
  }
}

// The answer for an exception: a Refusal has its own status, a UsageError is 400, a request that can never fit into the
// memory 413, an Overload, a lack of memory or a lost device 503, and everything else 500. What the exception says
// about the server, such as the path of a file, is for the operator alone: it becomes the reason of the response.
Response refusal(const std::exception_ptr& error);

}  // namespace dragoman::serve
