#pragma once
// Reads the server-sent events of an OpenAI-compatible stream; pure.

#include <cstddef>
#include <string>
#include <string_view>

namespace neap::bench {

class event_reader {
 public:
  struct outcome {
    std::size_t text_events = 0;  // events with new text in this piece
    std::string text;             // that text
    bool done = false;            // [DONE]
    std::string failure;          // an error event
  };

  // Takes the next bytes of the body.
  outcome feed(std::string_view bytes);

  std::size_t prompt_tokens() const noexcept { return prompt_tokens_; }
  std::size_t cached_tokens() const noexcept { return cached_tokens_; }
  // From the usage event; without one, the number of text events.
  std::size_t answer_tokens() const noexcept { return answer_tokens_ > 0 ? answer_tokens_ : text_events_; }

 private:
  void read_line(std::string_view line, outcome& out);
  void read_event(std::string_view json, outcome& out);

  std::string held_;
  std::size_t text_events_ = 0;
  std::size_t prompt_tokens_ = 0;
  std::size_t cached_tokens_ = 0;
  std::size_t answer_tokens_ = 0;
};

}  // namespace neap::bench
