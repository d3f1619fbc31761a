#pragma once
// The answer to the common `inspect` message.

#include "messages/ids.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace neap::actors {

struct actor_report {
  std::string name;
  std::uint64_t id = 0;
  std::uint64_t mailbox = 0;  // messages waiting
  std::uint32_t restarts = 0;
  std::vector<std::pair<std::string, std::string>> state;  // the actor's own figures, in a fixed order
};

template <class Inspector>
auto inspect(Inspector& f, actor_report& x) {
  return f(x.name, x.id, x.mailbox, x.restarts, x.state);
}

using report_fields = std::vector<std::pair<std::string, std::string>>;

template <class T>
std::pair<std::string, std::string> field(std::string name, const T& x) {
  return {std::move(name), std::to_string(x)};
}

// Called by an actor about itself: only there is the mailbox size safe to read.
template <class Self>
actor_report make_report(Self* self, report_fields state) {
  return {self->state.name, self->id(), self->mailbox().size(), 0, std::move(state)};
}

}  // namespace neap::actors
