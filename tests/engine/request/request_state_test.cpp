#include "engine/request/request_state.hpp"

#include "tests/support/word_tokenizer.hpp"

#include <gtest/gtest.h>

namespace neap::request {
namespace {

using namespace std::chrono_literals;

class request_life : public ::testing::Test {
 protected:
  void begin(std::size_t choices, stop_rules stop = {}, std::optional<std::uint32_t> max_tokens = 10) {
    auto request = std::make_shared<generation_request>();
    request->id = 1;
    request->stop = std::move(stop);
    request->max_tokens = max_tokens;
    request->arrival = start;
    request->prompts.resize(choices);
    state = std::make_unique<request_state>(request, vocabulary);
    auto made = state->begin(std::vector<encoded_prompt>(choices, {{5, 6, 7}, "text"}), {100, 50}, 11);
    ASSERT_TRUE(made);
    sequences = std::move(*made);
    for (std::size_t i = 0; i < choices; ++i) state->admitted();
  }

  // One token of a choice; events it gives.
  std::vector<stream_event> token(token_id id, finish_reason finish = finish_reason::none,
                                  std::size_t choice = 0) {
    state->apply({{11 + choice, id, finish, 0, start + 10ms, std::nullopt}}, now += 5ms, cancels);
    return state->take_events();
  }

  static std::string text_of(const std::vector<stream_event>& events) {
    std::string out;
    for (const auto& event : events)
      if (const auto* delta = std::get_if<stream_delta>(&event)) out += delta->text;
    return out;
  }

  test::word_tokenizer vocabulary;
  std::unique_ptr<request_state> state;
  std::vector<sequence_request> sequences;
  std::vector<sequence_id> cancels;
  steady_time start{1h}, now{1h + 10ms};
};

TEST_F(request_life, tells_accepted_deltas_end_and_summary_in_order) {
  begin(1);
  auto events = state->take_events();
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(std::get<stream_accepted>(events[0]).prompt_tokens, std::vector<std::uint32_t>{3});
  EXPECT_EQ(text_of(token(20)), "w20 ");
  events = token(21, finish_reason::length);
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(std::get<stream_delta>(events[0]).tokens, std::vector<token_id>{21});
  EXPECT_EQ(std::get<stream_choice_end>(events[1]).reason, finish_reason::length);
  const auto& summary = std::get<stream_summary>(events[2]);
  EXPECT_EQ(summary.usage.prompt_tokens, 3U);
  EXPECT_EQ(summary.usage.completion_tokens, 2U);
  EXPECT_DOUBLE_EQ(summary.timings.queue_ms, 10);
  EXPECT_DOUBLE_EQ(summary.timings.prefill_ms, 5);
  EXPECT_DOUBLE_EQ(summary.timings.decode_ms, 5);
  EXPECT_DOUBLE_EQ(summary.timings.total_ms, 20);
  EXPECT_TRUE(state->finished());
  EXPECT_TRUE(token(22).empty()) << "nothing follows the summary";
}

TEST_F(request_life, a_stop_token_counts_but_has_no_text) {
  begin(1);
  token(20);
  const auto events = token(test::word_tokenizer::end, finish_reason::stop);
  EXPECT_EQ(text_of(events), "");
  EXPECT_EQ(std::get<stream_summary>(events.back()).usage.completion_tokens, 2U);
}

TEST_F(request_life, a_stop_string_cuts_the_text_and_cancels_the_sequence) {
  begin(1, {{"1 w2"}, {}, false});
  state->take_events();
  EXPECT_EQ(text_of(token(20)), "w20 ");
  EXPECT_EQ(text_of(token(31)), "w3") << "the start of a possible stop string is held back";
  const auto events = token(22);
  EXPECT_EQ(text_of(events), "");
  EXPECT_EQ(cancels, std::vector<sequence_id>{11});
  EXPECT_EQ(std::get<stream_choice_end>(events[1]).reason, finish_reason::stop);
  EXPECT_EQ(std::get<stream_summary>(events.back()).usage.completion_tokens, 3U);
  EXPECT_TRUE(token(23).empty()) << "tokens of a plan in flight are not counted";
}

TEST_F(request_life, what_was_held_back_is_released_at_the_end) {
  begin(1, {{"1 w2"}, {}, false});
  token(31);
  EXPECT_EQ(text_of(token(41, finish_reason::length)), "1 w41 ");
}

TEST_F(request_life, a_limit_inside_a_character_gives_valid_text) {
  begin(1);
  state->take_events();
  token(1);
  const auto events = token(2, finish_reason::length);
  EXPECT_EQ(text_of(events), "\uFFFD");
  EXPECT_EQ(std::get<stream_summary>(events.back()).usage.completion_tokens, 2U);
}

TEST_F(request_life, choices_end_one_by_one_and_the_request_with_the_last) {
  begin(2);
  state->take_events();
  EXPECT_NE(sequences[0].sampling.seed, sequences[1].sampling.seed);
  const auto first = token(20, finish_reason::length, 1);
  EXPECT_EQ(std::get<stream_choice_end>(first.back()).choice, 1U);
  EXPECT_FALSE(state->finished());
  EXPECT_EQ(state->open_sequences(), std::vector<sequence_id>{11});
  EXPECT_TRUE(std::holds_alternative<stream_summary>(token(20, finish_reason::stop, 0).back()));
}

TEST_F(request_life, several_answers_to_each_prompt_are_numbered_prompt_by_prompt) {
  auto request = std::make_shared<generation_request>();
  request->prompts.resize(2);
  request->choices_per_prompt = 3;
  request->sampling.seed = 40;
  request_state six{request, vocabulary};
  const auto made = six.begin({{{5}, "a"}, {{6, 7}, "b"}}, {100, 50}, 1);
  ASSERT_EQ(made->size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ((*made)[i].id, 1 + i);
    EXPECT_EQ((*made)[i].sampling.seed, 40 + i);
    EXPECT_EQ((*made)[i].prompt->size(), i < 3 ? 1U : 2U);
    EXPECT_EQ((*made)[i].prompt_text, i < 3 ? "a" : "b");
    six.admitted();
  }
  const auto events = six.take_events();
  EXPECT_EQ(std::get<stream_accepted>(events[0]).prompt_tokens,
            (std::vector<std::uint32_t>{1, 1, 1, 2, 2, 2}));
  EXPECT_EQ(six.summary(now).usage.prompt_tokens, 3U) << "each prompt counts once";
}

TEST_F(request_life, nothing_is_sent_before_all_choices_are_admitted) {
  auto request = std::make_shared<generation_request>();
  request->prompts.resize(2);
  request_state half{request, vocabulary};
  ASSERT_TRUE(half.begin(std::vector<encoded_prompt>(2, {{5}, ""}), {100, 50}, 1));
  half.admitted();
  half.apply({{1, 20, finish_reason::none, 0, start, std::nullopt}}, now, cancels);
  EXPECT_TRUE(half.take_events().empty());
  EXPECT_FALSE(half.all_admitted());
  half.fail({error_code::server_overloaded, "full", ""});
  const auto events = half.take_events();
  ASSERT_EQ(events.size(), 1U) << "a status line, not a stream";
  EXPECT_EQ(std::get<error>(events[0]).code, error_code::server_overloaded);
}

TEST_F(request_life, a_failed_sequence_fails_the_request_once) {
  begin(2);
  state->take_events();
  token(20);
  state->apply({{12, -1, finish_reason::failed, 0, start, error{error_code::internal, "broken", ""}}}, now,
               cancels);
  const auto events = state->take_events();
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(std::get<error>(events[0]).message, "broken");
  state->fail({error_code::cancelled, "late", ""});
  EXPECT_TRUE(state->take_events().empty());
  EXPECT_TRUE(token(21).empty());
}

TEST_F(request_life, stop_ids_hold_the_models_own_unless_ignored) {
  begin(1, {{}, {42}, false});
  EXPECT_EQ(sequences[0].stop_token_ids, (std::vector<token_id>{42, test::word_tokenizer::end}));
  begin(1, {{}, {42}, true});
  EXPECT_EQ(sequences[0].stop_token_ids, std::vector<token_id>{42});
}

TEST_F(request_life, durations_are_never_negative) {
  begin(1);
  now = start - 1h;
  const auto events = token(20, finish_reason::length);
  const auto& timings = std::get<stream_summary>(events.back()).timings;
  for (const auto value : {timings.queue_ms, timings.prefill_ms, timings.decode_ms, timings.total_ms})
    EXPECT_GE(value, 0.0);
}

// A prompt that does not fit is refused with both numbers, and no sum wraps.
TEST(answer_length, fits_the_context) {
  const length_limits limits{100, 50};
  EXPECT_EQ(*answer_length(10, std::nullopt, limits), 50U);
  EXPECT_EQ(*answer_length(10, 7, limits), 7U);
  EXPECT_EQ(*answer_length(90, std::nullopt, limits), 10U);
  EXPECT_EQ(*answer_length(99, 1, limits), 1U);
  EXPECT_EQ(*answer_length(10, 4'294'967'295U, limits), 90U);
  for (const std::uint64_t prompt : {100ULL, 286ULL, 4'294'967'295ULL, 18'446'744'073'709'551'615ULL}) {
    const auto out = answer_length(prompt, 5, limits);
    ASSERT_FALSE(out) << prompt;
    EXPECT_EQ(out.error().code, error_code::context_length_exceeded);
    EXPECT_NE(out.error().message.find(std::to_string(prompt)), std::string::npos);
    EXPECT_NE(out.error().message.find("100"), std::string::npos);
  }
}

}  // namespace
}  // namespace neap::request
