// Requests through all actors of a node, in virtual time.

#include "tests/actors/node_world.hpp"

#include <caf/event_based_actor.hpp>

namespace neap::test {
namespace {

using namespace neap::actors;
using namespace std::chrono_literals;

class pipeline : public node_world {};

TEST_F(pipeline, a_request_gets_its_whole_answer_in_order) {
  start();
  auto& mine = submit("hello", 6);
  run();
  EXPECT_EQ(fault_at_rest(), "");
  ASSERT_EQ(mine.sink->events.size(), 9U);
  EXPECT_EQ(std::get<stream_accepted>(mine.sink->events[0]).prompt_tokens, std::vector<std::uint32_t>{5});
  const auto& summary = std::get<stream_summary>(mine.sink->events.back());
  EXPECT_EQ(summary.usage.completion_tokens, 6U);
  EXPECT_EQ(summary.decisions.decision.group, complexity_group::fast_group);
  EXPECT_NE(summary.decisions.decision.reason.find("5 tokens"), std::string::npos);
}

TEST_F(pipeline, many_requests_share_steps) {
  start();
  for (int i = 0; i < 8; ++i) submit("request number " + std::to_string(i), 20);
  run();
  EXPECT_EQ(fault_at_rest(), "");
  EXPECT_LT(device->steps(), 40U) << "8 x 20 tokens in far fewer steps";
}

TEST_F(pipeline, several_prompts_of_one_request) {
  start();
  auto request = request_of("first", 5);
  request.prompts.emplace_back(text_prompt{"second prompt"});
  auto& mine = submit(std::move(request));
  run();
  EXPECT_EQ(fault_at_rest(), "");
  EXPECT_EQ(std::get<stream_accepted>(mine.sink->events[0]).prompt_tokens,
            (std::vector<std::uint32_t>{5, 13}));
}

TEST_F(pipeline, several_answers_to_each_prompt) {
  start();
  auto request = request_of("first", 5);
  request.prompts.emplace_back(text_prompt{"second prompt"});
  request.choices_per_prompt = 3;
  auto& mine = submit(std::move(request));
  run();
  EXPECT_EQ(fault_at_rest(), "");
  EXPECT_EQ(std::get<stream_accepted>(mine.sink->events[0]).prompt_tokens,
            (std::vector<std::uint32_t>{5, 5, 5, 13, 13, 13}));
  EXPECT_NE(mine.sink->tokens(0), mine.sink->tokens(1));
  EXPECT_EQ(std::get<stream_summary>(mine.sink->events.back()).usage.prompt_tokens, 18U);
}

// All or none: a queue without room for every answer takes none of them.
TEST_F(pipeline, answers_are_admitted_together_or_not_at_all) {
  world_options options;
  options.max_sequences = 2;
  options.max_queue = 3;
  start(options);
  auto request = request_of("first", 5);
  request.choices_per_prompt = 8;
  auto& mine = submit(std::move(request));
  run();
  ASSERT_NE(mine.sink->failure(), nullptr);
  EXPECT_EQ(mine.sink->failure()->code, error_code::server_overloaded);
  EXPECT_EQ(mine.sink->events.size(), 1U);
  EXPECT_EQ(fault_at_rest(), "");
}

// No answer, but the way of every other request: classifier, batcher, executor, with others in the batch.
TEST_F(pipeline, embeddings_go_with_the_batch) {
  start();
  auto request = request_of("to embed", 0);
  request.embeds = true;
  request.prompts.emplace_back(text_prompt{std::string(200, 'x')});
  submit("beside it", 20);
  auto& mine = submit(std::move(request));
  run();
  EXPECT_EQ(fault_at_rest(), "");
  std::vector<std::vector<float>> vectors(2);
  for (const auto& event : mine.sink->events)
    if (const auto* vector = std::get_if<stream_embedding>(&event))
      vectors.at(vector->choice) = vector->values;
  const auto tokens = [](const std::string& text) {
    return word_tokenizer{}.tokenizer::encode(text, false, true);
  };
  EXPECT_EQ(vectors[0], fake_embedding(tokens("to embed")));
  EXPECT_EQ(vectors[1], fake_embedding(tokens(std::string(200, 'x'))));
  const auto& summary = std::get<stream_summary>(mine.sink->events.back());
  EXPECT_EQ(summary.usage.prompt_tokens, 208U);
  EXPECT_EQ(summary.usage.completion_tokens, 0U);
}

TEST_F(pipeline, an_embedding_can_be_cancelled_and_refused) {
  start();
  auto request = request_of("to embed", 0);
  request.embeds = true;
  auto& first = submit(request);
  cancel(first.request->id);
  request.prompts = {text_prompt{std::string(5000, 'x')}};
  auto& second = submit(request);
  run();
  EXPECT_EQ(first.sink->failure()->code, error_code::cancelled);
  EXPECT_EQ(second.sink->failure()->code, error_code::context_length_exceeded);
  EXPECT_EQ(fault_at_rest(), "");
}

// CASES C26.
TEST_F(pipeline, echo_sends_the_prompt_and_its_log_probabilities) {
  for (const std::uint32_t length : {0U, 3U}) {
    start();
    auto request = request_of("hello", length);
    request.echo = true;
    request.choices_per_prompt = 2;
    request.sampling.logprobs = 0;
    request.sampling.prompt_logprobs = true;
    auto& mine = submit(std::move(request));
    run();
    std::string text;
    std::vector<scored_token> scores;
    for (const auto& event : mine.sink->events) {
      const auto* delta = std::get_if<stream_delta>(&event);
      if (delta == nullptr || delta->choice != 1) continue;
      text += delta->text;
      scores.insert(scores.end(), delta->scores.begin(), delta->scores.end());
    }
    EXPECT_TRUE(text.starts_with("hello"));
    EXPECT_EQ(text == "hello", length == 0);
    ASSERT_GE(scores.size(), 5U);
    EXPECT_FALSE(scores[0].token.logprob);
    for (std::size_t i = 1; i < 5; ++i) EXPECT_EQ(scores[i].token.logprob, -static_cast<float>(i));
    const auto& summary = std::get<stream_summary>(mine.sink->events.back());
    EXPECT_EQ(summary.usage.completion_tokens, 2 * length);
    EXPECT_EQ(fault_at_rest(), "");
  }
}

TEST_F(pipeline, a_stop_string_ends_the_sequence_on_the_device) {
  start();
  auto request = request_of("hello", 40);
  const auto third = right_answer(request)[2];
  request.stop.strings = {"w" + std::to_string(third) + " "};
  auto& mine = submit(std::move(request));
  run();
  EXPECT_EQ(mine.sink->failure(), nullptr);
  EXPECT_EQ(mine.sink->tokens().size(), 3U);
  EXPECT_EQ(device->open_sequences(), 0U);
  EXPECT_LE(device->rows_of(1), 6U) << "three tokens, and what was under way when the cancel came";
  EXPECT_EQ(figure(peer().batcher, "blocks_used"), "0");
}

TEST_F(pipeline, a_tiny_pool_preempts_and_loses_nothing) {  // C60
  start({24, 8});
  for (int i = 0; i < 8; ++i) submit("prompt " + std::to_string(i), 60);
  run();
  EXPECT_NE(figure(peer().batcher, "preemptions"), "0");
  EXPECT_EQ(fault_at_rest(), "");
}

TEST_F(pipeline, what_does_not_fit_is_refused_before_the_stream_begins) {  // C24
  start();
  auto& long_one = submit(std::string(3000, 'x'), 5);
  run();
  ASSERT_EQ(long_one.sink->events.size(), 1U);
  EXPECT_EQ(long_one.sink->failure()->code, error_code::context_length_exceeded);
  auto& bigger_than_pool = submit(std::string(1500, 'x'), 5);
  run();
  ASSERT_EQ(bigger_than_pool.sink->events.size(), 1U);
  EXPECT_EQ(bigger_than_pool.sink->failure()->code, error_code::context_length_exceeded);
  submit("after");
  run();
  EXPECT_EQ(fault_at_rest(), "");
}

TEST_F(pipeline, a_full_server_refuses_at_once) {  // C39: one slot, two may wait
  start({64, 1, 2, 3});
  for (int i = 0; i < 12; ++i) submit("r", 30);
  run();
  int served = 0, refused = 0;
  for (const auto& [id, each] : clients) {
    served += each.sink->failure() == nullptr ? 1 : 0;
    refused += each.sink->failure() != nullptr && each.sink->failure()->code == error_code::server_overloaded;
  }
  EXPECT_EQ(served, 3);
  EXPECT_EQ(refused, 9);
  EXPECT_EQ(fault_at_rest(), "");
}

TEST_F(pipeline, a_deadline_ends_a_request_on_time) {
  start();
  auto request = request_of("hello", 900);
  request.deadline = 50ms;
  auto& mine = submit(std::move(request));
  for (int i = 0; i < 60; ++i) scheduler.try_run_once();
  advance(49ms);
  for (int i = 0; i < 20; ++i) scheduler.try_run_once();
  EXPECT_EQ(mine.sink->end(), nullptr);
  advance(1ms);
  run();
  ASSERT_NE(mine.sink->failure(), nullptr);
  EXPECT_EQ(mine.sink->failure()->code, error_code::deadline_exceeded);
  EXPECT_EQ(fault_at_rest(), "");
}

class drained : public pipeline {
 protected:
  void drain(std::chrono::milliseconds limit) {
    system.spawn([this, limit, ingress = peer().ingress](caf::event_based_actor* self) {
      self->request(ingress, caf::infinite, drain_a::value, static_cast<std::uint64_t>(limit.count()))
          .then([this](bool complete) { answer = complete; }, [](const caf::error&) {});
    });
  }

  std::optional<bool> answer;
};

TEST_F(drained, running_requests_finish_and_new_ones_are_refused) {
  start();
  submit("running", 200);
  for (int i = 0; i < 40; ++i) scheduler.try_run_once();
  drain(5s);
  for (int i = 0; i < 20; ++i) scheduler.try_run_once();
  EXPECT_EQ(answer, std::nullopt) << "the first one still runs";
  auto& late = submit("late");
  run();
  EXPECT_EQ(answer, true);
  ASSERT_NE(late.sink->failure(), nullptr);
  EXPECT_EQ(late.sink->failure()->code, error_code::draining);
  EXPECT_EQ(fault_at_rest(), "");
}

TEST_F(drained, the_rest_ends_with_an_error_at_the_limit) {  // C70
  start();
  device->before_step = [this](const batch_plan&) {
    advance(1s);  // slow steps
    return std::optional<error>{};
  };
  auto& mine = submit("running", 900);
  for (int i = 0; i < 40; ++i) scheduler.try_run_once();
  drain(2s);
  run();
  EXPECT_EQ(answer, false);
  ASSERT_NE(mine.sink->failure(), nullptr);
  EXPECT_EQ(mine.sink->failure()->code, error_code::draining);
  EXPECT_EQ(fault_at_rest(), "");
}

TEST_F(drained, an_idle_node_is_drained_at_once) {
  start();
  drain(5s);
  run();
  EXPECT_EQ(answer, true);
}

}  // namespace
}  // namespace neap::test
