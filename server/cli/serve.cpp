#include "server/cli/serve.hpp"

#include "server/cli/access_settings.hpp"
#include "server/cli/greeting.hpp"
#include "server/cli/node_settings.hpp"
#include "server/cli/progress.hpp"
#include "server/cli/report.hpp"
#include "server/cli/signals.hpp"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdio>
#include <sys/resource.h>

namespace neap::cli {
namespace {

// What a stream's last bytes get on their way out after the engine has ended.
constexpr std::chrono::milliseconds flush_time{2000};

void set_up_log(const std::string& level) {
  auto logger = spdlog::stderr_color_mt("neap");
  logger->set_pattern("%Y-%m-%d %H:%M:%S.%e %^%l%$ %v");
  spdlog::set_default_logger(std::move(logger));
  spdlog::set_level(spdlog::level::from_str(level));
}

// Each connection needs a descriptor; the default of 1,024 is soon used up.
void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

result<std::unique_ptr<server::node>> load(const config::Config& config, shutdown_signals& signals,
                                           server::node_hooks hooks) {
  progress bar;
  hooks.log = [](const std::string& line) { spdlog::error(line); };
  if (spdlog::should_log(spdlog::level::debug)) {
    hooks.request_log = [](const std::string& line) { spdlog::debug(line); };
  }
  hooks.on_fatal = [&signals](const std::string&) { signals.give_up(); };
  const auto show = [&](const server::load_progress& step) {
    bar.show("loading: " + step.stage, step.share);
  };
  return server::start_node(server::make_node_options(config), show, hooks);
}

// A bad file changes nothing: the server goes on with what it has.
void reload(const config::Config& config, http::http_server& server) {
  auto access = make_access_rules(config);
  auto tls = make_tls(config);
  if (!access || !tls) {
    spdlog::error("reload: {}; keys and certificate stay as they were",
                  access ? tls.error().message : access.error().message);
    return;
  }
  spdlog::info("reload: {} API keys{}", access->keys.size(), *tls ? " and the certificate" : "");
  server.reload(std::move(*access), std::move(*tls));
}

// The address and a line to try. `port` is the bound one, which --port 0 leaves open until now.
void announce(const http::server_options& edge, std::uint16_t port, const served_model& model) {
  const auto address = browsable_address(edge.host, port, edge.tls != nullptr);
  std::printf("neap: serving %s (context %u tokens) on %s\n", model.name.c_str(), model.context_length,
              address.c_str());
  std::printf("\nReady. Try it:\n\n%s\n", example_request(address, !edge.access.keys.empty()).c_str());
  std::fflush(stdout);
}

}  // namespace

int run_serve(const config::Config& config, const std::function<void(int)>& end_now,
              const server::node_hooks& hooks) {
  shutdown_signals signals(end_now);
  set_up_log(config.runtime().log_level());
  raise_descriptor_limit();
  auto edge = server::make_server_options(config);
  if (auto access = make_access_rules(config))
    edge.access = std::move(*access);
  else
    return report(access.error());
  if (auto tls = make_tls(config))
    edge.tls = std::move(*tls);
  else
    return report(tls.error());
  auto http = http::http_server::bind(edge);
  if (!http) return report(http.error());
  auto node = load(config, signals, hooks);
  if (!node) return report(node.error());
  auto& gateway = (*node)->gateway();
  signals.serving();
  if (auto served = (*http)->serve(gateway); !served) return report(served.error());
  signals.on_hangup([&config, &server = **http] { reload(config, server); });
  announce(edge, (*http)->port(), gateway.models().front());
  const bool asked = signals.wait();
  const std::chrono::milliseconds limit(config.http().drain_timeout_ms());
  spdlog::info("shutting down: running requests get {} ms; another signal after 1 s ends at once",
               limit.count());
  signals.on_hangup({});
  (*http)->begin_drain();
  const bool all_ended = (*node)->drain(limit);
  (*http)->stop(flush_time);
  node->reset();
  spdlog::info(all_ended ? "all requests ended" : "the rest of the requests was ended with an error");
  return asked ? 0 : 1;
}

}  // namespace neap::cli
