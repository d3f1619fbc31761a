#include "server/chat/conversation.hpp"

#include <cassert>

namespace neap::chat {
namespace {

// The API's own default of 16 is too short to read, and plain text often has no end of its own.
constexpr int completion_tokens = 256;

}  // namespace

void conversation::ask(std::string text) {
  assert(turns_.size() % 2 == 0);
  turns_.push_back(std::move(text));
}

void conversation::answer(std::string text) {
  assert(turns_.size() % 2 == 1);
  turns_.push_back(std::move(text));
}

void conversation::withdraw() {
  if (turns_.size() % 2 == 1) turns_.pop_back();
}

bool conversation::reopen() {
  if (turns_.empty()) return false;
  if (turns_.size() % 2 == 0) turns_.pop_back();
  return true;
}

std::string conversation::body(request_form form, std::string_view model,
                               const chat_settings& settings) const {
  api::json_writer out;
  out.begin_object().field("model", model);
  if (form == request_form::chat) {
    write_messages(out);
  } else {
    out.field("prompt", plain_text());
    if (!settings.has("max_tokens")) out.field("max_tokens", completion_tokens);
  }
  settings.write(out);
  out.field("stream", true).key("stream_options").begin_object().field("include_usage", true).end_object();
  out.end_object();
  return out.take();
}

void conversation::write_messages(api::json_writer& out) const {
  const auto message = [&out](const char* role, const std::string& text) {
    out.begin_object().field("role", role).field("content", text).end_object();
  };
  out.key("messages").begin_array();
  if (!system_.empty()) message("system", system_);
  for (std::size_t i = 0; i < turns_.size(); ++i) message(i % 2 == 0 ? "user" : "assistant", turns_[i]);
  out.end_array();
}

// One turn a line: all that a model without a chat template can be told.
std::string conversation::plain_text() const {
  std::string out = system_;
  for (const auto& turn : turns_) out += (out.empty() ? "" : "\n") + turn;
  return out;
}

}  // namespace neap::chat
