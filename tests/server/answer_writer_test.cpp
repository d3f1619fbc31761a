#include "server/api/answer_writer.hpp"

#include "server/api/json_reader.hpp"

#include <gtest/gtest.h>

namespace neap::api {
namespace {

answer_writer make_writer(endpoint where, answer_options options = {}) {
  options.endpoint = where;
  options.ignored_fields = {"zeta"};
  return {options, 7, "fake-model", 1'700'000'000};
}

stream_summary make_summary() {
  stream_summary out;
  out.usage = {10, 4, 3};
  out.timings = {1.0, 2.0, 3.5, 6.5};
  out.decisions.decision.group = complexity_group::fast_group;
  out.decisions.decision.reason = "short";
  out.decisions.preemptions = 2;
  return out;
}

json_value parse_event(const std::string& event) {
  EXPECT_EQ(event.find_first_of("\r\n"), std::string::npos) << event;
  auto parsed = parse_json(event);
  EXPECT_TRUE(parsed) << event;
  return parsed ? std::move(*parsed) : json_value{};
}

// The member at a path of names and array indexes, as JSON text.
std::string at(const json_value& document, std::initializer_list<std::string_view> path) {
  const json_value* here = &document;
  for (const auto step : path) {
    if (const auto* list = here->array()) {
      here = &(*list)[static_cast<std::size_t>(step[0] - '0')];
    } else {
      here = here->find(step);
    }
    if (here == nullptr) return "absent";
  }
  return to_json(*here);
}

TEST(answer_writer, whole_chat_answer) {
  const finished_choice choice{"Hi \"you\"", {1, 2}, finish_reason::length};
  const auto body = parse_json(make_writer(endpoint::chat).whole({&choice, 1}, make_summary()));
  ASSERT_TRUE(body);
  EXPECT_EQ(at(*body, {"object"}), "\"chat.completion\"");
  EXPECT_TRUE(at(*body, {"id"}).starts_with("\"chatcmpl-"));
  EXPECT_EQ(at(*body, {"created"}), "1700000000");
  EXPECT_EQ(at(*body, {"model"}), "\"fake-model\"");
  EXPECT_EQ(at(*body, {"choices", "0", "message", "role"}), "\"assistant\"");
  EXPECT_EQ(at(*body, {"choices", "0", "message", "content"}), R"("Hi \"you\"")");
  EXPECT_EQ(at(*body, {"choices", "0", "finish_reason"}), "\"length\"");
  EXPECT_EQ(at(*body, {"choices", "0", "token_ids"}), "absent");
  EXPECT_EQ(
      at(*body, {"usage"}),
      R"({"prompt_tokens":10,"completion_tokens":4,"total_tokens":14,"prompt_tokens_details":{"cached_tokens":3}})");
  EXPECT_EQ(at(*body, {"timings", "decode_ms"}), "3.5");
  EXPECT_EQ(at(*body, {"timings", "cached_tokens"}), "3");
  EXPECT_EQ(at(*body, {"neap", "group"}), "\"FAST_GROUP\"");
  EXPECT_EQ(at(*body, {"neap", "lane"}), "\"batch\"");
  EXPECT_EQ(at(*body, {"neap", "preemptions"}), "2");
  EXPECT_EQ(at(*body, {"neap", "attempts"}), "1");
  EXPECT_EQ(at(*body, {"neap", "ignored_fields"}), R"(["zeta"])");
}

TEST(answer_writer, whole_completion_with_two_choices_and_tokens) {
  answer_options options;
  options.return_token_ids = true;
  const std::vector<finished_choice> choices{{"a", {1}, finish_reason::stop},
                                             {"b", {2, 3}, finish_reason::stop}};
  const auto body = parse_json(make_writer(endpoint::completions, options).whole(choices, make_summary()));
  ASSERT_TRUE(body);
  EXPECT_EQ(at(*body, {"object"}), "\"text_completion\"");
  EXPECT_EQ(at(*body, {"choices", "1", "index"}), "1");
  EXPECT_EQ(at(*body, {"choices", "1", "text"}), "\"b\"");
  EXPECT_EQ(at(*body, {"choices", "1", "token_ids"}), "[2,3]");
  EXPECT_EQ(at(*body, {"choices", "1", "finish_reason"}), "\"stop\"");
}

TEST(answer_writer, chat_events) {
  auto writer = make_writer(endpoint::chat);
  EXPECT_EQ(writer.begin_events(2).size(), 2U);
  const auto first = parse_event(writer.begin_events(2).at(0));
  EXPECT_EQ(at(first, {"object"}), "\"chat.completion.chunk\"");
  EXPECT_EQ(at(first, {"choices", "0", "delta"}), R"({"role":"assistant","content":""})");
  EXPECT_EQ(at(first, {"choices", "0", "finish_reason"}), "null");
  const auto delta = parse_event(writer.piece_events(1, {"x\u2028y", {5}}).at(0));
  EXPECT_EQ(at(delta, {"choices", "0", "index"}), "1");
  EXPECT_EQ(at(delta, {"choices", "0", "delta", "content"}), R"("x\u2028y")");
  EXPECT_EQ(at(delta, {"usage"}), "absent");
  EXPECT_EQ(at(delta, {"neap"}), "absent");
  const auto finish = parse_event(writer.finish_events(0, {}, nullptr).at(0));
  EXPECT_EQ(at(finish, {"choices", "0", "delta"}), "{}");
  EXPECT_EQ(at(finish, {"choices", "0", "finish_reason"}), "\"stop\"");
  EXPECT_EQ(at(finish, {"timings"}), "absent");
  const auto summary = make_summary();
  const auto last = parse_event(writer.finish_events(0, {}, &summary).at(0));
  EXPECT_EQ(at(last, {"timings", "total_ms"}), "6.5");
  EXPECT_EQ(at(last, {"usage"}), "absent");
}

scored_token scored(const std::string& bytes, float logprob, std::uint64_t offset = 0) {
  return {{bytes, logprob}, {{bytes, logprob}, {"other", -2.5F}}, offset};
}

// CASES C29.
TEST(answer_writer, chat_logprobs) {
  answer_options options;
  options.logprobs = true;
  auto writer = make_writer(endpoint::chat, options);
  const finished_choice choice{
      "a", {1}, finish_reason::stop, {scored("a", -0.25F), scored("\xF0\x9F", -1.0F)}};
  const auto body = parse_json(writer.whole({&choice, 1}, make_summary()));
  EXPECT_EQ(
      at(*body, {"choices", "0", "logprobs", "content", "0"}),
      R"({"token":"a","logprob":-0.25,"bytes":[97],"top_logprobs":[{"token":"a","logprob":-0.25,"bytes":[97]},)"
      R"({"token":"other","logprob":-2.5,"bytes":[111,116,104,101,114]}]})");
  EXPECT_EQ(at(*body, {"choices", "0", "logprobs", "content", "1", "bytes"}), "[240,159]");
  EXPECT_EQ(at(*body, {"choices", "0", "logprobs", "content", "1", "token"}), R"("bytes:\\xf0\\x9f")");
  const auto delta = parse_event(writer.piece_events(0, {"a", {1}, finish_reason::stop, {scored("a", -0.25F)}}).at(0));
  EXPECT_EQ(at(delta, {"choices", "0", "logprobs", "content", "0", "token"}), "\"a\"");
  EXPECT_EQ(at(parse_event(writer.piece_events(0, {"a", {1}}).at(0)), {"choices", "0", "logprobs"}), "null");
  const finished_choice none{"", {}, finish_reason::stop};
  EXPECT_EQ(
      at(*parse_json(writer.whole({&none, 1}, make_summary())), {"choices", "0", "logprobs", "content"}),
      "[]");
  EXPECT_EQ(at(*parse_json(make_writer(endpoint::chat).whole({&none, 1}, make_summary())),
               {"choices", "0", "logprobs"}),
            "null");
}

TEST(answer_writer, completion_logprobs) {
  answer_options options;
  options.logprobs = true;
  const finished_choice choice{
      "ab", {1, 2}, finish_reason::stop, {{{"a", std::nullopt}, {}, 0}, {{"b", -3.0F}, {{"c", -0.5F}}, 1}}};
  const auto body =
      parse_json(make_writer(endpoint::completions, options).whole({&choice, 1}, make_summary()));
  EXPECT_EQ(at(*body, {"choices", "0", "logprobs"}),
            R"({"tokens":["a","b"],"token_logprobs":[null,-3],"top_logprobs":[null,{"c":-0.5,"b":-3}],)"
            R"("text_offset":[0,1]})");
}

// CASES C45.
TEST(answer_writer, usage_event_has_no_choices) {
  const auto event = parse_event(make_writer(endpoint::chat).usage_events(make_summary()).at(0));
  EXPECT_EQ(at(event, {"choices"}), "[]");
  EXPECT_EQ(at(event, {"usage", "total_tokens"}), "14");
  EXPECT_EQ(at(event, {"neap", "group"}), "\"FAST_GROUP\"");
}

TEST(answer_writer, completion_events) {
  auto writer = make_writer(endpoint::completions);
  EXPECT_TRUE(writer.begin_events(1).empty());
  const auto delta = parse_event(writer.piece_events(0, {"x", {}}).at(0));
  EXPECT_EQ(at(delta, {"object"}), "\"text_completion\"");
  EXPECT_EQ(at(delta, {"choices", "0", "text"}), "\"x\"");
}

TEST(answer_writer, error_objects_are_complete) {
  const error fault{error_code::invalid_request, "top_p must be ... \xFF", "top_p"};
  const auto body = parse_json(error_body(fault));
  ASSERT_TRUE(body);
  EXPECT_EQ(at(*body, {"error", "type"}), "\"invalid_request_error\"");
  EXPECT_EQ(at(*body, {"error", "param"}), "\"top_p\"");
  EXPECT_EQ(at(*body, {"error", "code"}), "\"invalid_request\"");
  const auto event = parse_event(error_body({error_code::internal, "bo\nom", ""}));
  EXPECT_EQ(at(event, {"error", "type"}), "\"server_error\"");
  EXPECT_EQ(at(event, {"error", "param"}), "null");
}

}  // namespace
}  // namespace neap::api
