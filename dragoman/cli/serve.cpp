// dragoman serve: serves translations over HTTP.
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <ctime>
#include <exception>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "dragoman/backend/device_errors.h"
#include "dragoman/base/ending_signals.h"
#include "dragoman/base/error.h"
#include "dragoman/base/failure.h"
#include "dragoman/base/fields.h"
#include "dragoman/base/line_log.h"
#include "dragoman/base/printable.h"
#include "dragoman/base/strings.h"
#include "dragoman/cli/commands.h"
#include "dragoman/cli/settings/output_file.h"
#include "dragoman/cli/settings/settings.h"
#include "dragoman/cli/settings/translation_settings.h"
#include "dragoman/cli/show/browser.h"
#include "dragoman/serve/server.h"
#include "dragoman/text/lines.h"

namespace dragoman::cli {
namespace {

bool is_host(std::string_view text) { return !text.empty() && text.find_first_of(" /?#@") == std::string_view::npos; }

// A scheme, a host and perhaps a port, as browsers send them; a path or a slash at the end would never match.
bool is_origin(std::string_view text) {
  if (text == "*" || text == "null") return true;
  const std::size_t scheme = text.find("://");
  return scheme != std::string_view::npos && scheme > 0 && is_host(text.substr(scheme + 3));
}

struct ServeSettings {
  std::string address = "127.0.0.1";
  int port = 8080;
  int checkpoints = 0;
  int queue = 2000;
  int connections = 20000;
  int body_kb = 1024;
  int tokens = 20000;
  int output_tokens = 4 << 20;
  int request_mb = 128;
  int memory_mb = 512;
  OptionalSize gpu_memory_mb = 0;
  double request_seconds = 60;
  double read_seconds = 20;
  double idle_seconds = 75;
  double drain_seconds = 30;
  std::string api_keys;
  double requests_per_minute = 0;
  std::vector<std::string> origins;
  std::vector<std::string> trusted_proxies;
  std::vector<std::string> allowed_host;
  std::string access_log;
  bool open = false;

  template <class Visitor>
  void fields(Visitor&& field) {
    field("address", address, "address to listen on; 0.0.0.0 for all addresses of the machine");
    field("port", port, "port to listen on; 0 for any free port");
    field("checkpoints", checkpoints,
          "also serve the checkpoints of the models; this many are in memory at a time, loaded when asked for");
    field("queue", queue, "sentences of a client that may wait for a model; more are refused with status 503");
    field("connections", connections, "open connections per address; more are refused with status 503");
    field("body-kb", body_kb, "largest request body in KiB; a larger one is refused with status 413");
    field("tokens", tokens, "source tokens that a request may have; more are refused with status 413");
    field("output-tokens", output_tokens,
          "tokens that all hypotheses of a request may have; more are refused with status 413");
    field("request-mb", request_mb, "MiB that a request and its answer may take; more is refused with status 413");
    field("memory-mb", memory_mb, "MiB that all requests and answers may take together; then requests get status 503");
    field("gpu-memory-mb", gpu_memory_mb,
          "MiB of the GPU's memory that all models may take together, the old and the new ones of a reload included; "
          "sets the size of the batches; by default a reload and large batches take what they need");
    field("request-seconds", request_seconds,
          "time for an answer; then the request gets status 503, and its work is dropped");
    field("read-seconds", read_seconds, "time to receive a request; then it gets status 408");
    field("idle-seconds", idle_seconds, "time that a connection may stay open without a request");
    field("drain-seconds", drain_seconds, "time to finish running requests after SIGTERM");
    field("api-keys", file_name(api_keys), "file of API keys, one per line; each request must send one of them");
    field("requests-per-minute", requests_per_minute,
          "limit for each key, or for each address if there are no keys; 0 for no limit");
    field("origins", origins, "origins whose pages may send requests, such as https://example.org; * for all");
    field("trusted-proxy", trusted_proxies,
          "address or network of a proxy whose header X-Forwarded-For says who the client is");
    field(
        "allowed-host", allowed_host,
        "names by which clients may address the server; on a loopback address these are allowed besides localhost and "
        "the address itself; on any other address every name is allowed unless some are given");
    field("access-log", file_name(access_log),
          "file for a line per request, opened again at SIGHUP; - for standard output");
    field("open", open, "open the page in a browser, with xdg-open");
  }

  // Throws a UsageError that names the setting.
  void validate() const {
    require_between("port", port, 0, 65535);
    require_between("checkpoints", checkpoints, 0, 100);
    require_between("queue", queue, 1, 10'000'000);
    require_between("connections", connections, 1, 1'000'000);
    require_between("body-kb", body_kb, 1, 1 << 20);
    require_between("tokens", tokens, 1, 10'000'000);
    require_between("output-tokens", output_tokens, 1, 1 << 30);
    require_between("request-mb", request_mb, 1, 1 << 20);
    require_between("memory-mb", memory_mb, 1, 1 << 20);
    require_between("gpu-memory-mb", gpu_memory_mb, 0, 1 << 24);
    require_between("request-seconds", request_seconds, 0.01, 86400);
    require_between("read-seconds", read_seconds, 0.01, 86400);
    require_between("idle-seconds", idle_seconds, 0.01, 86400);
    require_between("drain-seconds", drain_seconds, 0, 86400);
    require_between("requests-per-minute", requests_per_minute, 0, 1e9);
    for (const std::string& origin : origins) {
      require<UsageError>(is_origin(origin), "origins: '", origin, "' is not an origin such as https://example.org.");
    }
    for (const std::string& host : allowed_host) {
      require<UsageError>(is_host(host), "allowed-host: '", host, "' is not the name of a host.");
    }
  }
};

std::set<std::string> read_keys(const std::string& file) {
  std::set<std::string> keys;
  if (file.empty()) return keys;
  text::LineReader lines(file);
  for (std::string key; lines.next(key);) {
    if (!key.empty()) keys.insert(key);
  }
  require<UsageError>(!keys.empty(), "there is no key in '", file,
                      "'; write one key per line, or leave out --api-keys.");
  return keys;
}

// The log of messages to the operator, on standard error, and the access log if there is one. Its functions neither
// fail nor wait, whatever happens to the streams.
class Logs {
 public:
  explicit Logs(const std::string& access_log) : messages_(STDERR_FILENO) {
    const LineLogOptions options{.on_loss = [this, access_log](const std::string& reason) {
      say(join("lines of the access log '", access_log, "' are lost (", reason, "); the metrics count them."));
    }};
    if (access_log == "-") access_.emplace(STDOUT_FILENO, options);
    if (access_log != "-" && !access_log.empty()) access_.emplace(std::filesystem::path(access_log), options);
  }

  void say(std::string_view message) noexcept {
    try {
      messages_.add("serve: " + printable(message));
    } catch (...) {  // no memory
    }
  }
  bool has_access_log() const { return access_.has_value(); }
  void add_access(const std::string& line) noexcept { access_->add(line); }
  // To rotate a log, rename the file and send SIGHUP.
  void reopen() noexcept {
    if (access_) access_->reopen();
  }
  serve::LostLines lost() const {
    serve::LostLines lost{{"messages", messages_.lost()}};
    if (access_) lost["access"] = access_->lost();
    return lost;
  }

 private:
  LineLog messages_;
  std::optional<LineLog> access_;
};

// Blocks the signals that this thread waits for, so that no other thread receives them. Must be created before the
// other threads, which inherit this.
class Signals {
 public:
  explicit Signals(std::initializer_list<int> signals = {SIGINT, SIGTERM, SIGHUP}) {
    sigemptyset(&set_);
    for (const int signal : signals) sigaddset(&set_, signal);
    pthread_sigmask(SIG_BLOCK, &set_, nullptr);
  }
  // The next signal, or 0 if there is none within this time, of a second at most.
  int next(long milliseconds = 1000) const {
    const timespec time{.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1'000'000};
    const int signal = sigtimedwait(&set_, nullptr, &time);
    return signal < 0 ? 0 : signal;
  }

 private:
  sigset_t set_;
};

void reload(serve::Models& models, Logs& logs) {
  try {
    models.reload();
    logs.say("the models were loaded again.");
  } catch (...) {
    logs.say(failure_sentence(std::current_exception()) + " The models stay as they were.");
  }
}

bool ends(int signal) { return signal == SIGINT || signal == SIGTERM; }

// While the models load, which may take long, there is no request to be answered: SIGINT and SIGTERM end the program.
// SIGHUP waits until the server listens.
std::jthread end_while_loading() {
  constexpr long kMilliseconds = 20;  // so long the last look may take
  return std::jthread([ending = Signals({SIGINT, SIGTERM})](const std::stop_token& loaded) {
    while (!loaded.stop_requested()) {
      if (const int signal = ending.next(kMilliseconds); ends(signal)) end_by_signal(signal);
    }
  });
}

// Returns after SIGINT or SIGTERM, or when the device of the models is lost: one second after that, so that requests
// and health checks still get the reason. SIGHUP opens the access log again and reloads the models. Other errors here
// do not stop the server.
void wait_for_end(serve::Server& server, const Signals& signals, Logs& logs) {
  for (;;) {
    const bool is_lost = server.models().lost().has_value();
    const int signal = signals.next();
    if (ends(signal) || is_lost) return;
    try {
      server.models().retire();
      if (signal != SIGHUP) continue;
      logs.reopen();
      reload(server.models(), logs);
    } catch (...) {  // no memory: the next round, a second later, destroys the unused models
    }
  }
}

std::string url_of(const std::string& address, int port) {
  const bool is_ipv6 = address.find(':') != std::string::npos;
  return join("http://", is_ipv6 ? "[" + address + "]" : address, ":", port);
}

// An address at which this machine itself finds the server: a server that listens on all addresses has no single one.
std::string own_address(const std::string& address) {
  return address == "0.0.0.0" ? "127.0.0.1" : address == "::" ? "::1" : address;
}

void log_start(const ServeSettings& options, serve::Server& server, Logs& logs) {
  const std::vector<serve::NamedModel> models = server.models().named();
  const bool has_names = models.size() > 1;
  for (const serve::NamedModel& named : models) {
    if (named.step) continue;  // there may be many
    const serve::ServedModel& model = *named.model;
    const std::string languages = join(serve::language_name(model.source), " to ", serve::language_name(model.target));
    logs.say(has_names ? join(languages, ": ", named.name, named.is_default ? "" : " (for requests that name it)")
                       : languages);
  }
  if (const std::string memory = server.models().memory_text(); !memory.empty()) logs.say(memory);
  const bool has_steps = std::ranges::any_of(models, [](const serve::NamedModel& named) { return !!named.step; });
  if (options.checkpoints > 0 && !has_steps) logs.say("--checkpoints has no effect: there are no checkpoints.");
  logs.say("listening on " + url_of(options.address, server.port()));
  const std::string page = url_of(own_address(options.address), server.port());
  const std::string problem = options.open ? open_in_browser(page) : "";
  if (!options.open) logs.say(join("open ", page, " in a browser to see what the model attends to"));
  if (!problem.empty()) logs.say(join("cannot open a browser: ", problem, "; open ", page, " yourself."));
  if (options.api_keys.empty() && !serve::is_loopback(options.address)) {
    logs.say(join("everybody who can reach ", options.address,
                  " may send requests. Give --api-keys FILE, or restrict access with a firewall or a proxy."));
  }
}

// Short keys can be guessed, even if only a few guesses per second are possible.
void warn_of_short_keys(const std::set<std::string>& keys, Logs& logs) {
  constexpr std::size_t kShort = 16;
  const auto count = std::ranges::count_if(keys, [](const std::string& key) { return key.size() < kShort; });
  if (count == 0) return;
  logs.say(join(count, " of ", counted(std::ssize(keys), "API key"), count == 1 ? " has" : " have", " fewer than ",
                kShort, " characters and could be guessed; long random ones cannot."));
}

void serve(CommandSettings& settings) {
  settings.read_file();
  TranslationSettings translation_settings;
  ServeSettings options;
  settings.apply(translation_settings);
  const decode::SearchSettings search = search_settings(settings, translation_settings);
  settings.apply(options);
  options.validate();
  require_no_input(options.access_log, {options.api_keys});
  settings.require_effect("gpu-memory-mb", translation_settings.device == DeviceChoice::kCuda,
                          "without --device cuda.");
  const Signals signals;
  std::jthread loading = end_while_loading();
  Logs logs(options.access_log);
  serve::AppOptions app{.gate = {.keys = read_keys(options.api_keys),
                                 .requests_per_minute = options.requests_per_minute,
                                 .origins = options.origins,
                                 .hosts = {options.address, options.allowed_host}},
                        .limits = {.cost = {.tokens = options.tokens,
                                            .output_tokens = options.output_tokens,
                                            .bytes = std::int64_t{options.request_mb} << 20}},
                        .lost_lines = [&logs] { return logs.lost(); }};
  if (logs.has_access_log()) app.access_log = [&logs](const std::string& line) { logs.add_access(line); };
  warn_of_short_keys(app.gate.keys, logs);
  decode::TranslatorOptions translation = options_of(translation_settings, search);
  translation.report = [&logs](const std::string& message) { logs.say(message); };
  serve::Server server({.directories = directories(translation_settings),
                        .translation = translation,
                        .max_waiting = options.queue,
                        .checkpoints = static_cast<std::size_t>(options.checkpoints),
                        .search_of =
                            [&settings](const std::filesystem::path& directory) {
                              const decode::SearchSettings own = search_settings(settings, directory);
                              own.validate();
                              return own;
                            },
                        .device_memory = std::int64_t{options.gpu_memory_mb} << 20},
                       std::move(app),
                       {.address = options.address,
                        .port = options.port,
                        .max_connections = options.connections,
                        .body_bytes = std::int64_t{options.body_kb} << 10,
                        .held_bytes = std::int64_t{options.memory_mb} << 20,
                        .read_seconds = options.read_seconds,
                        .idle_seconds = options.idle_seconds,
                        .request_seconds = options.request_seconds,
                        .trusted_proxies = options.trusted_proxies,
                        .report = [&logs](const std::string& message) { logs.say(message); }});
  loading = {};
  log_start(options, server, logs);
  wait_for_end(server, signals, logs);
  const std::optional<std::string> lost = server.models().lost();
  if (lost) server.models().end();  // requests that are under way are refused
  logs.say("stopping; requests that have been received are answered first.");
  server.drain(options.drain_seconds);
  if (lost) throw DeviceLost(*lost);
}

}  // namespace

void add_serve(CLI::App& program) {
  CommandSettings& settings = add_command(program, "serve", "translate over HTTP", serve);
  settings.add_flags(TranslationSettings{}, "Options");
  settings.add_flags(ServeSettings{}, "Server");
  settings.add_flags(decode::SearchSettings{}, "Search (defaults for requests)");
  settings.require_keys({"model"});
  settings.add_examples(
      {{"on this machine alone; open http://127.0.0.1:8080 in a browser", "dragoman serve --model dragoman-demo"},
       {"for everybody who can reach the machine, on another port",
        "dragoman serve --model dragoman-demo --address 0.0.0.0 --port 8000 --requests-per-minute 60"}});
}

}  // namespace dragoman::cli
