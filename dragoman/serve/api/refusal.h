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

// The answer for an exception: a Refusal has its own status, an Overload is 503, a UsageError 400, lack of memory
// (std::bad_alloc) 503, and everything else 500.
Response refusal(const std::exception_ptr& error);

}  // namespace dragoman::serve
