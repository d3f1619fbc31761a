// /v1/responses: its body as a chat's, its answer and its events.

#include "server/api/answer_form.hpp"
#include "server/api/json_reader.hpp"
#include "server/api/json_writer.hpp"

#include <gtest/gtest.h>

namespace neap::api {
namespace {

result<api_request> parse(const std::string& body) {
  return parse_request(endpoint::responses, body, {{{"m", 4096, 1000, 1}}, 7});
}

std::string messages_of(const std::string& body) {
  const auto request = parse(body);
  return request ? to_json(std::get<chat_prompt>(request->generation.prompts.front()).messages)
                 : request.error().message;
}

TEST(responses, items_become_messages) {
  EXPECT_EQ(messages_of(R"({"input":"Hi"})"), R"([{"role":"user","content":"Hi"}])");
  EXPECT_EQ(messages_of(R"({"instructions":"Be brief.","input":[{"role":"user","content":[{"type":"input_text","text":"a"},
                            {"type":"input_text","text":"b"}]},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"c"}]}]})"),
            R"([{"role":"system","content":"Be brief."},{"role":"user","content":"ab"},{"role":"assistant","content":"c"}])");
  EXPECT_EQ(messages_of(R"({"input":[{"role":"user","content":"w?"},
      {"type":"function_call","call_id":"c1","name":"f","arguments":"{\"a\":1}"},
      {"type":"function_call","call_id":"c2","name":"g","arguments":"{}"},
      {"type":"function_call_output","call_id":"c1","output":"sun"}]})"),
            R"([{"role":"user","content":"w?"},{"role":"assistant","content":"","tool_calls":[)"
            R"({"id":"c1","type":"function","function":{"name":"f","arguments":{"a":1}}},)"
            R"({"id":"c2","type":"function","function":{"name":"g","arguments":{}}}]},)"
            R"({"role":"tool","content":"sun","tool_call_id":"c1"}])");
}

TEST(responses, fields_have_the_chat_rules) {
  const auto request = parse(R"({"input":"Hi","max_output_tokens":5,"temperature":0,"stream":true,"service_tier":"priority",
      "tools":[{"type":"function","name":"f","description":"d","parameters":{"type":"object"}}],"metadata":{"a":"b"}})");
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_EQ(request->generation.max_tokens, 5U);
  EXPECT_EQ(request->generation.tag.tier, service_tier::vip);
  EXPECT_TRUE(request->answer.stream);
  EXPECT_EQ(to_json(std::get<chat_prompt>(request->generation.prompts.front()).tools),
            R"([{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object"}}}])");
}

TEST(responses, faults_name_their_field) {
  for (const auto& [body, param, code] : std::vector<std::tuple<std::string, std::string, error_code>>{
           {R"({})", "input", error_code::invalid_request},
           {R"({"input":[]})", "input", error_code::invalid_request},
           {R"({"input":7})", "input", error_code::invalid_request},
           {R"({"input":[7]})", "input[0]", error_code::invalid_request},
           {R"({"input":[{"role":"king","content":"x"}]})", "input[0].role", error_code::invalid_request},
           {R"({"input":[{"role":"user","content":[{"type":"input_image"}]}]})", "input[0].content",
            error_code::invalid_request},
           {R"({"input":[{"type":"web_search_call"}]})", "input[0].type", error_code::unsupported_field},
           {R"({"input":[{"type":"function_call"}]})", "input[0]", error_code::invalid_request},
           {R"({"input":"x","store":true})", "store", error_code::unsupported_field},
           {R"({"input":"x","previous_response_id":"r"})", "previous_response_id", error_code::unsupported_field},
           {R"({"input":"x","background":true})", "background", error_code::unsupported_field},
           {R"({"input":"x","text":{"format":{"type":"json_schema"}}})", "text.format", error_code::unsupported_field},
           {R"({"input":"x","tools":[{"type":"web_search"}]})", "tools", error_code::unsupported_field},
           {R"({"input":"x","max_output_tokens":0})", "max_output_tokens", error_code::invalid_request},
           {R"({"input":"x","temperature":9})", "temperature", error_code::invalid_request},
           {R"({"input":"x","metadata":{"a":1}})", "metadata", error_code::invalid_request}}) {
    const auto request = parse(body);
    ASSERT_FALSE(request) << body;
    EXPECT_EQ(request.error().param, param) << request.error().message;
    EXPECT_EQ(request.error().code, code) << body;
  }
}

std::string member(const std::string& json, std::string_view name) {
  const auto document = parse_json(json);
  const auto* found = document ? document->find(name) : nullptr;
  return found == nullptr ? "absent" : to_json(*found);
}

TEST(responses, events_follow_one_another) {
  auto request = parse(R"({"input":"Hi","stream":true,"instructions":"Be brief."})");
  auto form = make_answer_form(std::move(request->answer), 3, "m", 1);
  std::vector<std::string> events = form->begin_events(1);
  const auto add = [&](std::vector<std::string> more) { events.insert(events.end(), more.begin(), more.end()); };
  finished_choice piece;
  piece.text = "Hel";
  add(form->piece_events(0, piece));
  piece.text = "lo";
  add(form->piece_events(0, piece));
  piece.text.clear();
  piece.calls = {{0, "f", "{\"a\""}};
  add(form->piece_events(0, piece));
  piece.calls = {{0, "", ":1}"}};
  add(form->piece_events(0, piece));
  const stream_summary summary;
  add(form->finish_events(0, {}, &summary));
  std::vector<std::string> types;
  for (std::size_t i = 0; i < events.size(); ++i) {
    types.push_back(member(events[i], "type"));
    EXPECT_EQ(member(events[i], "sequence_number"), std::to_string(i));
  }
  EXPECT_EQ(types, (std::vector<std::string>{
                       "\"response.created\"", "\"response.in_progress\"", "\"response.output_item.added\"",
                       "\"response.content_part.added\"", "\"response.output_text.delta\"",
                       "\"response.output_text.delta\"", "\"response.output_text.done\"",
                       "\"response.content_part.done\"", "\"response.output_item.done\"",
                       "\"response.output_item.added\"", "\"response.function_call_arguments.delta\"",
                       "\"response.function_call_arguments.delta\"", "\"response.function_call_arguments.done\"",
                       "\"response.output_item.done\"", "\"response.completed\""}));
  EXPECT_EQ(member(events[6], "text"), "\"Hello\"");
  EXPECT_EQ(member(events[12], "arguments"), R"("{\"a\":1}")");
  const auto last = parse_json(events.back());
  const auto& response = *last->find("response");
  EXPECT_EQ(to_json(*response.find("status")), "\"completed\"");
  EXPECT_EQ(to_json(*response.find("instructions")), "\"Be brief.\"");
  EXPECT_EQ(response.find("output")->array()->size(), 2U);
}

TEST(responses, a_cut_answer_is_incomplete) {
  auto request = parse(R"({"input":"Hi"})");
  const finished_choice cut{"Hel", {}, finish_reason::length};
  const auto body = make_answer_form(std::move(request->answer), 3, "m", 1)->whole({&cut, 1}, {});
  EXPECT_EQ(member(body, "status"), "\"incomplete\"");
  EXPECT_EQ(member(body, "incomplete_details"), R"({"reason":"max_output_tokens"})");
  EXPECT_EQ(member(body, "object"), "\"response\"");
}

}  // namespace
}  // namespace neap::api
