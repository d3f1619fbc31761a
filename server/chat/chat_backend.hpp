#pragma once
// Who answers: a node in this process, or a server behind an address.

#include "messages/result.hpp"
#include "server/chat/conversation.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

namespace neap::chat {

struct answer_statistics {
  std::uint64_t prompt_tokens = 0;
  std::uint64_t cached_tokens = 0;
  std::uint64_t answer_tokens = 0;
  double first_token_s = 0;  // from the question
  double total_s = 0;
};

// "12 prompt tokens (0 cached), 30 answer tokens, first token 0.21 s, 45.3 tokens/s, total 0.87 s"
std::string describe(const answer_statistics& statistics);

// New text of the answer; false stops it.
using text_callback = std::function<bool(std::string_view)>;

class chat_backend {
 public:
  virtual ~chat_backend() = default;

  // Name for the request's `model` field.
  virtual const std::string& model() const = 0;
  // Tokens; 0 if it is not known.
  virtual std::uint32_t context_length() const = 0;

  // Runs a request and calls `on_text`, on this thread, as the answer comes. Blocks until its end.
  // `cancelled` is polled. Errors: cancelled, and whatever the engine or the server says.
  virtual result<answer_statistics> generate(request_form form, const std::string& body,
                                             const text_callback& on_text,
                                             const std::atomic<bool>& cancelled) = 0;
};

}  // namespace neap::chat
