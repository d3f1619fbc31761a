#include "bench/event_stream.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include <array>

namespace neap::bench {
namespace {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using tcp = net::ip::tcp;

constexpr auto awaitable = net::as_tuple(net::use_awaitable);

http::request<http::string_body> to_http(const stream_request& from) {
  const auto verb = from.body.empty() ? http::verb::get : http::verb::post;
  http::request<http::string_body> request{verb, from.target, 11};
  request.set(http::field::host, from.server.host + ":" + from.server.port);
  request.set(http::field::connection, "close");
  if (!from.api_key.empty()) request.set(http::field::authorization, "Bearer " + from.api_key);
  if (from.body.empty()) return request;
  request.set(http::field::content_type, "application/json");
  request.body() = from.body;
  request.prepare_payload();
  return request;
}

void keep(stream_answer& answer, std::string_view body) {
  answer.refusal += body.substr(0, refusal_limit - answer.refusal.size());
}

}  // namespace

tcp::resolver::results_type resolve(net::io_context& io, const endpoint& server,
                                    boost::system::error_code& problem) {
  auto host = server.host;
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return tcp::resolver{io}.resolve(host, server.port, problem);
}

net::awaitable<stream_answer> post_stream(
    beast::tcp_stream& stream, const stream_request& request, event_reader& events,
    const std::function<void(const event_reader::outcome&)>& on_events) {
  stream_answer answer;
  stream.socket().set_option(tcp::no_delay(true));
  const auto message = to_http(request);
  auto [write_error, written] = co_await http::async_write(stream, message, awaitable);
  if (write_error) {
    answer.failure = "cannot send: " + write_error.message();
    co_return answer;
  }
  beast::flat_buffer buffer;
  http::response_parser<http::buffer_body> parser;
  parser.body_limit(boost::none);
  auto [header_error, header_bytes] = co_await http::async_read_header(stream, buffer, parser, awaitable);
  if (header_error) {
    answer.failure = "no answer: " + header_error.message();
    co_return answer;
  }
  answer.status = parser.get().result_int();
  const bool streams = answer.status == 200 && !request.body.empty();
  std::array<char, 16384> piece;
  bool done = false;
  while (!parser.is_done()) {
    parser.get().body().data = piece.data();
    parser.get().body().size = piece.size();
    auto [problem, bytes] = co_await http::async_read_some(stream, buffer, parser, awaitable);
    const std::string_view body{piece.data(), piece.size() - parser.get().body().size};
    if (problem && problem != http::error::need_buffer) {
      answer.failure = "connection broke: " + problem.message();
      co_return answer;
    }
    if (!streams) {
      keep(answer, body);
      continue;
    }
    const auto outcome = events.feed(body);
    on_events(outcome);
    done = done || outcome.done;
    if (!outcome.failure.empty()) answer.failure = outcome.failure;
  }
  if (streams && !done && answer.failure.empty()) answer.failure = "the stream ended without [DONE]";
  co_return answer;
}

}  // namespace neap::bench
