#include "server/chat/answer_turn.hpp"

#include <cstdio>

namespace neap::chat {

std::string describe(const answer_statistics& statistics) {
  const double decode_s = statistics.total_s - statistics.first_token_s;
  const auto decoded = statistics.answer_tokens > 1 ? statistics.answer_tokens - 1 : 0;
  const double rate = decode_s > 0 ? static_cast<double>(decoded) / decode_s : 0;
  char text[200];
  std::snprintf(
      text, sizeof text,
      "%llu prompt tokens (%llu cached), %llu answer tokens, first token %.2f s, %.1f tokens/s, total %.2f s",
      static_cast<unsigned long long>(statistics.prompt_tokens),
      static_cast<unsigned long long>(statistics.cached_tokens),
      static_cast<unsigned long long>(statistics.answer_tokens), statistics.first_token_s, rate,
      statistics.total_s);
  return text;
}

result<answer_statistics> answer_open_question(chat_state& state, chat_backend& backend,
                                               const text_callback& on_text,
                                               const std::atomic<bool>& cancelled,
                                               const std::function<void()>& on_fallback) {
  std::string answer;
  const auto keep = [&](std::string_view text) {
    answer += text;
    return on_text(text);
  };
  const auto generate = [&] {
    return backend.generate(state.form, state.talk.body(state.form, backend.model(), state.settings), keep,
                            cancelled);
  };
  auto outcome = generate();
  const bool no_template = !outcome && outcome.error().code == error_code::template_missing;
  if (no_template && state.form == request_form::chat) {
    state.form = request_form::completion;
    on_fallback();
    outcome = generate();
  }
  if (outcome || (outcome.error().code == error_code::cancelled && !answer.empty())) {
    state.talk.answer(std::move(answer));
  } else {
    state.talk.withdraw();
  }
  return outcome;
}

}  // namespace neap::chat
