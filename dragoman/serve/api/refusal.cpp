#include "dragoman/serve/api/refusal.h"

#include <new>

#include "dragoman/backend/device_errors.h"
#include "dragoman/base/failure.h"
#include "dragoman/decode/lines/service.h"

namespace dragoman::serve {

namespace {

constexpr int kSecondsToRestart = 10;

Response with_reason(Response response, const std::string& reason) {
  response.reason = reason;
  return response;
}

Response no_memory(const std::string& reason) {
  return with_reason(refusal(503, "there is not enough memory for this request now; ask for less, or try again later."),
                     reason);
}

Response failure(const std::string& reason) {
  return with_reason(refusal(500, "the server failed to answer this request; its log says why."), reason);
}

}  // namespace

Response refusal(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const Refusal& found) {
    return refusal(found.status, found.what(), found.retry_seconds);
  } catch (const decode::Overload& found) {
    return refusal(503, found.what());
  } catch (const decode::TooLarge& found) {
    return with_reason(refusal(413,
                               "this request needs more memory than the server has for one; divide it, or lower beam, "
                               "n_best or max_extra."),
                       found.what());
  } catch (const DeviceLost& found) {
    return refusal(503, found.what(), kSecondsToRestart);
  } catch (const UsageError& found) {
    return refusal(400, found.what());
  } catch (const MemoryError& found) {
    return no_memory(found.what());
  } catch (const std::bad_alloc&) {
    return no_memory("the system gave no memory.");
  } catch (...) {
    return failure(failure_sentence(error));
  }
}

}  // namespace dragoman::serve
