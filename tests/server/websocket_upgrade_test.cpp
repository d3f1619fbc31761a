// What a head needs to become a WebSocket, and where browsers put their key.

#include "server/websocket/upgrade_check.hpp"

#include "server/http/access.hpp"

#include <gtest/gtest.h>

namespace neap::websocket {
namespace {

http::request_head good_head() {
  http::request_head head;
  head.method = "GET";
  head.target = "/v1/ws";
  head.fields = {{"host", "localhost"},
                 {"upgrade", "WebSocket"},
                 {"connection", "keep-alive, Upgrade"},
                 {"sec-websocket-version", "13"},
                 {"sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="}};
  return head;
}

void set(http::request_head& head, const std::string& name, const std::string& value) {
  for (auto& field : head.fields) {
    if (field.name == name) field.value = value;
  }
}

int status_of(const http::request_head& head) {
  const auto refusal = refuse_handshake(head);
  return refusal ? refusal->status : 101;
}

TEST(upgrade_check, asks) {
  auto head = good_head();
  EXPECT_TRUE(asks_for_websocket(head));
  set(head, "upgrade", "h2c");
  EXPECT_FALSE(asks_for_websocket(head));
  head = good_head();
  head.method = "POST";
  EXPECT_FALSE(asks_for_websocket(head));
}

TEST(upgrade_check, handshakes) {
  EXPECT_EQ(status_of(good_head()), 101);
  auto head = good_head();
  head.version = 10;
  EXPECT_EQ(status_of(head), 400);
  for (const auto& [name, value, status] : {std::tuple{"connection", "close", 400},
                                            {"sec-websocket-version", "12", 426},
                                            {"sec-websocket-key", "short", 400},
                                            {"sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQAA", 400},
                                            {"sec-websocket-key", "dGhlIHNh*XBsZSBub25jZQ==", 400}}) {
    head = good_head();
    set(head, name, value);
    EXPECT_EQ(status_of(head), status) << name << value;
  }
  head = good_head();
  head.fields.push_back({"content-length", "5"});
  EXPECT_EQ(status_of(head), 400);
}

TEST(upgrade_check, subprotocols) {
  auto head = good_head();
  EXPECT_EQ(choose_subprotocol(head), "");
  head.fields.push_back({"sec-websocket-protocol", "soap"});
  EXPECT_EQ(status_of(head), 400);
  head.fields.push_back({"sec-websocket-protocol", "neap.v1.proto , neap.v1.json"});
  EXPECT_EQ(choose_subprotocol(head), "neap.v1.proto");
  EXPECT_EQ(status_of(head), 101);
}

TEST(upgrade_check, a_key_among_the_subprotocols_becomes_a_header) {
  auto head = good_head();
  head.fields.push_back({"sec-websocket-protocol", "neap.v1.json, neap.key.c2stYj8_Pg"});
  move_key_to_header(head);
  EXPECT_EQ(head.value("authorization"),
            "Bearer sk-b?"
            "?>");
  EXPECT_EQ(head.value("sec-websocket-protocol"), "neap.v1.json");
  // The only entry: as if none was offered.
  head = good_head();
  head.fields.push_back({"sec-websocket-protocol", "neap.key.c2s"});
  move_key_to_header(head);
  EXPECT_EQ(head.value("authorization"), "Bearer sk");
  EXPECT_EQ(status_of(head), 101);
  // A header of the client's own wins.
  head = good_head();
  head.fields.push_back({"authorization", "Bearer own"});
  head.fields.push_back({"sec-websocket-protocol", "neap.key.c2s"});
  move_key_to_header(head);
  EXPECT_EQ(head.count("authorization"), 1U);
  EXPECT_EQ(head.value("authorization"), "Bearer own");
  // Line breaks and the like never get into a header.
  for (const std::string key : {"neap.key.", "neap.key.DQo", "neap.key.%%"}) {
    head = good_head();
    head.fields.push_back({"sec-websocket-protocol", key});
    move_key_to_header(head);
    EXPECT_EQ(head.value("authorization"), "Bearer ?") << key;
  }
}

TEST(upgrade_check, same_origin) {
  EXPECT_TRUE(http::is_same_origin("http://Localhost:80", "localhost:80"));
  EXPECT_TRUE(http::is_same_origin("https://a.example", "a.example"));
  EXPECT_FALSE(http::is_same_origin("http://a.example", "b.example"));
  EXPECT_FALSE(http::is_same_origin("null", "null"));
  EXPECT_FALSE(http::is_same_origin("file://a.example", "a.example"));
}

}  // namespace
}  // namespace neap::websocket
