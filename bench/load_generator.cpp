#include "bench/load_generator.hpp"

#include "bench/event_stream.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core.hpp>

#include <chrono>
#include <memory>

namespace neap::bench {
namespace {

namespace net = boost::asio;
namespace beast = boost::beast;
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

stream_request make_request(const run_state& state, std::size_t index) {
  return {state.server, "/v1/completions", state.options.api_key, make_body(state.options, index)};
}

std::string status_line(const stream_answer& answer) {
  return "HTTP " + std::to_string(answer.status) + " " + answer.refusal.substr(0, 200);
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
  event_reader events;
  stream_timer timer{begin, sample};
  const auto request = make_request(state, index);
  const auto answer =
      co_await post_stream(stream, request, events,
                           [&timer](const event_reader::outcome& piece) { timer.text(piece.text_events); });
  sample.prompt_tokens = events.prompt_tokens();
  sample.answer_tokens = events.answer_tokens();
  sample.failure = answer.failure;
  if (sample.failure.empty() && answer.status != 200) sample.failure = status_line(answer);
  sample.ok = sample.failure.empty();
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

result<bench_summary> run_bench(const bench_options& options, const bench_progress& progress) {
  auto server = parse_url(options.url);
  if (!server) return std::move(server).error();
  net::io_context io{1};
  boost::system::error_code problem;
  const auto addresses = resolve(io, *server, problem);
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
