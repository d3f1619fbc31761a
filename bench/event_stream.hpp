#pragma once
// One request of an OpenAI-compatible server whose answer is a stream of events. Includes Beast.

#include "bench/endpoint.hpp"
#include "bench/event_reader.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/tcp_stream.hpp>

#include <functional>
#include <string>

namespace neap::bench {

struct stream_request {
  endpoint server;
  std::string target;   // "/v1/completions"
  std::string api_key;  // sent as a bearer token unless empty
  std::string body;     // JSON; empty: a GET, whose answer is the refusal below whatever its status
};

struct stream_answer {
  unsigned status = 0;
  std::string refusal;  // body of an answer that is no stream, at most refusal_limit bytes
  std::string failure;  // why there is no whole answer; empty if there is one
};

inline constexpr std::size_t refusal_limit = 1 << 20;

// Addresses of the server; brackets of IPv6 are taken off. Blocks.
boost::asio::ip::tcp::resolver::results_type resolve(boost::asio::io_context& io, const endpoint& server,
                                                     boost::system::error_code& problem);

// Sends the request over a connected stream and reads the answer to its end; `on_events` is called after
// every read of a stream. Its time limit is the stream's own.
boost::asio::awaitable<stream_answer> post_stream(
    boost::beast::tcp_stream& stream, const stream_request& request, event_reader& events,
    const std::function<void(const event_reader::outcome&)>& on_events);

}  // namespace neap::bench
