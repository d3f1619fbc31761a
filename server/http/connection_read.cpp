#include "server/http/connection.hpp"

#include "server/api/quote.hpp"
#include "server/http/body_decoder.hpp"
#include "server/http/head_parser.hpp"
#include "server/http/head_scanner.hpp"
#include "server/http/route_table.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace neap::http {

namespace net = boost::asio;

namespace {

constexpr std::size_t head_piece = 4 * 1024;  // bytes asked for at once
constexpr std::size_t body_piece = 64 * 1024;

// OPTIONS from a browser that asks before it sends: the rest of the answer. Needs no key, as it carries none.
response preflight(const request_head& head, response answer) {
  if (head.method != "OPTIONS" || head.count("access-control-request-method") == 0) return answer;
  std::string methods;
  for (const auto& [name, value] : answer.headers)
    if (name == "Allow") methods = value;
  for (auto& header : preflight_headers(head, methods)) answer.headers.push_back(std::move(header));
  return answer;
}

error too_many_connections() {
  return {error_code::server_overloaded, "the server has too many connections", {}};
}

}  // namespace

std::string_view connection::unparsed() const {
  return {static_cast<const char*>(input_.data().data()), input_.size()};
}

// Adds to input_; false when nothing more comes, or the watchdog fired.
net::awaitable<bool> connection::read_more(std::size_t most) {
  const auto [failure, count] = co_await transport_->read_some(input_.prepare(most));
  input_.commit(count);
  co_return !failure;
}

// Waits for the first byte of a request; false when the connection is over. In a drain new connections still
// bring probes.
net::awaitable<bool> connection::wait_for_request() {
  if (input_.size() > 0) co_return true;
  if (state_->stopping || (state_->service.draining && !first_)) co_return false;
  idle_ = true;
  watchdog_.arm(shared_from_this(), first_ ? header_time() : limits_.idle_time);
  const bool received = co_await read_more(head_piece);
  watchdog_.disarm();
  idle_ = false;
  if (probe_ && watchdog_.fired()) refuse_and_close(too_many_connections());
  co_return received;
}

net::awaitable<exchange_ptr> connection::read_request() {
  refused_ = nullptr;
  if (!co_await wait_for_request()) co_return nullptr;
  first_ = false;
  auto head = co_await read_head();
  if (!head) co_return nullptr;
  const bool upgrades = state_->upgrades != nullptr && state_->upgrades->wants(*head);
  if (upgrades) state_->upgrades->prepare(*head);
  const route* target = accept_head(*head);
  if (target == nullptr) co_return nullptr;
  if (upgrades) {
    if (accept_upgrade(*head)) upgrade_ = std::move(*head);
    co_return nullptr;
  }
  if (expects_continue(*head) && input_.size() == 0) {
    const bool sent = co_await write_all("HTTP/1.1 100 Continue\r\n\r\n");
    if (!sent) co_return nullptr;
  }
  auto body = co_await read_body(*head);
  if (!body) co_return nullptr;
  auto x = make_exchange(std::move(*head), std::move(*body));
  target->handle(state_->service, x);
  x->drop_body();
  co_return x;
}

net::awaitable<std::optional<request_head>> connection::read_head() {
  head_scanner scanner(limits_.header_bytes);
  watchdog_.arm(shared_from_this(), header_time());
  auto size = scanner.scan(unparsed());
  while (size && *size == 0) {  // GCC 12 would take `co_await` out of a condition's `&&`
    const bool more = co_await read_more(head_piece);
    if (!more) break;
    size = scanner.scan(unparsed());
  }
  watchdog_.disarm();
  if (size && *size == 0) {
    if (watchdog_.fired()) refuse_and_close({error_code::request_timeout, "the head arrived too slowly", {}});
    co_return std::nullopt;
  }
  auto head = size ? parse_head(unparsed().substr(0, *size)) : result<request_head>(size.error());
  if (!head) {
    refuse_and_close(head.error());
    co_return std::nullopt;
  }
  input_.consume(*size);
  co_return std::move(*head);
}

// The body must arrive at limits_.body_bytes_per_second on average, after a grace.
net::awaitable<std::optional<received_body>> connection::read_body(const request_head& head) {
  using namespace std::chrono;
  const auto begin = steady_clock::now();
  std::size_t received = 0;
  received_body body{{}, body_lease(state_->bodies)};
  body_decoder decoder(head, limits_);
  while (!decoder.done()) {
    const auto used = decoder.feed(unparsed(), body.text);
    if (!used) {
      refuse_and_close(used.error());
      co_return std::nullopt;
    }
    if (!body.lease.grow_to(body.text.size())) {
      refuse_and_close(
          {neap::error_code::server_overloaded, "the requests under way hold too many bytes", {}});
      co_return std::nullopt;
    }
    input_.consume(*used);
    received += *used;
    if (decoder.done()) break;
    const auto earned = milliseconds(received * 1000 / limits_.body_bytes_per_second);
    const auto spent = duration_cast<milliseconds>(steady_clock::now() - begin);
    watchdog_.arm(shared_from_this(), std::max(limits_.body_grace + earned - spent, milliseconds(1)));
    const bool more = co_await read_more(body_piece);
    watchdog_.disarm();
    if (more) continue;
    if (watchdog_.fired()) refuse_and_close({error_code::request_timeout, "the body arrived too slowly", {}});
    co_return std::nullopt;
  }
  co_return std::move(body);
}

// The route of a request whose head is in order; else null, and the refusal waits to be written.
const route* connection::accept_head(const request_head& head) {
  if (const auto fault = check_framing(head)) {
    refuse_and_close(*fault);
    return nullptr;
  }
  const auto match = find_route(head.method, request_path(head));
  if (match.found == nullptr) {
    refuse(&head, preflight(head, match.otherwise), head.has_body() || probe_);
    return nullptr;
  }
  if (probe_ && match.found->access != access_class::open) {
    refuse(&head, error_response(too_many_connections()), true);
    return nullptr;
  }
  if (const auto fault = check_fields(head, state_->rules)) {
    refuse(&head, error_response(*fault), head.has_body());
    return nullptr;
  }
  if (match.found->access != access_class::open && !page_may_call(head, *state_->access)) {
    auto answer = error_response({error_code::invalid_request,
                                  "pages of the origin " + api::quote(head.value("origin")) +
                                      " are not served; the server's --allowed-origins lists those that are",
                                  {}});
    answer.status = 403;
    refuse(&head, std::move(answer), head.has_body());
    return nullptr;
  }
  if (!authorise_head(head, match.found->access)) return nullptr;
  if (state_->service.draining && !match.found->while_draining) {
    refuse(&head, error_response({error_code::draining, "the server is shutting down", {}}), true);
    return nullptr;
  }
  if (const auto fits = check_length(head, limits_); !fits) {
    refuse_and_close(fits.error());
    return nullptr;
  }
  return match.found;
}

bool connection::accept_upgrade(request_head& head) {
  auto refusal = state_->upgrades->refuse(head);
  if (refusal) refuse(&head, std::move(*refusal), true);
  return !refusal;
}

bool connection::authorise_head(const request_head& head, access_class needed) {
  const auto allowed = authorise(head, needed, transport_->from_loopback(), *state_->access);
  if (allowed)
    caller_ = *allowed;
  else
    refuse(&head, error_response(allowed.error()), head.has_body());
  return allowed.has_value();
}

void connection::refuse(const request_head* head, response answer, bool close) {
  answer.close = close;
  unread_ = close;
  refused_ = make_exchange(head == nullptr ? request_head{} : *head, {});
  refused_->respond(answer);
}

// After this nobody knows where the next request would begin.
void connection::refuse_and_close(const error& fault) { refuse(nullptr, error_response(fault), true); }

exchange_ptr connection::make_exchange(request_head head, received_body body) {
  exchange_hooks hooks;
  hooks.post = [executor = transport_->executor()](std::function<void()> task) {
    net::post(executor, std::move(task));
  };
  hooks.wake = [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->event_.cancel();
  };
  hooks.headers = cors_headers(head, *state_->access);
  hooks.from = caller_;
  hooks.draining = &state_->service.draining;
  hooks.log = &state_->log;
  hooks.last = probe_;
  return std::make_shared<exchange>(state_->service.gateway.next_request_id(), std::move(head),
                                    std::move(body), std::move(hooks));
}

}  // namespace neap::http
