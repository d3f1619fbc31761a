// The gateway that other threads call, on the whole pipeline in virtual time.

#include "actors/gateway_bridge.hpp"

#include "tests/actors/node_world.hpp"

namespace neap::test {
namespace {

using namespace neap::actors;

class bridge : public node_world {
 protected:
  void open() {
    start();
    gateway = std::make_unique<gateway_bridge>(
        system, static_cast<const node_actors&>(*this), std::vector<served_model>{{"model", limits.context_length, 1000, 0}});
  }

  // A request through the bridge; nothing runs yet.
  std::pair<request_id, std::shared_ptr<recording_sink>> ask(std::uint32_t max_tokens) {
    auto request = request_of("hello", max_tokens);
    const auto id = request.id = gateway->next_request_id();
    request.arrival = now();
    auto sink = std::make_shared<recording_sink>();
    gateway->submit(std::move(request), sink);
    return {id, sink};
  }

  std::unique_ptr<gateway_bridge> gateway;
};

TEST_F(bridge, submits_and_cancels) {
  open();
  const auto [first, whole] = ask(6);
  const auto [second, cut] = ask(500);
  EXPECT_NE(first, second);
  for (int i = 0; i < 80; ++i) scheduler.try_run_once();
  gateway->cancel(second);
  gateway->cancel(4711);
  run();
  EXPECT_EQ(whole->failure(), nullptr);
  EXPECT_EQ(whole->tokens().size(), 6U);
  ASSERT_NE(cut->failure(), nullptr);
  EXPECT_EQ(cut->failure()->code, error_code::cancelled);
  EXPECT_EQ(cut->fault(), "");
  EXPECT_EQ(fault_at_rest(), "");
}

TEST_F(bridge, answers_tokenize_detokenize_and_metrics) {
  open();
  std::vector<token_id> tokens;
  std::string text, metrics;
  std::optional<error> refused;
  gateway->tokenize(text_prompt{"ab"}, [&](auto x) { tokens = x ? *x : std::vector<token_id>{}; });
  gateway->detokenize({7, 8}, [&](auto x) { text = x ? *x : ""; });
  gateway->detokenize({7, 1'000'000}, [&](auto x) { refused = x ? std::nullopt : std::optional{x.error()}; });
  gateway->metrics([&](auto x) { metrics = x ? *x : ""; });
  run();
  EXPECT_EQ(tokens, (std::vector<token_id>{197, 198}));
  EXPECT_EQ(text, "w7 w8 ");
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->code, error_code::invalid_request);
  EXPECT_NE(metrics.find("neap:num_requests_running 0\n"), std::string::npos);
}

// Whoever asks a lost actor gets an error, not silence.
TEST_F(bridge, answers_even_if_an_actor_is_lost) {
  open();
  crash(peer().encoder);
  crash(peer().telemetry);
  run();
  int errors = 0;
  gateway->tokenize(text_prompt{"ab"}, [&](auto x) { errors += x ? 0 : 1; });
  gateway->detokenize({7}, [&](auto x) { errors += x ? 0 : 1; });
  gateway->metrics([&](auto x) { errors += x ? 0 : 1; });
  const auto [id, sink] = ask(6);
  run();
  EXPECT_EQ(errors, 3);
  EXPECT_EQ(sink->end(), nullptr) << "a request waits for the next encoder";
  EXPECT_EQ(gateway->ready(), readiness::restarting);
  advance(std::chrono::seconds{1});
  run();
  EXPECT_EQ(gateway->ready(), readiness::ready);
  EXPECT_EQ(sink->tokens().size(), 6U);
  gateway->tokenize(text_prompt{"ab"}, [&](auto x) { errors += x ? 0 : 1; });
  run();
  EXPECT_EQ(errors, 3);
}

TEST_F(bridge, refuses_at_once_while_ingress_is_lost) {
  open();
  crash(peer().ingress);
  run();
  const auto [id, sink] = ask(6);
  run();
  ASSERT_NE(sink->failure(), nullptr) << "the client would wait for ever";
  EXPECT_EQ(sink->failure()->code, error_code::internal);
  advance(std::chrono::seconds{1});
  run();
  EXPECT_EQ(ask(6).second->end(), nullptr);
  run();
  EXPECT_EQ(fault_at_rest(), "");
}

TEST_F(bridge, refuses_at_once_after_the_end) {
  open();
  stop();
  const auto [id, sink] = ask(6);
  ASSERT_NE(sink->failure(), nullptr) << "the client would wait for ever";
  gateway->cancel(id);
  int errors = 0;
  gateway->metrics([&](auto x) { errors += x ? 0 : 1; });
  EXPECT_EQ(errors, 1);
}

TEST_F(bridge, shows_every_actor) {
  open();
  const auto [id, sink] = ask(6);
  run();
  crash(peer().classifier);
  run();
  advance(std::chrono::seconds{1});
  run();
  std::vector<actor_view> views;
  gateway->inspect_actors([&](auto x) { views = x ? *x : std::vector<actor_view>{}; });
  run();
  std::vector<std::string> names;
  for (const auto& view : views) {
    names.push_back(view.name);
    EXPECT_TRUE(view.answered) << view.name;
    EXPECT_TRUE(view.handled > 0 || view.name == "classifier") << view.name;  // a new one has not heard anything
    EXPECT_FALSE(view.state.empty()) << view.name;
    EXPECT_EQ(view.restarts, view.name == "classifier" ? 1U : 0U) << view.name;
    EXPECT_GE(view.age, 0) << view.name;
  }
  EXPECT_EQ(names, (std::vector<std::string>{"telemetry", "memory_manager", "classifier", "text_encoder",
                                             "gpu_executor", "batcher", "defrag_timer", "ingress", "supervisor"}));
}

// Nothing of a node may stay silent unseen.
TEST_F(bridge, shows_a_lost_actor_by_its_card) {
  open();
  crash(peer().encoder);
  std::vector<actor_view> views;
  gateway->inspect_actors([&](auto x) { views = x ? *x : std::vector<actor_view>{}; });
  run();
  ASSERT_EQ(views.size(), 9U);
  EXPECT_FALSE(views[3].answered);
  EXPECT_TRUE(views[3].state.empty());
  EXPECT_TRUE(views[4].answered);
}

TEST_F(bridge, shows_live_requests) {
  open();
  auto tagged = request_of("hello", 500);
  tagged.id = gateway->next_request_id();
  tagged.tag = {service_tier::vip, request_type::batch, sensitivity::realtime, -3};
  tagged.arrival = now();
  const auto tag = tagged.tag;
  const auto first = tagged.id;
  gateway->submit(std::move(tagged), std::make_shared<recording_sink>());
  const auto [second, sink] = ask(500);
  std::vector<request_view> views;
  const auto look = [&] {
    gateway->inspect_requests([&](auto x) { views = x ? *x : std::vector<request_view>{}; });
  };
  look();
  for (int i = 0; i < 400 && views.empty(); ++i) scheduler.try_run_once();
  for (int i = 0; i < 400; ++i) scheduler.try_run_once();
  views.clear();
  look();
  for (int i = 0; i < 400 && views.empty(); ++i) scheduler.try_run_once();
  ASSERT_EQ(views.size(), 2U);
  EXPECT_EQ(views[0].id, first);
  EXPECT_EQ(views[0].tag, tag);
  EXPECT_EQ(views[1].id, second);
  for (const auto& view : views) {
    EXPECT_EQ(view.stage, request_stage::decoding);
    EXPECT_GT(view.completion_tokens, 0U);
    EXPECT_GT(view.kv_blocks, 0U);
    EXPECT_GE(view.computed_tokens, view.prompt_tokens);
    EXPECT_TRUE(view.decision);
    EXPECT_EQ(view.open_choices, 1U);
  }
  gateway->cancel(first);
  gateway->cancel(second);
  run();
  look();
  run();
  EXPECT_TRUE(views.empty());
  EXPECT_EQ(fault_at_rest(), "");
}

TEST_F(bridge, says_what_it_serves) {
  open();
  EXPECT_EQ(gateway->models().front().name, "model");
  EXPECT_EQ(gateway->ready(), readiness::ready);
}

}  // namespace
}  // namespace neap::test
