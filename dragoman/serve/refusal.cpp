#include "dragoman/serve/refusal.h"

#include <nlohmann/json.hpp>

#include "dragoman/decode/service.h"

namespace dragoman::serve {

Response refusal(int status, const std::string& sentence) {
  using Json = nlohmann::ordered_json;
  const Json body{{"error", sentence}};
  Response response{.status = status, .body = body.dump(-1, ' ', false, Json::error_handler_t::replace)};
  if (status == 429 || status == 503) response.headers.emplace_back("Retry-After", "1");
  return response;
}

Response refusal(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const Refusal& found) {
    return refusal(found.status, found.what());
  } catch (const decode::Overload& found) {
    return refusal(503, found.what());
  } catch (const UsageError& found) {
    return refusal(400, found.what());
  } catch (const std::exception& found) {
    return refusal(500, join("the server failed: ", found.what()));
  }
}

}  // namespace dragoman::serve
