#include "server/websocket/session.hpp"

#include "server/api/quote.hpp"
#include "server/http/generation_stream.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

namespace neap::websocket {

session::session(http::upgrade_request from, const codec& form, std::string subprotocol, const options& with)
    : codec_(form),
      options_(with),
      state_(from.state),
      from_(from.from),
      executor_(from.bytes->executor()),
      socket_(make_socket(std::move(from), std::move(subprotocol), with)) {}

boost::asio::awaitable<void> session::run() {
  const auto self = shared_from_this();
  co_await socket_->run(*this);
}

void session::begin_drain() {
  draining_ = true;
  if (requests_.empty()) socket_->close(close_code::going_away, "the server is shutting down");
}

void session::on_message(std::string_view message, bool binary) {
  if (binary != codec_.binary()) {
    return socket_->close(close_code::unsupported_data, binary ? "text frames only" : "binary frames only");
  }
  const auto read = codec_.read(message);
  if (const auto* bad = std::get_if<bad_message>(&read)) return refuse(bad->id, bad->fault);
  std::visit([this](const auto& known) { on(known); }, std::get<client_message>(read));
}

// An error that names an id ends that request, so the id of one that is open is not named.
void session::refuse(const std::string& id, const error& fault) {
  send(codec_.failure(requests_.count(id) > 0 ? std::string() : id, fault));
}

std::optional<error> session::refusal(const request_message& message) const {
  if (requests_.count(message.id) > 0) {
    return error{error_code::invalid_request, "a request " + api::quote(message.id) + " is still open", "id"};
  }
  if (requests_.size() >= options_.open_requests) {
    return error{error_code::rate_limit_exceeded,
                 "this connection has " + std::to_string(options_.open_requests) + " open requests already",
                 {}};
  }
  if (draining_ || state_->service.draining) {
    return error{error_code::draining, "the server is shutting down", {}};
  }
  return std::nullopt;
}

void session::on(const request_message& message) {
  if (const auto fault = refusal(message)) return refuse(message.id, *fault);
  auto request = api::parse_request(message.endpoint, message.body, state_->service.validation());
  if (!request) return refuse(message.id, request.error());
  http::limit_tier(request->generation.tag, from_);
  auto output = std::make_shared<request_output>(
      *this, message,
      [to = executor_](std::function<void()> task) { boost::asio::post(to, std::move(task)); });
  requests_.emplace(message.id, output);
  http::start_generation(state_->service, output, state_->service.gateway.next_request_id(),
                         std::move(*request));
}

void session::on(const cancel_message& message) {
  if (const auto request = find(message.id)) request->cancel();
}

void session::on(const credit_message& message) {
  if (const auto request = find(message.id)) request->grant(message.tokens);
}

void session::on(const ping_message& message) { send(codec_.pong(message.data)); }

std::shared_ptr<request_output> session::find(const std::string& id) const {
  const auto found = requests_.find(id);
  return found == requests_.end() ? nullptr : found->second;
}

// Requests end, and leave the map, while others are told: go over a copy.
void session::on_drained() {
  const auto open = requests_;
  for (const auto& [id, request] : open) request->on_socket_drained();
}

void session::on_tick(time_point now) {
  const auto open = requests_;
  for (const auto& [id, request] : open) {
    const auto since = request->paused_since();
    if (since && now - *since > state_->service.limits.stalled_time) {
      request->give_up("the client granted no tokens for too long");
    }
  }
}

void session::on_closed() {
  const auto open = std::exchange(requests_, {});
  for (const auto& [id, request] : open) request->on_socket_closed();
}

void session::ended(const std::string& id) {
  requests_.erase(id);
  if (draining_ && requests_.empty()) begin_drain();
}

// All answers together share one connection's limit; the one that holds most has to go.
void session::check_held() {
  std::size_t total = socket_->buffered();
  std::shared_ptr<request_output> most;
  for (const auto& [id, request] : requests_) {
    total += request->held();
    if (most == nullptr || request->held() > most->held()) most = request;
  }
  if (total > state_->service.limits.output_bytes && most != nullptr) most->abort();
}

}  // namespace neap::websocket
