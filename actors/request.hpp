#pragma once

#include "actors/node_peers.hpp"
#include "engine/request/request_state.hpp"

#include <atomic>
#include <functional>
#include <functional>
#include <memory>

namespace neap::actors {

// What all requests of a node share.
struct request_setting {
  std::shared_ptr<const text::tokenizer> vocabulary;
  request::length_limits limits;
};
using request_setting_ptr = std::shared_ptr<const request_setting>;

struct request_actor_state {
  static inline const char* name = "request";
  node_peers_ptr peers;
  ingress_actor owner;
  request_setting_ptr setting;
  std::unique_ptr<request::request_state> request;
  token_sink_ptr sink;
  bool over = false;
  std::uint32_t repeats = 0;                 // stages done again because a peer died
  std::vector<std::function<void()>> again;  // such stages, until the peer's successor is known
  // Tells the encoder that nobody waits any more.
  std::shared_ptr<std::atomic<bool>> abandoned = std::make_shared<std::atomic<bool>>(false);

  // An actor that dies before its request is over (killed, or by an exception) still ends it for everybody.
  ~request_actor_state();
};

// One in-flight request: encodes, classifies and submits its sequences, turns updates into events for the
// sink, and tells ingress when it is over. `first_sequence`: ids reserved for its choices. A stage whose peer dies is
// done again by its successor; once sequences run, the loss of the batcher ends the request with an error.
request_actor::behavior_type request_behavior(watched_self<request_actor, request_actor_state> self,
                                              const ingress_actor& owner, const node_peers_ptr& peers,
                                              const request_setting_ptr& setting,
                                              const generation_request_ptr& request,
                                              const token_sink_ptr& sink, sequence_id first_sequence);

}  // namespace neap::actors
