#include "server/chat/chat_input.hpp"

#include <utility>

namespace neap::chat {
namespace {

constexpr std::string_view quotes = "\"\"\"";
constexpr std::string_view blanks = " \t\r\n";

}  // namespace

std::string_view trim(std::string_view text) {
  const auto begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::optional<std::string> input_assembler::feed(std::string_view line) {
  if (quoted_) return feed_quoted(line);
  if (!continued_ && line.starts_with(quotes)) {
    quoted_ = true;
    return feed_quoted(line.substr(quotes.size()));
  }
  continued_ = line.ends_with('\\');
  if (continued_) {
    held_.append(line.substr(0, line.size() - 1)).append("\n");
    return std::nullopt;
  }
  held_ += line;
  return std::exchange(held_, {});
}

std::optional<std::string> input_assembler::feed_quoted(std::string_view line) {
  const auto end = line.find(quotes);
  if (end == std::string_view::npos) {
    // Nothing stands between the opening quotes and their line's end: that line is not part of the text.
    if (!held_.empty() || !line.empty()) held_.append(line).append("\n");
    return std::nullopt;
  }
  quoted_ = false;
  held_.append(line.substr(0, end));
  if (held_.ends_with('\n')) held_.pop_back();
  return std::exchange(held_, {});
}

void input_assembler::reset() {
  held_.clear();
  quoted_ = continued_ = false;
}

std::optional<chat_command> parse_command(std::string_view input) {
  const auto text = trim(input);
  // "/usr/bin is what?" is a question.
  if (text.size() < 2 || text[0] != '/') return std::nullopt;
  auto command = split_word(text.substr(1));
  if (command.name.find('/') != std::string::npos) return std::nullopt;
  return command;
}

chat_command split_word(std::string_view text) {
  const auto end = text.find_first_of(blanks);
  if (end == std::string_view::npos) return {std::string(text), ""};
  return {std::string(text.substr(0, end)), std::string(trim(text.substr(end)))};
}

}  // namespace neap::chat
