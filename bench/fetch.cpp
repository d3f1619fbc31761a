#include "bench/fetch.hpp"

#include "bench/event_stream.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <utility>

namespace neap::bench {
namespace {

namespace net = boost::asio;
using tcp = net::ip::tcp;

// All arguments outlive the coroutine: the caller waits for it.
net::awaitable<void> exchange(boost::beast::tcp_stream& stream, const tcp::resolver::results_type& addresses,
                              const stream_request& request, stream_answer& out) {
  auto [problem, address] =
      co_await stream.async_connect(addresses, net::as_tuple(net::use_awaitable));
  if (problem) {
    out.failure = problem.message();
    co_return;
  }
  event_reader none;
  out = co_await post_stream(stream, request, none, [](const auto&) {});
}

}  // namespace

result<fetched> fetch(const endpoint& server, const std::string& target, const std::string& api_key,
                      std::chrono::milliseconds limit) {
  net::io_context io{1};
  boost::system::error_code problem;
  const auto addresses = resolve(io, server, problem);
  stream_answer answer;
  if (problem) {
    answer.failure = problem.message();
  } else {
    boost::beast::tcp_stream stream{io};
    stream.expires_after(limit);
    const stream_request request{server, target, api_key, ""};
    net::co_spawn(io, exchange(stream, addresses, request, answer), net::detached);
    io.run();
  }
  if (answer.failure.empty()) return fetched{answer.status, std::move(answer.refusal)};
  return error{error_code::device_unavailable,
               "no answer from http://" + server.host + ":" + server.port + " (" + answer.failure +
                   "); is the server running?",
               ""};
}

}  // namespace neap::bench
