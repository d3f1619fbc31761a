#pragma once
// The text of one generated sequence: token bytes -> whole characters -> stop strings. One object per
// sequence, so that nothing held back by one request can reach another.

#include "engine/text/detokenizer.hpp"
#include "engine/text/stop_matcher.hpp"
#include "engine/text/tokenizer.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace neap::text {

struct text_position {
  std::size_t bytes = 0;
  std::size_t characters = 0;

  // Past whole characters.
  void advance(std::string_view text) noexcept {
    bytes += text.size();
    for (const char c : text) characters += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
  }
};

class text_stream {
 public:
  // The tokenizer must outlive the stream. Stop strings as in stop_matcher.
  text_stream(const tokenizer& vocabulary, std::vector<std::string> stops)
      : vocabulary_(&vocabulary), stops_(std::move(stops)) {}

  // The text that one more token makes safe to send; `matched` ends the sequence. Control tokens add no text.
  stop_matcher::output push(token_id token) {
    return stops_.push(count(characters_.push(vocabulary_->token_bytes(token, false))));
  }

  // End without a stop string: everything still held; nothing after a stop string. A stop string that only
  // the last broken character completes still matches.
  stop_matcher::output finish() {
    auto last = stops_.push(count(characters_.finish()));
    if (!last.matched) last.text += stops_.finish();
    return last;
  }

  // Where the whole characters so far end, sent or held back.
  text_position end() const noexcept { return end_; }
  // The last token ended inside a character.
  bool inside_character() const noexcept { return characters_.holds(); }

 private:
  std::string count(std::string text) {
    end_.advance(text);
    return text;
  }

  const tokenizer* vocabulary_;
  detokenizer characters_;
  stop_matcher stops_;
  text_position end_;
};

}  // namespace neap::text
