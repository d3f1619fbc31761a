#pragma once
// The bytes of every token in one buffer.

#include "messages/ids.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace neap::text {

class token_bytes_table {
 public:
  // Adds the next token's bytes; ids count up from 0.
  void add(std::string_view bytes) {
    buffer_ += bytes;
    ends_.push_back(buffer_.size());
  }
  std::string_view operator[](token_id token) const {
    const auto index = static_cast<std::size_t>(token);
    const std::size_t begin = index == 0 ? 0 : ends_[index - 1];
    return std::string_view{buffer_}.substr(begin, ends_[index] - begin);
  }
  std::size_t size() const noexcept { return ends_.size(); }

 private:
  std::string buffer_;
  std::vector<std::size_t> ends_;
};

}  // namespace neap::text
