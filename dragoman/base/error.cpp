#include "dragoman/base/error.h"

#include "dragoman/base/printable.h"

namespace dragoman {

Error::Error(const std::string& message)
    : std::runtime_error(with_short_quotes(message.find('\0') == std::string::npos ? message : printable(message))) {}

}  // namespace dragoman
