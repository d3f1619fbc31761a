#pragma once

#include "actors/interfaces.hpp"
#include "engine/request/request_state.hpp"

#include <atomic>
#include <functional>
#include <memory>

namespace neap::actors {

struct request_peers {
  text_encoder_actor encoder;
  classifier_actor classifier;
  batcher_actor batcher;
  telemetry_actor telemetry;
  ingress_actor ingress;
  std::shared_ptr<const text::tokenizer> vocabulary;
  request::length_limits limits;
};

struct request_actor_state {
  static inline const char* name = "request";
  std::shared_ptr<const request_peers> peers;
  std::unique_ptr<request::request_state> request;
  token_sink_ptr sink;
  bool over = false;
  // Tells the encoder that nobody waits any more.
  std::shared_ptr<std::atomic<bool>> abandoned = std::make_shared<std::atomic<bool>>(false);

  // An actor that dies before its request is over (killed, or by an exception) still ends it for everybody.
  ~request_actor_state();
};

// One in-flight request: encodes, classifies and submits its sequences, turns updates into events for the
// sink, and tells ingress when it is over. `first_sequence`: ids reserved for its choices.
request_actor::behavior_type request_behavior(request_actor::stateful_pointer<request_actor_state> self,
                                              const std::shared_ptr<const request_peers>& peers,
                                              const generation_request_ptr& request,
                                              const token_sink_ptr& sink, sequence_id first_sequence);

}  // namespace neap::actors
