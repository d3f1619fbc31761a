#pragma once
// Finds the tool calls in a stream of answer text.

#include "engine/text/tool_calls/tool_call_format.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace neap::text {

class call_reader;
struct tool_call_layout;

struct tool_call_limits {
  std::size_t depth = 64;             // of lists and objects in arguments
  std::size_t call_bytes = 1U << 20;  // one call as the model wrote it
  std::size_t calls = 128;            // of one answer
};

struct tool_call_event {
  enum class kind : std::uint8_t {
    text,          // more of the answer's text
    call_started,  // text: the function's name
    arguments,     // more of the call's arguments, JSON
    call_ended,    // the arguments are a complete JSON object
    call_failed,   // a call that had started is malformed or cut off; text: all of it as the model wrote it
  };
  kind what = kind::text;
  std::uint32_t call = 0;  // number of the call in the answer, from 0; not for text
  std::string text;

  bool operator==(const tool_call_event&) const = default;
};

// What is malformed comes out as text, so nothing but the marks of calls, blanks between and before them, and
// the unused members of their objects is lost. Events are the same for every way the text is cut, but for
// where text and arguments are cut. Text that may begin a call waits until that is decided.
class tool_call_parser {
 public:
  explicit tool_call_parser(tool_call_format format, const tool_call_limits& limits = {});
  ~tool_call_parser();
  tool_call_parser(tool_call_parser&&) noexcept;
  tool_call_parser& operator=(tool_call_parser&&) noexcept;

  std::vector<tool_call_event> push(std::string_view text);

  // End of the answer: what was held back, as text or as a failed call.
  std::vector<tool_call_event> finish();

 private:
  enum class state : std::uint8_t { text, before_call, in_call, after_call };

  void step(char c);
  void step_text(char c);
  void step_mark(char c);
  void step_before_call(char c);
  void read_call(char c);
  void step_after_call(char c);
  void open_candidate(std::string source);
  void begin_call(char c);
  void report_progress();
  void end_call();
  void end_list();
  void reject();
  void give_up();
  void emit(tool_call_event::kind what, std::string_view text);

  const tool_call_layout* layout_;
  tool_call_limits limits_;
  state state_ = state::text;
  bool in_gap_ = true;    // only blanks since the beginning or the last call
  bool in_list_ = false;  // the list of calls has been opened
  bool call_started_ = false;
  std::uint32_t calls_ = 0;  // started so far
  std::string gap_;          // those blanks
  std::string mark_;         // the beginning of a mark, perhaps
  std::string source_;       // what belongs to a call, perhaps, since the end of the last one
  std::unique_ptr<call_reader> reader_;
  std::vector<tool_call_event> events_;
};

}  // namespace neap::text
