#include "actors/actor_sink.hpp"

#include "actors/ending_sink.hpp"

#include <caf/send.hpp>

#include <utility>

namespace neap::actors {
namespace {

class actor_sink final : public token_sink {
 public:
  actor_sink(request_id request, stream_receiver_actor receiver)
      : request_(request), receiver_(std::move(receiver)) {}

  void push(stream_event event) override {
    caf::anon_send(receiver_, event_a::value, request_,
                   stream_event_ptr{std::make_shared<const stream_event>(std::move(event))});
  }

 private:
  request_id request_;
  stream_receiver_actor receiver_;
};

}  // namespace

token_sink_ptr make_actor_sink(request_id request, stream_receiver_actor receiver) {
  return std::make_shared<ending_sink>(std::make_shared<actor_sink>(request, std::move(receiver)));
}

}  // namespace neap::actors
