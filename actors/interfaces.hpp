#pragma once
// All typed actor handles of a node. Payloads are shared pointers to constant values.

#include "actors/type_ids.hpp"

#include <caf/typed_actor.hpp>

namespace neap::actors {

// The self pointer of an actor's behavior (watched_actor.hpp).
template <class State, class Base>
class watched_actor;
template <class Handle, class State>
using watched_self = watched_actor<State, typename Handle::base>*;

using inspectable_actor = caf::typed_actor<
    // Name, id, mailbox length and own figures.
    caf::replies_to<inspect_a>::with<actor_report>>;

// Renders templates and tokenises; detached, since long prompts take a while.
using text_encoder_actor = inspectable_actor::extend<
    // All prompts of a request as tokens, or why not; an abandoned job is skipped at the next prompt.
    caf::replies_to<encode_a, encode_job_ptr>::with<encoded_prompts_ptr>,
    // One prompt as tokens (the /tokenize route).
    caf::replies_to<tokenize_a, prompt_ptr>::with<tokens_result_ptr>,
    // Tokens as text (the /detokenize route).
    caf::replies_to<detok_a, token_vector_ptr>::with<text_result_ptr>>;

// Decides group, lane, urgency and cost of a sequence.
using classifier_actor = inspectable_actor::extend<
    // The same sequence with its classification.
    caf::replies_to<classify_a, sequence_request_ptr>::with<sequence_request_ptr>>;

// Runs plans on one device; detached.
using executor_actor = inspectable_actor::extend<
    // The outcome of one step; plans run in the order of arrival.
    caf::replies_to<step_a, batch_plan_ptr>::with<step_result_ptr>,
    // Forgets all open sequences: their batcher is gone.
    caf::reacts_to<reset_a>>;

// Owns the accounting of KV blocks.
using memory_manager_actor = inspectable_actor::extend<
    // Up to so many blocks.
    caf::replies_to<lease_a, std::uint32_t>::with<block_list_ptr>,
    // Blocks that a lease holder no longer needs.
    caf::reacts_to<release_a, block_list_ptr>,
    // Orders free blocks; from the maintenance timer.
    caf::reacts_to<compact_a>,
    // Blocks that a lease holder has from an earlier memory manager.
    caf::reacts_to<adopt_a, block_list_ptr>,
    // Takes all blocks back: their lease holder is gone.
    caf::reacts_to<reset_a>>;

// One in-flight request.
using request_actor = inspectable_actor::extend<
    // What a step did to its sequences.
    caf::reacts_to<update_a, sequence_update_list_ptr>,
    // The client is gone.
    caf::reacts_to<cancel_a>,
    // The node cannot go on with it (drain limit, a lost actor).
    caf::reacts_to<fail_a, error_ptr>,
    // Its deadline has passed.
    caf::reacts_to<deadline_a>,
    // An actor was started again.
    caf::reacts_to<peers_a, node_peers_ptr>,
    // How far it is.
    caf::replies_to<view_a>::with<request_view_ptr>>;

using request_list_ptr = std::shared_ptr<const std::vector<request_actor>>;

// Owns waiting queue and running set.
using batcher_actor = inspectable_actor::extend<
    // Takes a sequence and says whether it did; updates go to the request's actor.
    caf::replies_to<submit_a, sequence_request_ptr, request_actor>::with<admission_ptr>,
    // Ends a sequence in any state; unknown ids are ignored.
    caf::reacts_to<cancel_a, sequence_id>,
    // How long the oldest step has been under way, in milliseconds; 0 without one.
    caf::replies_to<stuck_a>::with<std::uint64_t>,
    // The running set.
    caf::replies_to<view_a>::with<running_list_ptr>,
    // An actor was started again.
    caf::reacts_to<peers_a, node_peers_ptr>>;

// Owns the table of live requests.
using ingress_actor = inspectable_actor::extend<
    // A new request; answers go to the sink.
    caf::reacts_to<submit_a, generation_request_ptr, token_sink_ptr>,
    // The client of a request is gone; unknown ids are ignored.
    caf::reacts_to<cancel_a, request_id>,
    // All live requests.
    caf::replies_to<view_a>::with<request_list_ptr>,
    // A request has ended (from its actor).
    caf::reacts_to<done_a, request_id>,
    // Every live request fails with this error.
    caf::reacts_to<fail_a, error_ptr>,
    // Refuses new requests from now on; answers true once all ended by themselves, false if the limit
    // (milliseconds) passed and the rest was ended with an error.
    caf::replies_to<drain_a, std::uint64_t>::with<bool>,
    // The limit of a drain has passed.
    caf::reacts_to<tick_a>,
    // An actor was started again.
    caf::reacts_to<peers_a, node_peers_ptr>>;

// Owns the metrics.
using telemetry_actor = inspectable_actor::extend<
    // Ingress took a request.
    caf::reacts_to<start_a>,
    // A request has ended, or was refused.
    caf::reacts_to<sample_a, request_outcome_ptr>,
    // A step has ended.
    caf::reacts_to<sample_a, step_sample_ptr>,
    // All metrics as Prometheus text.
    caf::replies_to<metrics_a>::with<std::string>>;

// The clock of maintenance.
using defrag_timer_actor = inspectable_actor::extend<
    // Time to compact.
    caf::reacts_to<tick_a>,
    // An actor was started again.
    caf::reacts_to<peers_a, node_peers_ptr>>;

// Starts the others, starts them again when they crash, and owns the node's readiness. Ends with them.
using supervisor_actor = inspectable_actor::extend<
    // Names of the actors it watches, a line each.
    caf::replies_to<watch_a>::with<std::string>,
    // The node is no longer ready; answers as ingress does, which drains.
    caf::replies_to<drain_a, std::uint64_t>::with<bool>,
    // Time to start an actor of the table (its index) again.
    caf::reacts_to<restart_a, std::uint64_t>,
    // Time to look for a stuck step.
    caf::reacts_to<tick_a>>;

}  // namespace neap::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(neap::actors::request_list_ptr)
