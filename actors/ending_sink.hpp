#pragma once
// A sink that keeps the promise of one end event even if every actor that held it is gone: messages that wait in the
// mailbox of a crashed actor are dropped with it.

#include "messages/stream_event.hpp"

#include <atomic>

namespace neap::actors {

class ending_sink final : public token_sink {
 public:
  explicit ending_sink(token_sink_ptr to) : to_(std::move(to)) {}
  ending_sink(const ending_sink&) = delete;
  ending_sink& operator=(const ending_sink&) = delete;

  ~ending_sink() override {
    if (!ended_) to_->push(error{error_code::internal, "the server lost this request", ""});
  }

  void push(stream_event event) override {
    ended_ = std::holds_alternative<stream_summary>(event) || std::holds_alternative<error>(event);
    to_->push(std::move(event));
  }

 private:
  token_sink_ptr to_;
  std::atomic<bool> ended_{false};  // one holder at a time, but on different threads
};

}  // namespace neap::actors
