#include "dragoman/serve/api/refusal.h"

#include <new>

#include "dragoman/decode/lines/service.h"

namespace dragoman::serve {

Response refusal(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const Refusal& found) {
    return refusal(found.status, found.what(), found.retry_seconds);
  } catch (const decode::Overload& found) {
    return refusal(503, found.what());
  } catch (const UsageError& found) {
    return refusal(400, found.what());
  } catch (const std::bad_alloc&) {
    return refusal(503, "there is not enough memory for this request now; ask for less, or try again later.");
  } catch (const std::exception& found) {
    return refusal(500, join("the server failed: ", found.what()));
  } catch (...) {
    return refusal(500, "the server failed for an unknown reason.");
  }
}

}  // namespace dragoman::serve
