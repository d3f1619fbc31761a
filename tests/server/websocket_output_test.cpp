// The answer of one request among others: credits, the shared limit, its ends. No sockets.

#include "server/websocket/request_output.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace neap::websocket {
namespace {

struct fake_channel final : answer_channel {
  const codec& form() const override { return json_codec(); }
  void send(std::string message) override { sent.push_back(std::move(message)); }
  std::size_t buffered() const override { return in_socket; }
  void ended(const std::string& id) override { ends.push_back(id); }
  void check_held() override { ++checks; }

  std::vector<std::string> sent;
  std::vector<std::string> ends;
  std::size_t in_socket = 0;
  int checks = 0;
};

struct world {
  explicit world(std::optional<std::uint64_t> credits = {}) {
    request_message request;
    request.id = "a";
    request.credits = credits;
    out = std::make_shared<request_output>(channel, request, [](auto task) { task(); });
    out->on_gone([this] { ++gone; });
    out->on_drained([this] { ++drained; });
  }

  fake_channel channel;
  std::shared_ptr<request_output> out;
  int gone = 0;
  int drained = 0;
};

const std::string done = R"({"type":"done","id":"a"})";

TEST(request_output, without_credits_nothing_waits) {
  world w;
  for (int i = 0; i < 3; ++i) w.out->delta("{}", 5);
  EXPECT_EQ(w.channel.sent.size(), 3U);
  w.out->finish();
  EXPECT_EQ(w.channel.sent.back(), done);
  EXPECT_EQ(w.channel.ends, std::vector<std::string>{"a"});
}

TEST(request_output, credits_are_spent_and_granted) {
  world w(2);
  w.out->event("{}");  // no text, no credit
  for (int i = 0; i < 4; ++i) w.out->delta("{}", 1);
  w.out->event("{}");
  w.out->finish();
  EXPECT_EQ(w.channel.sent.size(), 3U);
  EXPECT_EQ(w.out->held(), 6U);
  EXPECT_TRUE(w.out->paused_since());
  w.out->grant(1);
  EXPECT_EQ(w.channel.sent.size(), 4U);
  EXPECT_TRUE(w.out->paused_since());
  w.out->grant(1);
  ASSERT_EQ(w.channel.sent.size(), 7U);
  EXPECT_EQ(w.channel.sent.back(), done);
  EXPECT_EQ(w.out->held(), 0U);
}

TEST(request_output, a_large_event_is_made_up_for_later) {
  world w(1);
  w.out->delta("{}", 10);
  w.out->delta("{}", 1);
  w.out->grant(9);
  EXPECT_EQ(w.channel.sent.size(), 1U);
  w.out->grant(1);
  EXPECT_EQ(w.channel.sent.size(), 2U);
}

TEST(request_output, its_source_hears_when_there_is_room_again) {
  world w(0);
  w.out->delta("{}", 1);
  w.out->on_socket_drained();
  EXPECT_EQ(w.drained, 0);
  w.channel.in_socket = 10;
  w.out->grant(5);
  EXPECT_EQ(w.drained, 0);
  EXPECT_EQ(w.out->buffered(), 10U);
  w.out->on_socket_drained();
  EXPECT_EQ(w.drained, 1);
}

TEST(request_output, ends_once) {
  world w(0);
  w.out->delta("{}", 1);
  w.out->cancel();
  EXPECT_EQ(w.gone, 1);
  ASSERT_EQ(w.channel.sent.size(), 1U);
  EXPECT_NE(w.channel.sent[0].find(R"("code":"cancelled")"), std::string::npos);
  w.out->grant(5);
  w.out->delta("{}", 1);
  w.out->finish();
  w.out->abort();
  w.out->on_socket_closed();
  EXPECT_EQ(w.channel.sent.size(), 1U);
  EXPECT_EQ(w.gone, 1);
  EXPECT_EQ(w.channel.ends.size(), 1U);
}

TEST(request_output, a_closed_socket_ends_it_silently) {
  world w;
  w.out->on_socket_closed();
  EXPECT_EQ(w.gone, 1);
  EXPECT_TRUE(w.channel.sent.empty());
  EXPECT_TRUE(w.channel.ends.empty());
  EXPECT_EQ(w.out->buffered(), 0U);
}

TEST(request_output, what_is_held_is_told) {
  world w(0);
  w.out->holds(100);
  EXPECT_EQ(w.channel.checks, 1);
  w.out->delta("{}", 1);
  EXPECT_EQ(w.out->held(), 102U);
  EXPECT_EQ(w.channel.checks, 2);
  w.out->holds(50);
  EXPECT_EQ(w.channel.checks, 2);
}

}  // namespace
}  // namespace neap::websocket
