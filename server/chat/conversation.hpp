#pragma once
// The turns of a conversation and the request that continues it. Pure.

#include "server/chat/chat_settings.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace neap::chat {

// How the model is asked: with its chat template, or with plain text to go on with.
enum class request_form : std::uint8_t { chat, completion };

class conversation {
 public:
  // An empty text takes the system prompt away.
  void set_system(std::string text) { system_ = std::move(text); }
  const std::string& system() const noexcept { return system_; }

  // A question. Precondition: none is open.
  void ask(std::string text);
  // The answer to the open question. Precondition: one is open.
  void answer(std::string text);
  // Drops the open question: there is no answer to it.
  void withdraw();
  // Opens the last question again, without its answer. False if there is none.
  bool reopen();
  // Forgets all turns; the system prompt stays.
  void clear() { turns_.clear(); }

  // Turns so far; an answered question counts two.
  std::size_t turns() const noexcept { return turns_.size(); }

  // The JSON body of a streaming request. Precondition: a question is open.
  std::string body(request_form form, std::string_view model, const chat_settings& settings) const;

 private:
  void write_messages(api::json_writer& out) const;
  std::string plain_text() const;

  std::string system_;
  std::vector<std::string> turns_;  // questions and answers in turn
};

}  // namespace neap::chat
