// Tool calls in chat answers: found in the text, written as OpenAI's clients read them.

#include "server/api/json_reader.hpp"
#include "server/http/generation_stream.hpp"
#include "server/http/sse_output.hpp"

#include <gtest/gtest.h>

#include <random>

namespace neap::http {
namespace {

constexpr const char* two_calls =
    "I look.\n<tool_call>\n{\"name\": \"weather\", \"arguments\": {\"city\": \"Cologne\"}}\n</tool_call>\n"
    "<tool_call>{\"name\": \"time\", \"arguments\": {}}</tool_call>";

// The answer to the text in so many pieces, as the socket gets it.
std::string answer(const std::string& text, std::size_t piece, bool stream,
                   finish_reason reason = finish_reason::stop) {
  api::answer_options options;
  options.stream = stream;
  options.tools = text::tool_call_format::hermes;
  const auto x = std::make_shared<exchange>(7, request_head{}, received_body{},
                                            exchange_hooks{[](auto task) { task(); }, [] {}, nullptr, nullptr});
  const auto sink = std::make_shared<generation_stream>(make_sse_output(x), api::make_answer_form(options, 1, "m", 1),
                                                        1, 1 << 20, [] {});
  sink->attach();
  sink->push(stream_accepted{{1}});
  for (std::size_t i = 0; i < text.size(); i += piece) sink->push(stream_delta{0, text.substr(i, piece), {1}});
  sink->push(stream_choice_end{0, reason});
  sink->push(stream_summary{});
  return x->take_output();
}

const json_value& at(const json_value& from, std::string_view name) {
  static const json_value none;
  const auto* found = from.find(name);
  return found == nullptr ? none : *found;
}

std::string text_at(const json_value& from, std::string_view name) {
  const auto* text = at(from, name).string();
  return text == nullptr ? "" : *text;
}

struct read_answer {
  std::string content;
  std::vector<std::pair<std::string, std::string>> calls;  // name, arguments
  std::vector<std::string> ids;
  std::string reason;
  bool null_content = false;
};

read_answer read_whole(const std::string& bytes) {
  read_answer out;
  const auto body = api::parse_json(bytes.substr(bytes.find("\r\n\r\n") + 4));
  const auto& choice = at(*body, "choices").array()->front();
  const auto& message = at(choice, "message");
  out.content = text_at(message, "content");
  out.null_content = at(message, "content").is_null();
  out.reason = text_at(choice, "finish_reason");
  if (const auto* calls = at(message, "tool_calls").array())
    for (const auto& call : *calls) {
      out.calls.emplace_back(text_at(at(call, "function"), "name"), text_at(at(call, "function"), "arguments"));
      out.ids.push_back(text_at(call, "id"));
    }
  return out;
}

// Put together as OpenAI's clients do it: by index.
read_answer read_stream(const std::string& bytes) {
  read_answer out;
  for (auto begin = bytes.find("data: {"); begin != std::string::npos; begin = bytes.find("data: {", begin + 1)) {
    const auto event = api::parse_json(bytes.substr(begin + 6, bytes.find("\n", begin) - begin - 6));
    const auto& choice = at(*event, "choices").array()->front();
    const auto& delta = at(choice, "delta");
    out.content += text_at(delta, "content");
    out.reason += text_at(choice, "finish_reason");
    const auto* calls = at(delta, "tool_calls").array();
    if (calls == nullptr) continue;
    for (const auto& call : *calls) {
      const auto index = static_cast<std::size_t>(std::get<std::int64_t>(at(call, "index").data));
      if (index >= out.calls.size()) {
        out.calls.resize(index + 1);
        out.ids.push_back(text_at(call, "id"));
      }
      out.calls[index].first += text_at(at(call, "function"), "name");
      out.calls[index].second += text_at(at(call, "function"), "arguments");
    }
  }
  return out;
}

const std::vector<std::pair<std::string, std::string>> wanted{{"weather", "{\"city\": \"Cologne\"}"}, {"time", "{}"}};

// C50: the last piece of text is empty or ends a call.
TEST(tool_call_answer, whole_and_streamed_calls_are_the_same) {
  for (const std::size_t piece : {1, 2, 3, 7, 50, 1000}) {
    const auto whole = read_whole(answer(two_calls, piece, false));
    const auto streamed = read_stream(answer(two_calls, piece, true));
    for (const auto& got : {whole, streamed}) {
      EXPECT_EQ(got.calls, wanted) << piece;
      EXPECT_EQ(got.content, "I look.\n") << piece;
      EXPECT_EQ(got.reason, "tool_calls") << piece;
      ASSERT_EQ(got.ids.size(), 2U);
      EXPECT_NE(got.ids[0], got.ids[1]);
      EXPECT_TRUE(got.ids[0].starts_with("call_"));
    }
    EXPECT_EQ(whole.ids, streamed.ids);
  }
}

TEST(tool_call_answer, calls_alone_have_no_content) {
  const auto got = read_whole(answer("<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": 1}}</tool_call>", 4, false));
  EXPECT_TRUE(got.null_content);
  EXPECT_EQ(got.reason, "tool_calls");
}

TEST(tool_call_answer, text_without_calls_stays_text) {
  for (const std::string text : {"hello", "a < b <tool", "<tool_call>no json</tool_call>", "{\"name\": 1}"}) {
    const auto got = read_whole(answer(text, 3, false));
    EXPECT_EQ(got.content, text);
    EXPECT_EQ(got.reason, "stop");
    EXPECT_TRUE(got.calls.empty());
    EXPECT_EQ(read_stream(answer(text, 3, true)).content, text);
  }
}

TEST(tool_call_answer, a_cut_off_call_is_no_call) {
  const std::string text = "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": ";
  const auto whole = read_whole(answer(text, 3, false, finish_reason::length));
  EXPECT_EQ(whole.content, text);
  EXPECT_TRUE(whole.calls.empty());
  EXPECT_EQ(whole.reason, "length");
  EXPECT_EQ(read_stream(answer(text, 3, true, finish_reason::length)).reason, "length");
  EXPECT_EQ(read_stream(answer(text, 3, true)).reason, "stop") << "an incomplete call must not be executed";
}

}  // namespace
}  // namespace neap::http
