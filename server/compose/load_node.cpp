#include "server/compose/load_node.hpp"

#include "server/compose/node_parts.hpp"

#include <algorithm>
#include <utility>

namespace neap::server {
namespace {

schedule::scheduler_limits limits_of(const node_options& options, const node_parts& parts) {
  schedule::scheduler_limits limits;
  limits.max_sequences = options.max_num_seqs;
  limits.model = parts.index;
  limits.max_batch_tokens = step_tokens(options);
  limits.prefill_tokens_beside_decodes = std::max<std::uint32_t>(limits.max_batch_tokens / 2, 16);
  limits.max_waiting = options.max_queue;
  limits.context_length = parts.context_length;
  limits.total_blocks = parts.zones.kv_blocks;
  limits.emergency_blocks = parts.zones.emergency_blocks;
  limits.window = options.batch_window;
  return limits;
}

actors::node_wiring wiring_of(const node_options& options, const node_parts& parts, const node_hooks& hooks) {
  actors::node_wiring wiring;
  wiring.device = hooks.wrap_device ? hooks.wrap_device(parts.device) : parts.device;
  wiring.step_limit = options.step_limit;
  wiring.log = hooks.log;
  wiring.request_log = hooks.request_log;
  wiring.on_fatal = hooks.on_fatal;
  wiring.zones = parts.zones;
  wiring.limits = limits_of(options, parts);
  wiring.vocabulary = parts.vocabulary;
  wiring.encoder = parts.encoder;
  wiring.lengths = {parts.context_length, options.max_completion_tokens};
  wiring.policy = schedule::make_classify_policy({});
  wiring.max_live_requests = std::size_t{options.max_num_seqs} + options.max_queue;
  return wiring;
}

}  // namespace

result<loaded_node> load_node(const node_options& options,
                              const std::function<void(const load_progress&)>& progress,
                              const node_hooks& hooks) {
  const progress_callback report = progress ? progress : [](const load_progress&) {};
  auto parts = load_parts(options, report);
  if (!parts) return std::move(parts).error();
  return loaded_node{wiring_of(options, *parts, hooks), parts->served};
}

}  // namespace neap::server
