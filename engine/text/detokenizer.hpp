#pragma once
// Turns a stream of token bytes into a stream of whole UTF-8 characters.

#include <string>
#include <string_view>

namespace neap::text {

// Holds back an incomplete character until its bytes are there. Bytes that can never become a character turn
// into one U+FFFD each maximal subpart (Unicode 15, section 3.9, "substitution of maximal subparts").
class detokenizer {
 public:
  // Appends the bytes of one token and returns the text that became whole. Cost: linear in the bytes.
  std::string push(std::string_view bytes);

  // End of the stream: what is still held, as U+FFFD if it never became whole.
  std::string finish();

  bool holds() const noexcept { return !held_.empty(); }

 private:
  std::string held_;  // at most 3 bytes
};

}  // namespace neap::text
