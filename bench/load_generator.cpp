#include "bench/load_generator.hpp"

#include "bench/event_reader.hpp"
#include "messages/quote.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include <array>
#include <charconv>
#include <chrono>
#include <memory>

namespace neap::bench {
namespace {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using tcp = net::ip::tcp;
using clock = std::chrono::steady_clock;

constexpr auto awaitable = net::as_tuple(net::use_awaitable);

double seconds_since(clock::time_point begin) {
  return std::chrono::duration<double>(clock::now() - begin).count();
}

std::chrono::nanoseconds from_seconds(double seconds) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(seconds));
}

struct run_state {
  const bench_options& options;
  const bench_progress& progress;
  tcp::resolver::results_type addresses;
  endpoint server;
  std::vector<request_sample> samples;
  std::size_t next = 0;
  std::size_t first_index = 0;
};

http::request<http::string_body> make_request(const run_state& state, std::size_t index) {
  http::request<http::string_body> request{http::verb::post, "/v1/completions", 11};
  request.set(http::field::host, state.server.host + ":" + state.server.port);
  request.set(http::field::content_type, "application/json");
  request.set(http::field::connection, "close");
  if (!state.options.api_key.empty())
    request.set(http::field::authorization, "Bearer " + state.options.api_key);
  request.body() = make_body(state.options, index);
  request.prepare_payload();
  return request;
}

std::string status_line(const http::response<http::buffer_body>& response, std::string_view body) {
  return "HTTP " + std::to_string(response.result_int()) + " " + std::string{body.substr(0, 200)};
}

// What arrives is timed per read: events that come in one read share its time.
class stream_timer {
 public:
  stream_timer(clock::time_point begin, request_sample& sample) : begin_(begin), sample_(sample) {}

  void text(std::size_t events) {
    const double now = seconds_since(begin_);
    for (std::size_t i = 0; i < events; ++i) {
      if (sample_.first_token == 0) {
        sample_.first_token = now;
      } else {
        sample_.gaps.push_back(now - last_);
      }
      last_ = now;
    }
  }

 private:
  clock::time_point begin_;
  request_sample& sample_;
  double last_ = 0;
};

net::awaitable<void> read_stream(beast::tcp_stream& stream, clock::time_point begin, request_sample& sample) {
  beast::flat_buffer buffer;
  http::response_parser<http::buffer_body> parser;
  parser.body_limit(boost::none);
  auto [header_error, header_bytes] = co_await http::async_read_header(stream, buffer, parser, awaitable);
  if (header_error) {
    sample.failure = "no answer: " + header_error.message();
    co_return;
  }
  event_reader events;
  stream_timer timer{begin, sample};
  std::array<char, 16384> piece;
  bool done = false;
  while (!parser.is_done()) {
    parser.get().body().data = piece.data();
    parser.get().body().size = piece.size();
    auto [problem, bytes] = co_await http::async_read_some(stream, buffer, parser, awaitable);
    const std::string_view body{piece.data(), piece.size() - parser.get().body().size};
    if (problem && problem != http::error::need_buffer) {
      sample.failure = "connection broke: " + problem.message();
      co_return;
    }
    if (parser.get().result_int() != 200) {
      sample.failure = status_line(parser.get(), body);
      co_return;
    }
    const auto outcome = events.feed(body);
    timer.text(outcome.text_events);
    done = done || outcome.done;
    if (!outcome.failure.empty()) sample.failure = outcome.failure;
  }
  sample.prompt_tokens = events.prompt_tokens();
  sample.answer_tokens = events.answer_tokens();
  sample.ok = done && sample.failure.empty();
  if (!done && sample.failure.empty()) sample.failure = "the stream ended without [DONE]";
}

net::awaitable<request_sample> run_request(run_state& state, std::size_t index) {
  request_sample sample;
  const auto begin = clock::now();
  beast::tcp_stream stream{co_await net::this_coro::executor};
  stream.expires_after(from_seconds(state.options.timeout_seconds));
  auto [connect_error, address] = co_await stream.async_connect(state.addresses, awaitable);
  if (connect_error) {
    sample.failure = "cannot connect: " + connect_error.message();
    co_return sample;
  }
  stream.socket().set_option(tcp::no_delay(true));
  const auto request = make_request(state, index);
  auto [write_error, written] = co_await http::async_write(stream, request, awaitable);
  if (write_error) {
    sample.failure = "cannot send: " + write_error.message();
    co_return sample;
  }
  co_await read_stream(stream, begin, sample);
  sample.total = seconds_since(begin);
  co_return sample;
}

void note(run_state& state, request_sample sample, std::size_t total) {
  state.samples.push_back(std::move(sample));
  if (state.progress) state.progress(state.samples.size(), total);
}

// One of N streams: the next request starts when the last ended.
net::awaitable<void> run_stream(run_state& state, std::size_t total) {
  while (state.next < total) {
    const auto index = state.first_index + state.next++;
    note(state, co_await run_request(state, index), total);
  }
}

net::awaitable<void> run_arrival(run_state& state, std::size_t index, double at, std::size_t total) {
  net::steady_timer timer{co_await net::this_coro::executor, from_seconds(at)};
  co_await timer.async_wait(awaitable);
  note(state, co_await run_request(state, index), total);
}

void run_closed(net::io_context& io, run_state& state, std::size_t total, std::size_t streams) {
  for (std::size_t i = 0; i < std::min(streams, total); ++i)
    net::co_spawn(io, run_stream(state, total), net::detached);
  io.run();
  io.restart();
}

void run_open(net::io_context& io, run_state& state) {
  const auto arrivals = make_arrivals(state.options.requests, state.options.rate, state.options.seed);
  for (std::size_t i = 0; i < arrivals.size(); ++i)
    net::co_spawn(io, run_arrival(state, state.first_index + i, arrivals[i], arrivals.size()), net::detached);
  io.run();
  io.restart();
}

}  // namespace

result<endpoint> parse_url(const std::string& url) {
  constexpr std::string_view scheme = "http://";
  const error wrong{error_code::invalid_request,
                    "expected http://HOST:PORT, with /v1 or nothing behind it, not " + quote(url), "url"};
  if (url.substr(0, scheme.size()) != scheme) return wrong;
  auto rest = url.substr(scheme.size());
  if (!rest.empty() && rest.back() == '/') rest.pop_back();
  if (rest.ends_with("/v1")) rest.resize(rest.size() - 3);  // as OpenAI's clients take it
  if (rest.empty() || rest.find('/') != std::string::npos) return wrong;
  const auto colon = rest.rfind(':');
  if (colon == std::string::npos) return endpoint{rest, "80"};
  if (colon == 0 || colon + 1 == rest.size()) return wrong;
  const auto port = rest.substr(colon + 1);
  unsigned number = 0;
  const auto [end, failure] = std::from_chars(port.data(), port.data() + port.size(), number);
  if (failure != std::errc{} || end != port.data() + port.size() || number < 1 || number > 65'535)
    return error{error_code::invalid_request,
                 "the port " + quote(port, 20) + " is not a number from 1 to 65535", "url"};
  return endpoint{rest.substr(0, colon), port};
}

result<bench_summary> run_bench(const bench_options& options, const bench_progress& progress) {
  auto server = parse_url(options.url);
  if (!server) return std::move(server).error();
  net::io_context io{1};
  boost::system::error_code problem;
  const auto addresses = tcp::resolver{io}.resolve(server->host, server->port, problem);
  if (problem)
    return error{error_code::invalid_request, "cannot resolve " + server->host + ": " + problem.message(),
                 "url"};
  const bench_progress silent;
  run_state warmup{options, silent, addresses, *server, {}, 0, 1'000'000};
  run_closed(io, warmup, options.warmup, 1);
  if (!warmup.samples.empty() && !warmup.samples.front().ok)
    return error{error_code::invalid_request, options.url + ": " + warmup.samples.front().failure, "url"};
  run_state state{options, progress, addresses, *server, {}, 0, 0};
  const auto begin = clock::now();
  if (options.rate > 0) {
    run_open(io, state);
  } else {
    run_closed(io, state, options.requests, options.streams);
  }
  return summarize(state.samples, seconds_since(begin));
}

}  // namespace neap::bench
