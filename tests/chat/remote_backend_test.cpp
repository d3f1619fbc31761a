#include "server/chat/remote_backend.hpp"

#include "server/chat/answer_turn.hpp"
#include "server/http/http_server.hpp"
#include "tests/support/fake_gateway.hpp"

#include <gtest/gtest.h>

namespace neap::chat {
namespace {

using namespace std::chrono_literals;

class RemoteBackend : public testing::Test {
 protected:
  RemoteBackend() {
    http::server_options options;
    options.port = 0;
    auto bound = http::http_server::bind(options);
    server = std::move(*bound);
    EXPECT_TRUE(server->serve(node));
    remote.url = "http://127.0.0.1:" + std::to_string(server->port());
  }
  ~RemoteBackend() override { server->stop(100ms); }

  test::fake_gateway node;
  std::unique_ptr<http::http_server> server;
  remote_options remote;
  chat_state state;
  std::atomic<bool> cancelled{false};
};

TEST_F(RemoteBackend, FindsTheModelAndStreamsItsAnswer) {
  auto backend = make_remote_backend(remote);
  ASSERT_TRUE(backend) << backend.error().message;
  EXPECT_EQ((*backend)->model(), node.models().front().name);
  EXPECT_EQ((*backend)->context_length(), node.models().front().context_length);
  state.talk.ask("a");
  std::string shown;
  const auto keep = [&shown](std::string_view text) {
    shown += text;
    return true;
  };
  const auto outcome = answer_open_question(state, **backend, keep, cancelled, [] {});
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_FALSE(shown.empty());
  EXPECT_GT(outcome->answer_tokens, 0U);
}

TEST_F(RemoteBackend, CancelsByLeaving) {
  node.on_submit = [](auto&) { return test::words_script({"one ", "two ", "three "}, 200ms); };
  auto backend = make_remote_backend(remote);
  ASSERT_TRUE(backend);
  state.talk.ask("a");
  const auto cancel = [this](std::string_view) {
    cancelled = true;
    return true;
  };
  const auto outcome = answer_open_question(state, **backend, cancel, cancelled, [] {});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, error_code::cancelled);
  EXPECT_TRUE(node.wait_cancelled(1, 5s));
}

TEST_F(RemoteBackend, TellsTheServersErrorsInOneLine) {
  node.on_submit = [](auto&) {
    return test::failing_script({error_code::server_overloaded, "queue\nfull", {}});
  };
  auto backend = make_remote_backend(remote);
  ASSERT_TRUE(backend);
  state.talk.ask("a");
  const auto outcome = answer_open_question(
      state, **backend, [](auto) { return true; }, cancelled, [] {});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().message, "the server (HTTP 503): queue full");
}

TEST_F(RemoteBackend, AMissingTemplateIsKnownByItsCode) {
  node.on_submit = [](const generation_request& request) {
    const bool chat = std::holds_alternative<chat_prompt>(request.prompts[0]);
    return chat ? test::failing_script({error_code::template_missing, "no template", {}})
                : test::words_script({"more"});
  };
  auto backend = make_remote_backend(remote);
  ASSERT_TRUE(backend);
  state.talk.ask("a");
  EXPECT_TRUE(answer_open_question(
      state, **backend, [](auto) { return true; }, cancelled, [] {}));
  EXPECT_EQ(state.form, request_form::completion);
}

TEST(RemoteAddress, HasToBeHttpAndAnswer) {
  for (const auto& [url, words] :
       std::vector<std::pair<std::string, std::string>>{{"https://example.org", "https is not built in"},
                                                        {"ftp://a", "http://"},
                                                        {"http://127.0.0.1:1", "cannot connect"}}) {
    const auto backend = make_remote_backend({url, "", "", 5});
    ASSERT_FALSE(backend) << url;
    EXPECT_NE(backend.error().message.find(words), std::string::npos) << backend.error().message;
  }
}

}  // namespace
}  // namespace neap::chat
