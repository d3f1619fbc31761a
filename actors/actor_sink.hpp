#pragma once
// An answer as messages, for clients that are actors themselves.

#include "actors/interfaces.hpp"
#include "messages/stream_event.hpp"

#include <memory>

namespace neap::actors {

using event_a = caf::atom_constant<caf::atom("event")>;
using stream_event_ptr = std::shared_ptr<const stream_event>;

// Who reads answers.
using stream_receiver_actor = caf::typed_actor<
    // The next event of a request, in the order of messages/stream_event.hpp: a summary or an error is the
    // last, and comes once.
    caf::reacts_to<event_a, request_id, stream_event_ptr>>;

// The sink of one request: every event becomes a message to `receiver`, which is kept alive until the last
// one. A receiver that no longer wants the answer sends ingress a cancel.
token_sink_ptr make_actor_sink(request_id request, stream_receiver_actor receiver);

}  // namespace neap::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(neap::actors::stream_event_ptr)
