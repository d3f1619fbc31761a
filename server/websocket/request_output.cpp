#include "server/websocket/request_output.hpp"

#include <algorithm>
#include <utility>

namespace neap::websocket {

request_output::request_output(answer_channel& channel, const request_message& request, poster post)
    : channel_(&channel), id_(request.id), post_(std::move(post)) {
  if (request.credits) credits_ = static_cast<std::int64_t>(*request.credits);
}

// One object of any length; credits count streams only.
void request_output::whole(std::string json) {
  if (ended_) return;
  channel_->send(channel_->form().event(id_, json, 0));
  finish();
}

void request_output::delta(std::string_view json, std::size_t tokens) {
  if (ended_) return;
  if (waiting_.empty() && may_send(tokens)) return send(json, tokens);
  if (!paused_since_) paused_since_ = std::chrono::steady_clock::now();
  waiting_bytes_ += json.size();
  waiting_.push_back({std::string(json), tokens});
  channel_->check_held();
}

void request_output::send(std::string_view json, std::size_t tokens) {
  if (credits_) *credits_ -= static_cast<std::int64_t>(tokens);
  channel_->send(channel_->form().event(id_, json, tokens));
}

void request_output::holds(std::size_t bytes) {
  const bool more = bytes > held_by_caller_;
  held_by_caller_ = bytes;
  if (more && !ended_) channel_->check_held();
}

void request_output::finish() {
  if (ended_) return;
  finished_ = true;
  on_gone_ = nullptr;
  if (waiting_.empty()) end(channel_->form().done(id_));
}

// What waits for tokens is dropped: the client sees that the answer is not whole.
void request_output::fail(const error& fault) {
  if (!ended_) end(channel_->form().failure(id_, fault));
}

void request_output::abort() { give_up("too much of the answer waits for the client"); }

void request_output::give_up(std::string_view why) {
  fail({error_code::request_timeout, std::string(why), {}});
}

std::size_t request_output::buffered() const { return ended_ ? 0 : waiting_bytes_ + channel_->buffered(); }

void request_output::grant(std::uint64_t tokens) {
  if (ended_ || !credits_) return;
  constexpr auto most = static_cast<std::int64_t>(credit_limit) * 1024;
  *credits_ = std::min(most, *credits_ + static_cast<std::int64_t>(tokens));
  send_waiting();
}

void request_output::send_waiting() {
  while (!waiting_.empty() && may_send(waiting_.front().tokens)) {
    paused_since_.reset();
    const auto next = std::move(waiting_.front());
    waiting_.pop_front();
    waiting_bytes_ -= next.json.size();
    send(next.json, next.tokens);
  }
  if (!waiting_.empty()) {
    if (!paused_since_) paused_since_ = std::chrono::steady_clock::now();
  } else if (finished_) {
    end(channel_->form().done(id_));
  } else if (channel_->buffered() == 0) {
    on_socket_drained();
  }
}

void request_output::cancel() { fail({error_code::cancelled, "cancelled by the client", {}}); }

void request_output::on_socket_drained() {
  if (ended_ || !waiting_.empty()) return;
  if (const auto callback = on_drained_) callback();  // a copy: the answer's end drops the callback
}

void request_output::on_socket_closed() {
  if (ended_) return;
  ended_ = true;
  leave();
}

void request_output::end(std::string message) {
  ended_ = true;
  channel_->send(std::move(message));
  channel_->ended(id_);
  leave();
}

// The source has ended already, or learns that nobody listens.
void request_output::leave() {
  waiting_.clear();
  waiting_bytes_ = 0;
  held_by_caller_ = 0;
  paused_since_.reset();
  channel_ = nullptr;
  on_drained_ = nullptr;
  if (const auto callback = std::exchange(on_gone_, nullptr)) callback();
}

}  // namespace neap::websocket
