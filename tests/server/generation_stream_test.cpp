// Events of the engine -> bytes, without sockets.

#include "server/http/generation_stream.hpp"

#include "server/http/sse_output.hpp"

#include <gtest/gtest.h>

namespace neap::http {
namespace {

struct stream_world {
  explicit stream_world(api::answer_options options, std::size_t choices = 1, std::size_t limit = 4096) {
    request_head head;
    head.method = "POST";
    x = std::make_shared<exchange>(7, head, received_body{},
                                   exchange_hooks{[](auto task) { task(); }, [] {}, nullptr, nullptr});
    sink = std::make_shared<generation_stream>(make_sse_output(x), api::make_answer_form(options, 1, "m", 1),
                                               choices, limit, [this] { ++cancels; });
    sink->attach();
  }

  // What the socket would take now.
  std::string written() {
    auto bytes = x->take_output();
    x->output_written();
    return bytes;
  }

  exchange_ptr x;
  std::shared_ptr<generation_stream> sink;
  int cancels = 0;
};

api::answer_options streamed(bool usage = false) {
  api::answer_options out;
  out.stream = true;
  out.include_usage = usage;
  return out;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t out = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++out;
  return out;
}

TEST(generation_stream, nothing_is_sent_before_the_first_text) {
  stream_world world(streamed());
  world.sink->push(stream_accepted{{1}});
  EXPECT_EQ(world.written(), "");
  world.sink->push(stream_delta{0, "", {1}});
  EXPECT_EQ(world.written(), "");
  world.sink->push(stream_delta{0, "a", {2}});
  const auto first = world.written();
  EXPECT_TRUE(first.starts_with("HTTP/1.1 200 OK"));
  EXPECT_LT(first.find("\"role\":\"assistant\""), first.find("\"content\":\"a\""));
}

// The same status as without stream, as long as the client has heard nothing.
TEST(generation_stream, failures_before_the_first_text_have_their_own_status) {
  for (const auto& [code, status] : {std::pair{error_code::deadline_exceeded, "HTTP/1.1 408 "},
                                     {error_code::draining, "HTTP/1.1 503 "},
                                     {error_code::internal, "HTTP/1.1 500 "}}) {
    stream_world world(streamed());
    world.sink->push(stream_accepted{{1}});
    world.sink->push(stream_delta{0, "", {1}});
    world.sink->push(error{code, "why", ""});
    const auto all = world.written();
    EXPECT_TRUE(all.starts_with(status)) << all;
    EXPECT_EQ(all.find("data: "), std::string::npos);
    EXPECT_TRUE(world.x->ended());
  }
}

TEST(generation_stream, a_stream_without_text_is_whole) {
  stream_world world(streamed());
  world.sink->push(stream_accepted{{1}});
  world.sink->push(stream_choice_end{0, finish_reason::stop});
  EXPECT_EQ(world.written(), "");
  world.sink->push(stream_summary{});
  const auto all = world.written();
  EXPECT_TRUE(all.starts_with("HTTP/1.1 200 OK"));
  EXPECT_NE(all.find("\"role\":\"assistant\""), std::string::npos);
  EXPECT_NE(all.find("\"finish_reason\":\"stop\""), std::string::npos);
  EXPECT_NE(all.find("data: [DONE]\n\n"), std::string::npos);
}

TEST(generation_stream, summary_rides_on_the_last_finish) {
  stream_world world(streamed(), 2);
  world.sink->push(stream_accepted{{1, 1}});
  world.sink->push(stream_delta{1, "b", {2}});
  world.sink->push(stream_choice_end{1, finish_reason::length});
  const auto first = world.written();
  EXPECT_EQ(count(first, "\"finish_reason\":\"length\""), 1U);
  EXPECT_EQ(count(first, "\"timings\""), 0U);
  world.sink->push(stream_choice_end{0, finish_reason::stop});
  EXPECT_EQ(world.written(), "");
  world.sink->push(stream_summary{});
  const auto last = world.written();
  EXPECT_EQ(count(last, "\"finish_reason\":\"stop\""), 1U);
  EXPECT_EQ(count(last, "\"timings\""), 1U);
  EXPECT_EQ(count(last, "\"usage\""), 0U);
  EXPECT_NE(last.find("data: [DONE]"), std::string::npos);
}

// CASES C45.
TEST(generation_stream, usage_comes_once_and_last) {
  stream_world world(streamed(true));
  world.sink->push(stream_accepted{{1}});
  world.sink->push(stream_delta{0, "a", {2}});
  world.sink->push(stream_choice_end{0, finish_reason::stop});
  world.sink->push(stream_summary{});
  const auto all = world.written();
  EXPECT_EQ(count(all, "\"usage\""), 1U);
  EXPECT_EQ(count(all, "\"timings\""), 1U);
  EXPECT_LT(all.find("\"finish_reason\":\"stop\""), all.find("\"choices\":[],\"usage\""));
}

TEST(generation_stream, a_failed_choice_never_looks_finished) {
  for (const auto reason : {finish_reason::failed, finish_reason::cancelled, finish_reason::none}) {
    stream_world world(streamed());
    world.sink->push(stream_accepted{{1}});
    world.sink->push(stream_delta{0, "a", {1}});
    world.sink->push(stream_choice_end{0, reason});
    const auto all = world.written();
    EXPECT_NE(all.find("data: {\"error\""), std::string::npos);
    EXPECT_EQ(count(all, "\"finish_reason\":\"stop\""), 0U);
    EXPECT_TRUE(world.x->close_after());
    EXPECT_EQ(world.cancels, 1);
  }
}

TEST(generation_stream, a_choice_that_does_not_exist_is_an_error) {
  stream_world world(streamed());
  world.sink->push(stream_accepted{{1}});
  world.sink->push(stream_delta{0, "a", {1}});
  world.sink->push(stream_delta{7, "x", {}});
  EXPECT_NE(world.written().find("data: {\"error\""), std::string::npos);
}

TEST(generation_stream, a_lagging_reader_gets_larger_events_and_an_endless_lag_ends_it) {
  stream_world world(streamed(), 1, 8192);
  world.sink->push(stream_accepted{{1}});
  world.sink->push(stream_delta{0, std::string(3000, 'a'), {1}});
  const auto waiting = world.x->buffered();
  world.sink->push(stream_delta{0, "bb", {2}});
  world.sink->push(stream_delta{0, "cc", {3}});
  EXPECT_EQ(world.x->buffered(), waiting);
  world.written();
  EXPECT_NE(world.written().find("\"content\":\"bbcc\""), std::string::npos);
  world.sink->push(stream_delta{0, std::string(3000, 'a'), {1}});
  world.sink->push(stream_delta{0, std::string(5000, 'd'), {4}});
  EXPECT_TRUE(world.x->aborted());
  EXPECT_EQ(world.cancels, 1);
}

TEST(generation_stream, what_a_lagging_reader_has_not_taken_outlives_the_engine) {
  stream_world world(streamed(), 1, 8192);
  world.sink->push(stream_accepted{{1}});
  world.sink->push(stream_delta{0, std::string(3000, 'a'), {1}});
  world.sink->push(stream_delta{0, "bb", {2}});
  world.sink->push(stream_choice_end{0, finish_reason::stop});
  world.sink->push(stream_summary{});
  world.sink.reset();
  world.written();
  const auto rest = world.written();
  EXPECT_NE(rest.find("\"content\":\"bb\""), std::string::npos);
  EXPECT_NE(rest.find("data: [DONE]"), std::string::npos);
  EXPECT_TRUE(world.x->ended());
}

// An output that several answers share drains although this one has written nothing.
TEST(generation_stream, a_drained_output_does_not_begin_a_whole_answer) {
  stream_world world(api::answer_options{});
  world.sink->push(stream_accepted{{1}});
  world.sink->push(stream_delta{0, "a", {1}});
  EXPECT_EQ(world.written(), "");
  world.sink->push(stream_choice_end{0, finish_reason::stop});
  world.sink->push(stream_summary{});
  EXPECT_NE(world.written().find("\"content\":\"a\""), std::string::npos);
}

TEST(generation_stream, tokens_travel_with_their_text) {
  auto options = streamed();
  options.return_token_ids = true;
  stream_world world(options);
  world.sink->push(stream_accepted{{1}});
  world.written();
  world.sink->push(stream_delta{0, "", {10}});
  EXPECT_EQ(world.written(), "");
  world.sink->push(stream_delta{0, "x", {11}});
  EXPECT_NE(world.written().find("\"token_ids\":[10,11]"), std::string::npos);
  world.sink->push(stream_delta{0, "", {12}});
  world.sink->push(stream_choice_end{0, finish_reason::length});
  EXPECT_NE(world.written().find("\"token_ids\":[12]"), std::string::npos);
}

TEST(generation_stream, log_probabilities_travel_with_text_and_the_rest_with_the_end) {
  auto options = streamed();
  options.logprobs = true;
  options.endpoint = api::endpoint::completions;
  stream_world world(options);
  world.sink->push(stream_accepted{{1}});
  world.sink->push(stream_delta{0, "a", {10}, {{{"a", -0.5F}, {}, 0}}});
  EXPECT_NE(world.written().find("\"tokens\":[\"a\"],\"token_logprobs\":[-0.5]"), std::string::npos);
  world.sink->push(stream_delta{0, "", {11}, {{{"b", -1.5F}, {}, 1}}});
  EXPECT_EQ(world.written(), "");
  world.sink->push(stream_choice_end{0, finish_reason::length});
  world.sink->push(stream_summary{});
  const auto rest = world.written();
  EXPECT_EQ(count(rest, "\"token_logprobs\":[-1.5]"), 1U);
  EXPECT_LT(rest.find("token_logprobs"), rest.find("\"finish_reason\":\"length\""));
}

TEST(generation_stream, departure_cancels_once_and_late_events_change_nothing) {
  stream_world world(streamed());
  world.sink->push(stream_accepted{{1}});
  world.sink->push(stream_delta{0, "a", {1}});
  world.x->client_gone();
  world.sink->push(stream_delta{0, "late", {1}});
  world.sink->push(error{error_code::cancelled, "cancelled", ""});
  EXPECT_EQ(world.cancels, 1);
  EXPECT_EQ(world.written(), "");
}

}  // namespace
}  // namespace neap::http
