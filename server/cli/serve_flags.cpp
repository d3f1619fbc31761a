#include "server/cli/serve_flags.hpp"

#include "config/config_file.hpp"
#include "config/field_access.hpp"
#include "messages/quote.hpp"

#include <CLI/CLI.hpp>

#include <array>
#include <charconv>
#include <cmath>

namespace neap::cli {
namespace {

constexpr std::array flags{
    serve_flag{"--host", "http.host", "ADDRESS", "address to listen on"},
    serve_flag{"--port", "http.port", "N", "TCP port, 0 for any free one"},
    serve_flag{"--served-model-name", "model.served_name", "NAME", "name of the model in requests"},
    serve_flag{"--chat-template", "model.chat_template", "FILE",
               "Jinja file instead of the model's template"},
    serve_flag{"--max-model-len", "model.max_model_len", "TOKENS",
               "prompt and answer together, 0: the model's"},
    serve_flag{"--dtype", "model.dtype", "TYPE", "auto (weights stay quantised) or float32"},
    serve_flag{"--device", "model.device", "DEVICE", "auto, cpu or cuda"},
    serve_flag{"--threads", "model.threads", "N", "compute threads, 0: all cores"},
    serve_flag{"--max-num-seqs", "batching.max_num_seqs", "N", "sequences that run at once"},
    serve_flag{"--max-num-batched-tokens", "batching.max_num_batched_tokens", "N", "tokens of one step"},
    serve_flag{"--batch-window-ms", "batching.batch_window_ms", "MS", "wait of short requests for company"},
    serve_flag{"--max-queue", "batching.max_queue", "N", "waiting sequences; more get 503"},
    serve_flag{"--max-completion-tokens", "batching.max_completion_tokens", "N",
               "length of a chat answer where the request gives none (completions: 16)"},
    serve_flag{"--kv-cache-max", "memory.kv_cache_max", "SIZE", "KV pool, like 512M or 8G, 0: automatic"},
    serve_flag{"--kv-cache-dtype", "memory.kv_cache_dtype", "TYPE", "auto, f16 or f32"},
    serve_flag{"--drain-timeout", "http.drain_timeout_ms", "SECONDS", "time for running requests at shutdown",
               true},
    serve_flag{"--stalled-timeout", "http.stalled_timeout_ms", "SECONDS",
               "cut readers that take nothing for so long", true},
    serve_flag{"--header-timeout", "http.header_timeout_ms", "SECONDS", "time for the head of a request to arrive",
               true},
    serve_flag{"--idle-timeout", "http.idle_timeout_ms", "SECONDS", "close connections without a request for so long",
               true},
    serve_flag{"--max-body-bytes", "http.max_body_bytes", "N", "largest request body; larger ones get 413"},
    serve_flag{"--max-connections", "http.max_connections", "N", "connections open at once; more get 503"},
    serve_flag{"--websocket-idle-timeout", "http.websocket_idle_timeout_ms", "SECONDS",
               "close WebSockets without a message and an open request for so long", true},
    serve_flag{"--websocket-deflate", "http.websocket_deflate", "", "compress WebSocket messages"},
    serve_flag{"--api-key", "http.api_key", "KEY", "clients must send this key (or set NEAP_API_KEY)"},
    serve_flag{"--api-key-file", "http.api_key_file", "FILE", "keys, one a line: KEY [tier=vip|standard]"},
    serve_flag{"--admin-key", "http.admin_key", "KEY", "key of the admin routes (or set NEAP_ADMIN_KEY)"},
    serve_flag{"--allowed-origins", "http.allowed_origins", "LIST", "browser origins that may call, or *"},
    serve_flag{"--tls-certificate", "http.tls_certificate", "FILE", "PEM certificate chain: serve HTTPS"},
    serve_flag{"--tls-key", "http.tls_key", "FILE", "its private key, PEM"},
    serve_flag{"--keep-alive-comment", "http.keep_alive_comment_ms", "SECONDS",
               "comment on event streams that are silent for so long, 0: never", true},
    serve_flag{"--scheduler-policy", "runtime.scheduler_policy", "POLICY", "sharing or stealing"},
    serve_flag{"--scheduler-threads", "runtime.scheduler_threads", "N", "threads of the actor system"},
    serve_flag{"--log-level", "runtime.log_level", "LEVEL", "trace, debug, info, warn, error or off"},
    serve_flag{"--insecure", "http.insecure", "", "serve other machines although there is no API key"},
};

constexpr const char* examples = R"(
Examples:
  neap serve models/SmolLM2-135M-Instruct.Q4_1.gguf
  neap serve model.gguf --port 9000 --max-num-seqs 32 --kv-cache-max 2G
  neap serve model.gguf --host 0.0.0.0 --api-key-file keys.txt --tls-certificate cert.pem --tls-key key.pem
  neap serve --config config/example.textproto --log-level debug
)";

error flag_error(std::string_view flag, std::string message) {
  return {error_code::invalid_configuration, std::string(flag) + ": " + std::move(message), {}};
}

// "2.5" -> "2500"
result<std::string> to_milliseconds(const serve_flag& flag, const std::string& text) {
  double seconds = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (failure != std::errc{} || end != text.data() + text.size() || !(seconds >= 0 && seconds <= 86'400)) {
    return flag_error(flag.flag, quote(text) + " is not a number of seconds from 0 to 86400");
  }
  return std::to_string(std::llround(seconds * 1000));
}

result<void> apply(const serve_flag& flag, std::string text, config::Config& config) {
  if (flag.seconds) {
    auto converted = to_milliseconds(flag, text);
    if (!converted) return converted.error();
    text = *converted;
  }
  // An empty one comes from a variable that is not set, and would open the server to all.
  const bool guards = flag.path.find("_key") != std::string_view::npos;
  if (guards && text.empty()) return flag_error(flag.flag, "is empty; leave it out to serve without");
  auto set = config::set_field(config, flag.path, text);
  if (!set) return flag_error(flag.flag, set.error().message);
  return {};
}

void add_flag(CLI::App& command, serve_arguments& out, const serve_flag& flag) {
  const std::string name(flag.flag);
  const std::string otherwise = config::get_field(config::Config{}, flag.path);
  std::string help(flag.help);
  if (flag.seconds) {
    help += " [" + std::to_string(std::stoul(otherwise) / 1000) + "]";
  } else if (!otherwise.empty() && !flag.unit.empty()) {
    help += " [" + otherwise + "]";
  }
  if (flag.unit.empty()) {
    command.add_flag_callback(
        name, [&out, name] { out.given[name] = "true"; }, help);
  } else {
    const auto store = [&out, name](const std::string& text) { out.given[name] = text; };
    command.add_option_function<std::string>(name, store, help)->type_name(std::string(flag.unit));
  }
}

void add_flags(CLI::App& command, serve_arguments& out, bool (*wanted)(const serve_flag&)) {
  command.add_option("--config", out.config_path, "configuration file; flags override it")->type_name("FILE");
  for (const auto& flag : flags) {
    if (wanted(flag)) add_flag(command, out, flag);
  }
}

// Rules broken by a flag are told in the flag's words.
error in_flag_words(const serve_arguments& arguments, const error& fault) {
  for (const auto& flag : flags) {
    const bool given = arguments.given.count(std::string(flag.flag)) > 0;
    if (given && fault.param == flag.path) {
      return flag_error(flag.flag, fault.message.substr(fault.param.size() + 2));
    }
  }
  return fault;
}

}  // namespace

void add_serve_flags(CLI::App& command, serve_arguments& out) {
  command.add_option("MODEL", out.model_path, "GGUF file to serve");
  add_flags(command, out, [](const serve_flag&) { return true; });
  command.footer(examples);
}

void add_model_flags(CLI::App& command, serve_arguments& out) {
  add_flags(command, out, [](const serve_flag& flag) {
    const bool model = flag.path.starts_with("model.") && flag.path != "model.served_name";
    return model || flag.path.starts_with("memory.");
  });
}

result<config::Config> make_config(const serve_arguments& arguments) {
  config::Config config;
  if (!arguments.config_path.empty()) {
    auto loaded = config::load_config(arguments.config_path);
    if (!loaded) return loaded.error();
    config = std::move(*loaded);
  }
  if (!arguments.model_path.empty()) config.mutable_model()->set_path(arguments.model_path);
  for (const auto& flag : flags) {
    const auto given = arguments.given.find(std::string(flag.flag));
    if (given == arguments.given.end()) continue;
    if (auto applied = apply(flag, given->second, config); !applied) return applied.error();
  }
  if (auto valid = config::validate(config); !valid) return in_flag_words(arguments, valid.error());
  if (config.model().path().empty()) {
    return error{error_code::invalid_configuration,
                 "no model given; name a GGUF file, e.g. neap serve models/SmolLM2-135M-Instruct.Q4_1.gguf",
                 {}};
  }
  return config;
}

}  // namespace neap::cli
