#include "bench/event_reader.hpp"

#include <boost/json.hpp>

namespace neap::bench {
namespace {

namespace json = boost::json;

// choices[0].text (completions) or choices[0].delta.content (chat).
std::string_view text_of(const json::object& event) {
  const auto* choices = event.if_contains("choices");
  if (choices == nullptr || !choices->is_array() || choices->get_array().empty()) return {};
  const auto* first = choices->get_array()[0].if_object();
  if (first == nullptr) return {};
  const auto* text = first->if_contains("text");
  if (const auto* delta = first->if_contains("delta"); delta != nullptr && delta->is_object())
    text = delta->get_object().if_contains("content");
  return text != nullptr && text->is_string() ? std::string_view{text->get_string()} : std::string_view{};
}

std::size_t number(const json::object& usage, std::string_view name) {
  const auto* value = usage.if_contains(name);
  return value != nullptr && value->is_int64() ? static_cast<std::size_t>(value->get_int64()) : 0;
}

}  // namespace

event_reader::outcome event_reader::feed(std::string_view bytes) {
  outcome out;
  held_ += bytes;
  std::size_t begin = 0;
  for (auto end = held_.find('\n'); end != std::string::npos; end = held_.find('\n', begin)) {
    read_line(std::string_view{held_}.substr(begin, end - begin), out);
    begin = end + 1;
  }
  held_.erase(0, begin);
  return out;
}

void event_reader::read_line(std::string_view line, outcome& out) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  if (line.substr(0, 5) != "data:") return;
  line.remove_prefix(5);
  if (!line.empty() && line.front() == ' ') line.remove_prefix(1);
  if (line == "[DONE]") {
    out.done = true;
  } else {
    read_event(line, out);
  }
}

void event_reader::read_event(std::string_view text, outcome& out) {
  boost::system::error_code problem;
  const auto event = json::parse(text, problem);
  if (problem || !event.is_object()) {
    out.failure = "an event that is not a JSON object";
    return;
  }
  const auto& object = event.get_object();
  if (const auto* failure = object.if_contains("error")) {
    out.failure = json::serialize(*failure);
    return;
  }
  if (const auto new_text = text_of(object); !new_text.empty()) {
    ++text_events_;
    ++out.text_events;
    out.text += new_text;
  }
  if (const auto* usage = object.if_contains("usage"); usage != nullptr && usage->is_object()) {
    prompt_tokens_ = number(usage->get_object(), "prompt_tokens");
    answer_tokens_ = number(usage->get_object(), "completion_tokens");
    const auto* details = usage->get_object().if_contains("prompt_tokens_details");
    if (details != nullptr && details->is_object())
      cached_tokens_ = number(details->get_object(), "cached_tokens");
  }
}

}  // namespace neap::bench
