#include "server/http/connection.hpp"
#include "server/http/route_table.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/read.hpp>

#include <algorithm>
#include <cctype>
#include <utility>

namespace neap::http {

namespace net = boost::asio;
namespace beast_http = boost::beast::http;

namespace {

constexpr auto awaited = net::as_tuple(net::use_awaitable);

std::string to_string(boost::beast::string_view text) { return {text.data(), text.size()}; }

std::string lower_case(boost::beast::string_view text) {
  std::string out = to_string(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

}  // namespace

// Waits for the first byte of a request; false when the connection is over.
net::awaitable<bool> connection::wait_for_request() {
  if (input_.size() > 0) co_return true;
  if (state_->draining) co_return false;
  idle_ = true;
  watchdog_.arm(shared_from_this(), first_ ? limits_.header_time : limits_.idle_time);
  const auto [failure, count] = co_await socket_.async_read_some(input_.prepare(4096), awaited);
  watchdog_.disarm();
  idle_ = false;
  input_.commit(count);
  co_return !failure;
}

net::awaitable<exchange_ptr> connection::read_request() {
  refused_ = nullptr;
  if (!co_await wait_for_request()) co_return nullptr;
  first_ = false;
  parser input;
  input.header_limit(static_cast<std::uint32_t>(limits_.header_bytes));
  input.body_limit(limits_.body_bytes);
  watchdog_.arm(shared_from_this(), limits_.header_time);
  const auto [failure, count] = co_await beast_http::async_read_header(socket_, input_, input, awaited);
  watchdog_.disarm();
  if (failure) {
    refuse_parse_failure(failure, true);
    co_return nullptr;
  }
  auto head = copy_head(input);
  const route* target = accept_head(head);
  if (target == nullptr) co_return nullptr;
  if (expects_continue(head) && input_.size() == 0 && !co_await send_continue()) co_return nullptr;
  if (!co_await read_body(input)) co_return nullptr;
  auto x = make_exchange(std::move(head), std::move(input.get().body()));
  target->handle(state_->service, x);
  co_return x;
}

net::awaitable<bool> connection::send_continue() {
  co_return co_await write_all("HTTP/1.1 100 Continue\r\n\r\n");
}

// The body must arrive at limits_.body_bytes_per_second on average, after a grace.
net::awaitable<bool> connection::read_body(parser& input) {
  using namespace std::chrono;
  const auto begin = steady_clock::now();
  std::size_t received = 0;
  while (!input.is_done()) {
    const auto earned = milliseconds(received * 1000 / limits_.body_bytes_per_second);
    const auto spent = duration_cast<milliseconds>(steady_clock::now() - begin);
    const auto left = limits_.body_grace + earned - spent;
    watchdog_.arm(shared_from_this(), std::max(left, milliseconds(1)));
    const auto [failure, count] = co_await beast_http::async_read_some(socket_, input_, input, awaited);
    watchdog_.disarm();
    received += count;
    if (failure) {
      refuse_parse_failure(failure, true);
      co_return false;
    }
  }
  co_return true;
}

request_head connection::copy_head(const parser& input) const {
  const auto& message = input.get();
  request_head head;
  head.method = to_string(message.method_string());
  head.target = to_string(message.target());
  head.version = static_cast<int>(message.version());
  head.keep_alive = input.keep_alive();
  for (const auto& field : message) {
    head.fields.push_back({lower_case(field.name_string()), to_string(field.value())});
  }
  return head;
}

// The route of a request whose head is in order; else null, and the refusal waits to be written.
const route* connection::accept_head(const request_head& head) {
  if (const auto fault = check_framing(head)) {
    refuse(nullptr, error_response(*fault), true);
    return nullptr;
  }
  const auto match = find_route(head.method, request_path(head));
  if (match.found == nullptr) {
    refuse(&head, match.otherwise, head.has_body());
    return nullptr;
  }
  if (const auto fault = check_fields(head, state_->rules)) {
    refuse(&head, error_response(*fault), head.has_body());
    return nullptr;
  }
  return match.found;
}

void connection::refuse(const request_head* head, response answer, bool close) {
  answer.close = close;
  unread_ = close;
  refused_ = make_exchange(head == nullptr ? request_head{} : *head, {});
  refused_->respond(answer);
}

void connection::refuse_parse_failure(error_code failure, bool begun) {
  if (watchdog_.fired()) {
    if (begun) {
      const error late{neap::error_code::request_timeout, "the request arrived too slowly", {}};
      refuse(nullptr, error_response(late), true);
    }
    return;
  }
  if (failure.category() != beast_http::make_error_code(beast_http::error::bad_method).category()) return;
  error fault{neap::error_code::invalid_request, "this is not valid HTTP/1.1: " + failure.message(), {}};
  if (failure == beast_http::error::end_of_stream || failure == beast_http::error::partial_message) return;
  if (failure == beast_http::error::header_limit) {
    fault = {neap::error_code::header_too_large,
             "the header is larger than " + std::to_string(limits_.header_bytes) + " bytes",
             {}};
  } else if (failure == beast_http::error::body_limit) {
    fault = {neap::error_code::content_too_large,
             "the body is larger than " + std::to_string(limits_.body_bytes) + " bytes",
             {}};
  }
  refuse(nullptr, error_response(fault), true);
}

exchange_ptr connection::make_exchange(request_head head, std::string body) {
  exchange_hooks hooks;
  hooks.post = [executor = socket_.get_executor()](std::function<void()> task) {
    net::post(executor, std::move(task));
  };
  hooks.wake = [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->event_.cancel();
  };
  hooks.draining = &state_->draining;
  return std::make_shared<exchange>(std::move(head), std::move(body), std::move(hooks));
}

}  // namespace neap::http
