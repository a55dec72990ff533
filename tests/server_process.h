// `dragoman serve` as a process, to which a test can send requests and signals.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dragoman/base/json.h"
#include "dragoman/serve/testing.h"
#include "tests/process.h"

namespace dragoman {

using serve::Client;
using serve::eventually;

// The program, started on any free port of the loopback address. The destructor ends it.
class ServerProcess : public Process {
 public:
  explicit ServerProcess(const std::vector<std::string>& flags, const ProcessOptions& with = {});
  int port() const { return port_; }
  using Process::id;
  // A value from /proc/PID/status, such as "Threads", or "VmRSS" in KiB.
  std::int64_t figure(const std::string& name) const;

 private:
  int port_ = 0;
};

// A POST request with a JSON body.
std::string posted(const std::string& path, const Json& body);

}  // namespace dragoman
