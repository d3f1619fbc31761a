#pragma once
// The text of one choice with the log-probabilities of its tokens. What a stop string holds back of the one
// it holds back of the other, so that both always tell of the same text.

#include "engine/text/text_stream.hpp"
#include "messages/stream_event.hpp"
#include "messages/token_logprobs.hpp"

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace neap::request {

// The token's bytes, control tokens as their markers, with the log-probabilities.
scored_token describe(const token_logprobs& scores, const text::tokenizer& vocabulary);

class answer_text {
 public:
  // The tokenizer must outlive it. Stop strings as in text::stop_matcher.
  answer_text(const text::tokenizer& vocabulary, std::vector<std::string> stops)
      : vocabulary_(&vocabulary), text_(vocabulary, std::move(stops)) {}

  struct output {
    std::string text;                  // safe to send
    std::vector<scored_token> scores;  // of tokens whose text is sent by now
    bool matched = false;              // a stop string was found: nothing follows
  };

  // Text that comes before the answer (echo): offsets count from its start.
  void set_prefix(std::string_view text) { prefix_.advance(text); }

  // One more token, with its log-probabilities where asked for.
  output push(token_id token, const std::optional<token_logprobs>& scores);
  // End without a stop string: all that was held back.
  output finish();

 private:
  struct held_score {
    scored_token score;
    std::size_t begin = 0;  // bytes of text before its own
    std::size_t due = 0;    // may be sent once so many bytes are
  };

  output release(text::stop_matcher::output from);

  const text::tokenizer* vocabulary_;
  text::text_stream text_;
  text::text_position prefix_;
  std::deque<held_score> held_;
  std::size_t sent_ = 0;  // bytes
};

}  // namespace neap::request
