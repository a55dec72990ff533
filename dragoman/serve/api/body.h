// Reads the fields of a request from its body and its query, in any of the formats that clients use.
#pragma once

#include "dragoman/base/json.h"
#include "dragoman/serve/http/http.h"

namespace dragoman::serve {

// A JSON object with the fields of the request. It is the body itself, or is made of a form
// (application/x-www-form-urlencoded or multipart/form-data): then the values are strings, or arrays of strings for a
// field that comes several times. Fields of the query are added unless the body has them. Throws a Refusal: 415 for any
// other content type, 400 for a body that is malformed, has more fields or levels than any request needs, or holds text
// that is not UTF-8.
Json fields_of(const HttpRequest& request);

}  // namespace dragoman::serve
