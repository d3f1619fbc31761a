#pragma once
// Reads one tool call byte by byte.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace neap::text {

enum class call_status : std::uint8_t { open, complete, malformed };

// What a reader has learned so far.
struct call_progress {
  bool started = false;   // the name is known, and that this is a call
  std::string name;       // complete once started
  std::string arguments;  // JSON, only the part that its user has not taken yet
};

class call_reader {
 public:
  virtual ~call_reader() = default;
  // One more byte of the call. Not to be called after an answer other than open.
  virtual call_status push(char c) = 0;

  call_progress& progress() noexcept { return progress_; }

 protected:
  call_progress progress_;
};

// Letters, digits and _ - . : / of at most 128 bytes, not empty: what a function may be called.
bool is_function_name_character(char c) noexcept;
inline constexpr std::size_t max_function_name_bytes = 128;

}  // namespace neap::text
