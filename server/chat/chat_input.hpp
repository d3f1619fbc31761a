#pragma once
// What a user types -> questions and commands. Pure.

#include <optional>
#include <string>
#include <string_view>

namespace neap::chat {

// Joins lines: text between """ and """, and lines that end with a backslash.
class input_assembler {
 public:
  // Takes the next line; the whole input once it is complete.
  std::optional<std::string> feed(std::string_view line);
  // True while more lines are expected.
  bool open() const noexcept { return quoted_ || continued_; }
  // Forgets what was begun.
  void reset();

 private:
  std::optional<std::string> feed_quoted(std::string_view line);

  std::string held_;
  bool quoted_ = false;
  bool continued_ = false;
};

struct chat_command {
  std::string name;      // "set", without the slash
  std::string argument;  // the rest, without blanks around it
};

// "/set temperature 0.7" -> {set, temperature 0.7}; nothing if the input is a question.
std::optional<chat_command> parse_command(std::string_view input);

// "temperature 0.7" -> {temperature, 0.7}
chat_command split_word(std::string_view text);

std::string_view trim(std::string_view text);

}  // namespace neap::chat
