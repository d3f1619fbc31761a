// Both forms of the messages: what is read, what is refused, what is written.

#include "messages/proto/websocket.pb.h"
#include "server/websocket/messages.hpp"

#include <gtest/gtest.h>

namespace neap::websocket {
namespace {

template <class T>
T read_as(const codec& form, const std::string& text) {
  const auto read = form.read(text);
  const auto* message = std::get_if<client_message>(&read);
  if (message == nullptr || !std::holds_alternative<T>(*message)) {
    ADD_FAILURE() << "not understood: " << text;
    return {};
  }
  return std::get<T>(*message);
}

bad_message refused(const codec& form, const std::string& text) {
  const auto read = form.read(text);
  if (const auto* bad = std::get_if<bad_message>(&read)) return *bad;
  ADD_FAILURE() << "taken: " << text;
  return {};
}

TEST(json_messages, are_read) {
  const auto& form = json_codec();
  const auto request = read_as<request_message>(
      form,
      R"({"type":"request","id":"a","endpoint":"completions","body":{"prompt":"x","seed":5},"credits":3})");
  EXPECT_EQ(request.id, "a");
  EXPECT_EQ(request.endpoint, api::endpoint::completions);
  EXPECT_EQ(request.body, R"({"prompt":"x","seed":5})");
  EXPECT_EQ(request.credits, 3U);
  EXPECT_FALSE(
      read_as<request_message>(form, R"({"type":"request","id":"a","endpoint":"chat","body":{}})").credits);
  EXPECT_EQ(read_as<cancel_message>(form, R"({"type":"cancel","id":"b"})").id, "b");
  EXPECT_EQ(read_as<credit_message>(form, R"({"type":"credit","id":"c","tokens":4294967296})").tokens,
            4294967296U);
  EXPECT_EQ(read_as<ping_message>(form, R"({"type":"ping","data":"d"})").data, "d");
  EXPECT_EQ(read_as<ping_message>(form, R"({"type":"ping"})").data, "");
}

TEST(json_messages, that_are_wrong_name_the_field) {
  struct wrong {
    const char* text;
    const char* id;
    const char* param;
  };
  const std::string long_id = R"({"type":"cancel","id":")" + std::string(65, 'x') + R"("})";
  for (const auto& [text, id, param] : {
           wrong{"", "", ""},
           wrong{"3", "", ""},
           wrong{"{}", "", "type"},
           wrong{R"({"type":"cancel"})", "", "id"},
           wrong{R"({"type":"cancel","id":""})", "", "id"},
           wrong{long_id.c_str(), "", "id"},
           wrong{R"({"type":"credit","id":"a","tokens":4294967297})", "", "tokens"},
           wrong{R"({"type":"credit","id":"a","tokens":"1"})", "", "tokens"},
           wrong{R"({"type":"request","id":"a","endpoint":"chat","body":"{}"})", "a", "body"},
           wrong{R"({"type":"request","id":"a","endpoint":1,"body":{}})", "a", "endpoint"},
       }) {
    const auto bad = refused(json_codec(), text);
    EXPECT_EQ(bad.id, id) << text;
    EXPECT_EQ(bad.fault.param, param) << text;
  }
  refused(json_codec(), R"({"type":"ping","data":")" + std::string(1025, 'x') + R"("})");
}

TEST(json_messages, are_written) {
  const auto& form = json_codec();
  EXPECT_EQ(form.event("a\"", R"({"x":1})", 2), R"({"type":"event","id":"a\"","tokens":2,"data":{"x":1}})");
  EXPECT_EQ(form.done("a"), R"({"type":"done","id":"a"})");
  EXPECT_EQ(form.pong("d"), R"({"type":"pong","data":"d"})");
  const error fault{error_code::cancelled, "why", "id"};
  EXPECT_TRUE(form.failure("a", fault).starts_with(R"({"type":"error","id":"a","error":{"message":"why")"))
      << form.failure("a", fault);
  EXPECT_TRUE(form.failure("", fault).starts_with(R"({"type":"error","error":{)"));
}

std::string text_of(const ClientMessage& message) { return message.SerializeAsString(); }

TEST(protobuf_messages, are_read) {
  const auto& form = protobuf_codec();
  ClientMessage message;
  message.mutable_request()->set_id("a");
  message.mutable_request()->set_endpoint(ENDPOINT_COMPLETIONS);
  message.mutable_request()->set_body("{}");
  EXPECT_FALSE(read_as<request_message>(form, text_of(message)).credits);
  message.mutable_request()->set_credits(0);
  const auto request = read_as<request_message>(form, text_of(message));
  EXPECT_EQ(request.body, "{}");
  EXPECT_EQ(request.endpoint, api::endpoint::completions);
  EXPECT_EQ(request.credits, 0U);
  message.mutable_cancel()->set_id("b");
  EXPECT_EQ(read_as<cancel_message>(form, text_of(message)).id, "b");
  message.mutable_credit()->set_id("c");
  message.mutable_credit()->set_tokens(9);
  EXPECT_EQ(read_as<credit_message>(form, text_of(message)).tokens, 9U);
  message.mutable_ping()->set_data("d");
  EXPECT_EQ(read_as<ping_message>(form, text_of(message)).data, "d");
}

TEST(protobuf_messages, that_are_wrong_are_refused) {
  const auto& form = protobuf_codec();
  EXPECT_EQ(refused(form, "").id, "");
  EXPECT_EQ(refused(form, "\xff\xff").id, "");
  ClientMessage message;
  message.mutable_request()->set_id("a");
  EXPECT_EQ(refused(form, text_of(message)).fault.param, "endpoint");
  EXPECT_EQ(refused(form, text_of(message)).id, "a");
  message.mutable_cancel();
  EXPECT_EQ(refused(form, text_of(message)).fault.param, "id");
  message.mutable_credit()->set_id("a");
  message.mutable_credit()->set_tokens(credit_limit + 1);
  EXPECT_EQ(refused(form, text_of(message)).fault.param, "tokens");
  message.mutable_ping()->set_data(std::string(1025, 'x'));
  EXPECT_EQ(refused(form, text_of(message)).fault.param, "data");
}

TEST(protobuf_messages, are_written) {
  const auto& form = protobuf_codec();
  ServerMessage message;
  ASSERT_TRUE(message.ParseFromString(form.event("a", "{}", 2)));
  EXPECT_EQ(message.event().data(), "{}");
  EXPECT_EQ(message.event().tokens(), 2U);
  ASSERT_TRUE(message.ParseFromString(form.done("a")));
  EXPECT_EQ(message.done().id(), "a");
  ASSERT_TRUE(message.ParseFromString(form.failure("a", {error_code::cancelled, "why", "p"})));
  EXPECT_EQ(message.error().problem().code(), "cancelled");
  EXPECT_EQ(message.error().problem().param(), "p");
  ASSERT_TRUE(message.ParseFromString(form.pong("d")));
  EXPECT_EQ(message.pong().data(), "d");
}

}  // namespace
}  // namespace neap::websocket
