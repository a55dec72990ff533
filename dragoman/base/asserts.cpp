#include "dragoman/base/asserts.h"

namespace dragoman {

bool asserts_are_on() {
#ifdef NDEBUG
  return false;
#else
  return true;
#endif
}

}  // namespace dragoman
