#pragma once
// What can be said about an actor without asking it: an actor that hangs answers no message.

#include "actors/watch_card.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <utility>

namespace neap::actors {

// Base class of all actors of a node; a function-style spawn takes it from the type of the self pointer. Costs two
// readings of the clock a message.
template <class State, class Base>
class watched_actor : public caf::stateful_actor<State, Base>, public watched {
 public:
  using super = caf::stateful_actor<State, Base>;
  using super::super;
  using super::consume;

  void enqueue(caf::mailbox_element_ptr element, caf::execution_unit* unit) override {
    card().received.fetch_add(1, std::memory_order_relaxed);
    super::enqueue(std::move(element), unit);
  }

  // A message that is skipped for now is counted once more when its time comes.
  caf::invoke_message_result consume(caf::mailbox_element& element) override {
    const busy_span span(card());
    return super::consume(element);
  }
};

}  // namespace neap::actors
