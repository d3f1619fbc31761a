#pragma once
// One question and its answer.

#include "server/chat/chat_backend.hpp"

namespace neap::chat {

struct chat_state {
  conversation talk;
  chat_settings settings;
  request_form form = request_form::chat;
};

// Answers the open question, which it closes: with the answer, with what there is of it after a cancel, or by
// withdrawing it. A model without a chat template turns the form into completion, whereupon `on_fallback` is
// called and the question asked again.
result<answer_statistics> answer_open_question(chat_state& state, chat_backend& backend,
                                               const text_callback& on_text,
                                               const std::atomic<bool>& cancelled,
                                               const std::function<void()>& on_fallback);

}  // namespace neap::chat
