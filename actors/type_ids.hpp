#pragma once
// CAF's view of the messages: atoms, and which types never leave the process.

#include "actors/report.hpp"
#include "engine/request/prompt_encoder.hpp"
#include "engine/schedule/batch_scheduler.hpp"
#include "messages/batch_plan.hpp"
#include "messages/generation_request.hpp"
#include "messages/node_views.hpp"
#include "messages/result.hpp"
#include "messages/sequence_update.hpp"
#include "messages/stream_event.hpp"

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/atom.hpp>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace neap::actors {

using submit_a = caf::atom_constant<caf::atom("submit")>;
using cancel_a = caf::atom_constant<caf::atom("cancel")>;
using start_a = caf::atom_constant<caf::atom("start")>;
using done_a = caf::atom_constant<caf::atom("done")>;
using drain_a = caf::atom_constant<caf::atom("drain")>;
using fail_a = caf::atom_constant<caf::atom("fail")>;
using encode_a = caf::atom_constant<caf::atom("encode")>;
using tokenize_a = caf::atom_constant<caf::atom("tokenize")>;
using detok_a = caf::atom_constant<caf::atom("detokenize")>;
using classify_a = caf::atom_constant<caf::atom("classify")>;
using update_a = caf::atom_constant<caf::atom("update")>;
using step_a = caf::atom_constant<caf::atom("step")>;
using lease_a = caf::atom_constant<caf::atom("lease")>;
using release_a = caf::atom_constant<caf::atom("release")>;
using compact_a = caf::atom_constant<caf::atom("compact")>;
using tick_a = caf::atom_constant<caf::atom("tick")>;
using sample_a = caf::atom_constant<caf::atom("sample")>;
using metrics_a = caf::atom_constant<caf::atom("metrics")>;
using inspect_a = caf::atom_constant<caf::atom("inspect")>;
using deadline_a = caf::atom_constant<caf::atom("deadline")>;
using peers_a = caf::atom_constant<caf::atom("peers")>;
using reset_a = caf::atom_constant<caf::atom("reset")>;
using adopt_a = caf::atom_constant<caf::atom("adopt")>;
using stuck_a = caf::atom_constant<caf::atom("stuck")>;
using restart_a = caf::atom_constant<caf::atom("restart")>;
using view_a = caf::atom_constant<caf::atom("view")>;
using watch_a = caf::atom_constant<caf::atom("watch")>;

using block_list_ptr = std::shared_ptr<const std::vector<block_id>>;
using prompt_ptr = std::shared_ptr<const prompt>;

// A request whose prompts are to be encoded. `abandoned` is set by the request's actor once nobody waits for the
// answer: a flag rather than a message, because the encoder does not look at its mailbox while it works.
struct encode_job {
  generation_request_ptr request;
  std::shared_ptr<const std::atomic<bool>> abandoned;
};
using encode_job_ptr = std::shared_ptr<const encode_job>;

// A prompt list as tokens, one per choice, or why not.
using encoded_prompts_ptr = std::shared_ptr<const result<std::vector<request::encoded_prompt>>>;

// Results as values: an error is no actor failure.
using tokens_result_ptr = std::shared_ptr<const result<std::vector<token_id>>>;
using text_result_ptr = std::shared_ptr<const result<std::string>>;
using admission_ptr = std::shared_ptr<const result<void>>;
using error_ptr = std::shared_ptr<const error>;
using request_view_ptr = std::shared_ptr<const request_view>;
using running_list_ptr = std::shared_ptr<const std::vector<schedule::running_sequence>>;

// The handles of a node's actors (node_peers.hpp); a new one after every restart.
struct node_peers;
using node_peers_ptr = std::shared_ptr<const node_peers>;

// How a request ended, for metrics.
struct request_outcome {
  routing_tag tag;
  stream_summary summary;
  finish_reason reason = finish_reason::none;
  bool started = true;                     // ingress took it
  bool refused = false;                    // for lack of room or in a drain
  error_code code = error_code::internal;  // of a failure
  double first_token_ms = 0;
  bool has_first_token = false;
  request_id id = 0;
};
using request_outcome_ptr = std::shared_ptr<const request_outcome>;

// What a step cost and left, for metrics.
struct step_sample {
  std::uint32_t steps = 0;  // 0: the gauges changed without a step
  std::uint32_t running = 0;
  std::uint32_t waiting = 0;
  std::uint32_t blocks_used = 0;
  std::uint32_t blocks_total = 0;
  std::uint64_t preemptions = 0;  // since start
  double device_seconds = 0;
};
using step_sample_ptr = std::shared_ptr<const step_sample>;

}  // namespace neap::actors

// These travel inside one process only, by pointer; nothing is copied or serialised.
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(neap::generation_request_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(neap::token_sink_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(neap::sequence_request_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(neap::sequence_update_list_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(neap::batch_plan_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(neap::step_result_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(neap::token_vector_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(neap::actors::block_list_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(neap::actors::prompt_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(neap::actors::encode_job_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(neap::actors::encoded_prompts_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(neap::actors::tokens_result_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(neap::actors::text_result_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(neap::actors::admission_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(neap::actors::error_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(neap::actors::request_view_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(neap::actors::running_list_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(neap::actors::node_peers_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(neap::actors::request_outcome_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(neap::actors::step_sample_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(neap::actors::actor_report)
