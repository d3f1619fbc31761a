// One actor at a time, message by message.

#include "actors/classifier.hpp"
#include "actors/defrag_timer.hpp"
#include "actors/text_encoder.hpp"
#include "actors/watched_actor.hpp"
#include "tests/actors/node_world.hpp"

#include <caf/event_based_actor.hpp>

namespace neap::test {
namespace {

using namespace neap::actors;
using namespace std::chrono_literals;

class single_actor : public node_world {
 protected:
  template <class Answer, class Handle, class... Message>
  Answer ask(const Handle& handle, Message... message) {
    Answer out{};
    system.spawn([&, handle](caf::event_based_actor* self) {
      self->request(handle, caf::infinite, message...).then([&](const Answer& x) { out = x; });
    });
    run();
    return out;
  }
};

TEST_F(single_actor, memory_manager_leases_and_takes_back) {
  start({16});
  const auto blocks = ask<block_list_ptr>(peer().memory, lease_a::value, std::uint32_t{10});
  ASSERT_EQ(blocks->size(), 10U);
  EXPECT_EQ(ask<block_list_ptr>(peer().memory, lease_a::value, std::uint32_t{10})->size(), 6U);
  EXPECT_TRUE(ask<block_list_ptr>(peer().memory, lease_a::value, std::uint32_t{10})->empty());
  EXPECT_EQ(figure(peer().memory, "blocks_leased"), "16");
  caf::anon_send(peer().memory, release_a::value, blocks);
  caf::anon_send(peer().memory, release_a::value, blocks);  // a second time: refused as a whole
  EXPECT_EQ(figure(peer().memory, "blocks_leased"), "6");
  EXPECT_EQ(figure(peer().memory, "blocks_free"), "10");
}

TEST_F(single_actor, defrag_timer_ticks_on_time) {
  start({16});
  const auto alone = system.spawn(defrag_timer, peer().memory, std::chrono::milliseconds{4h});
  run();
  advance(4h - 1ms);
  EXPECT_EQ(figure(alone, "ticks"), "0");
  advance(1ms);
  EXPECT_EQ(figure(alone, "ticks"), "1");
  advance(4h);
  EXPECT_EQ(figure(alone, "ticks"), "2");
  caf::anon_send_exit(alone, caf::exit_reason::user_shutdown);
  run();
}

TEST_F(single_actor, classifier_adds_its_decision_and_leaves_the_rest) {
  start();
  auto request = std::make_shared<sequence_request>();
  request->id = 9;
  request->prompt = std::make_shared<const std::vector<token_id>>(600, 5);
  request->tag.tier = service_tier::vip;
  const auto out = ask<sequence_request_ptr>(peer().classifier, classify_a::value, sequence_request_ptr{request});
  EXPECT_EQ(out->id, 9U);
  EXPECT_EQ(out->tag, request->tag);
  EXPECT_EQ(out->classification.group, complexity_group::single_process);
  EXPECT_EQ(figure(peer().classifier, "SINGLE_PROCESS"), "1");
}

TEST_F(single_actor, executor_answers_a_bad_plan_with_an_error_and_lives) {
  start();
  auto plan = std::make_shared<batch_plan>();
  plan->step = 1;
  plan->ends = {77};
  const auto out = ask<step_result_ptr>(peer().executor, step_a::value, batch_plan_ptr{plan});
  ASSERT_TRUE(out->failure);
  EXPECT_NE(out->failure->message.find("77"), std::string::npos);
  EXPECT_EQ(figure(peer().executor, "failures"), "1");
}

TEST_F(single_actor, text_encoder_answers_tokenize_and_detokenize) {
  start();
  const prompt_ptr text = std::make_shared<const prompt>(text_prompt{"ab"});
  EXPECT_EQ(**ask<tokens_result_ptr>(peer().encoder, tokenize_a::value, text), (std::vector<token_id>{197, 198}));
  const prompt_ptr empty = std::make_shared<const prompt>(text_prompt{""});
  EXPECT_TRUE((*ask<tokens_result_ptr>(peer().encoder, tokenize_a::value, empty))->empty());
  const token_vector_ptr bad = std::make_shared<const std::vector<token_id>>(1, 5000);
  EXPECT_FALSE(ask<text_result_ptr>(peer().encoder, detok_a::value, bad)->has_value());
}

// Fails as a tokenizer short of memory, or with a bug, would.
class failing_tokenizer final : public word_tokenizer {
 public:
  std::vector<token_id> encode(std::span<const text::text_span> spans) const override {
    if (spans.front().text == "huge") throw std::bad_alloc{};
    if (spans.front().text == "bug") throw std::runtime_error{"index"};
    return word_tokenizer::encode(spans);
  }
};

struct encoding : single_actor {
  encoding() {
    const auto vocabulary = std::make_shared<const failing_tokenizer>();
    failing = system.spawn(text_encoder, std::make_shared<const request::prompt_encoder>(
                                             vocabulary, nullptr, [] { return std::int64_t{0}; }));
  }
  ~encoding() override {
    caf::anon_send_exit(failing, caf::exit_reason::user_shutdown);
    run();
  }
  result<std::vector<request::encoded_prompt>> encode(std::vector<prompt> prompts, bool abandoned = false) {
    auto request = std::make_shared<generation_request>();
    request->prompts = std::move(prompts);
    const encode_job_ptr job = std::make_shared<const encode_job>(
        encode_job{std::move(request), std::make_shared<const std::atomic<bool>>(abandoned)});
    return *ask<encoded_prompts_ptr>(failing, encode_a::value, job);
  }
  text_encoder_actor failing;
};

TEST_F(encoding, an_exception_stays_in_its_request) {
  EXPECT_EQ(encode({text_prompt{"huge"}}).error().code, error_code::server_overloaded);
  EXPECT_EQ(encode({text_prompt{"bug"}}).error().code, error_code::internal);
  const prompt_ptr huge = std::make_shared<const prompt>(text_prompt{"huge"});
  EXPECT_EQ(ask<tokens_result_ptr>(failing, tokenize_a::value, huge)->error().code,
            error_code::server_overloaded);
  EXPECT_EQ(encode({text_prompt{"ab"}})->front().tokens, (std::vector<token_id>{197, 198}));
}

TEST_F(encoding, an_abandoned_request_costs_nothing) {
  EXPECT_EQ(encode({text_prompt{"ab"}, text_prompt{"cd"}}, true).error().code, error_code::cancelled);
  EXPECT_EQ(figure(failing, "prompts"), "0");
}

TEST_F(single_actor, a_request_of_more_prompts_than_ever_fit_is_refused_for_good) {
  start({64, 8, 100, 3});
  auto many = request_of("a", 2);
  many.prompts.resize(4, text_prompt{"a"});
  auto& refused = submit(many);
  many.prompts.resize(3);
  auto& taken = submit(many);
  run();
  ASSERT_NE(refused.sink->failure(), nullptr);
  EXPECT_EQ(refused.sink->failure()->code, error_code::invalid_request);
  EXPECT_EQ(refused.sink->failure()->param, "prompt");
  EXPECT_EQ(taken.sink->failure(), nullptr);
}

// The cancel of an admitted sequence passes the submissions that wait in the batcher's mailbox.
TEST_F(single_actor, a_cancel_overtakes_submissions) {
  start({64, 1});
  auto& mine = submit("first", 500);
  for (int i = 0; i < 60; ++i) scheduler.try_run_once();
  ASSERT_GT(mine.sink->tokens().size(), 0U);
  for (int i = 0; i < 40; ++i) submit("other", 2);
  while (step(peer().ingress) || step(peer().encoder) || step(peer().classifier)) {
  }
  for (auto& [id, actor] : request_actors) {
    while (step(actor)) {
    }
    while (step(peer().encoder) || step(peer().classifier)) {
    }
  }
  for (auto& [id, actor] : request_actors) {
    while (step(actor) || step(peer().classifier)) {
    }
  }
  cancel(mine.request->id);
  step(peer().ingress);
  step(request_actors.at(mine.request->id));
  ASSERT_NE(mine.sink->failure(), nullptr);
  const auto before = scheduler.jobs.size();
  int handled = 0;
  while (step(peer().batcher) && handled < 60) {
    ++handled;
    if (device->open_sequences() == 0) break;
    step(peer().executor);
  }
  EXPECT_LT(handled, 20) << "of " << before << " jobs";
  run();
  EXPECT_EQ(fault_at_rest(), "");
}

TEST_F(single_actor, every_actor_reports_itself) {
  start();
  EXPECT_EQ(figure(peer().telemetry, "requests"), "0");
  EXPECT_EQ(figure(peer().encoder, "prompts"), "0");
  EXPECT_EQ(figure(peer().executor, "steps"), "0");
  EXPECT_EQ(figure(supervisor, "restarts"), "0");
  EXPECT_EQ(figure(peer().ingress, "draining"), "0");
}

}  // namespace
}  // namespace neap::test
