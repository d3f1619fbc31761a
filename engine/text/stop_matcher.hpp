#pragma once
// Finds stop strings in a stream of text, across token borders, without sending a part of a match.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace neap::text {

class stop_matcher {
 public:
  // At most 4 strings, each 1-256 bytes; checked at the edge.
  explicit stop_matcher(std::vector<std::string> stops);

  struct output {
    std::string text;      // safe to send
    bool matched = false;  // a stop string was found; the text before it is in `text`, nothing follows
  };

  // Appends text and returns what can no longer be part of a stop string. The match that ends first in
  // the stream wins, the longest of those that end there; so the result does not depend on token borders.
  // After a match every call returns no text and `matched`.
  output push(std::string_view text);

  // End of the stream: releases what was held back.
  std::string finish();

 private:
  std::vector<std::string> stops_;
  std::string held_;  // shorter than the longest stop string
  bool matched_ = false;
};

}  // namespace neap::text
