#include "dragoman/health/port.h"

#include "dragoman/base/error.h"
#include "dragoman/serve/http/listener.h"

namespace dragoman::health {

Section port_section(const std::string& address, int port, Asked asked) {
  Section section{.name = "port", .title = "Port"};
  Finding finding{.check = "port", .text = join("port ", port, " of ", address, " is free")};
  try {
    const serve::Listener listener({.address = address, .port = port, .max_connections = 1}, [](const auto&...) {});
  } catch (const UsageError&) {
    throw;
  } catch (const Error& error) {
    finding.level = failure(asked);
    finding.text = error.what();
    if (finding.text.find("already in use") != std::string::npos) {
      finding.advice = "'ss -ltnp' shows which program uses a port.";
    }
  }
  section.facts = {{"address", address}, {"port", std::int64_t{port}}, {"free", finding.level == Level::kGood}};
  section.findings.push_back(finding);
  return section;
}

}  // namespace dragoman::health
