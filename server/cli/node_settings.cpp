#include "server/cli/node_settings.hpp"

#include "config/byte_size.hpp"
#include "server/websocket/websocket_upgrader.hpp"

namespace neap::server {

node_options make_node_options(const config::Config& config) {
  node_options out;
  const auto& model = config.model();
  out.model_path = model.path();
  out.served_model_name = model.served_name();
  out.chat_template_path = model.chat_template();
  out.precision = model.dtype() == "float32" ? backend::precision::float32 : backend::precision::quantized;
  out.device = model.device();
  out.threads = model.threads();
  out.max_model_len = model.max_model_len();
  const auto& batching = config.batching();
  out.max_num_seqs = batching.max_num_seqs();
  out.max_num_batched_tokens = batching.max_num_batched_tokens();
  out.batch_window = std::chrono::milliseconds(batching.batch_window_ms());
  out.max_queue = batching.max_queue();
  out.max_completion_tokens = batching.max_completion_tokens();
  const auto& memory = config.memory();
  out.kv_cache_max_bytes = config::parse_byte_size(memory.kv_cache_max()).value_or(0);
  out.kv_type = memory.kv_cache_dtype() == "f32" ? kernels::kv_type::f32 : kernels::kv_type::f16;
  out.scheduler_policy = config.runtime().scheduler_policy();
  out.scheduler_threads = config.runtime().scheduler_threads();
  return out;
}

http::server_options make_server_options(const config::Config& config) {
  http::server_options out;
  const auto& from = config.http();
  out.host = from.host();
  out.port = static_cast<std::uint16_t>(from.port());
  out.insecure = from.insecure();
  out.limits.body_bytes = from.max_body_bytes();
  out.limits.header_bytes = from.max_header_bytes();
  out.limits.header_time = std::chrono::milliseconds(from.header_timeout_ms());
  out.limits.body_bytes_per_second = from.min_body_bytes_per_second();
  out.limits.idle_time = std::chrono::milliseconds(from.idle_timeout_ms());
  out.limits.stalled_time = std::chrono::milliseconds(from.stalled_timeout_ms());
  out.limits.output_bytes = from.max_output_bytes();
  out.limits.connections = from.max_connections();
  out.limits.comment_time = std::chrono::milliseconds(from.keep_alive_comment_ms());
  out.limits.all_bodies_bytes = from.max_all_bodies_bytes();
  websocket::options sockets;
  sockets.deflate = from.websocket_deflate();
  sockets.idle_time = std::chrono::milliseconds(from.websocket_idle_timeout_ms());
  out.upgrades = websocket::make_upgrader(sockets);
  return out;
}

}  // namespace neap::server
