// What a request's body says: fields with values, however the client wrote them down.
#pragma once

#include "dragoman/base/json.h"
#include "dragoman/serve/http/http.h"

namespace dragoman::serve {

// A JSON object: the body itself, or the fields of a form (application/x-www-form-urlencoded or multipart/form-data),
// whose values are strings, and arrays of strings where a field comes several times. Fields of the query are there too,
// unless the body has them. Throws a Refusal: 415 for another type, 400 for a body that is not what it says, has more
// fields or levels than any request needs, or holds text that is not UTF-8.
Json fields_of(const Request& request);

}  // namespace dragoman::serve
