#include "server/chat/chat_settings.hpp"

#include "messages/quote.hpp"
#include "server/api/api_request.hpp"
#include "server/api/json_reader.hpp"
#include "server/chat/nearest_word.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

namespace neap::chat {
namespace {

constexpr std::array settings{
    setting_help{"temperature", "NUMBER", "randomness, 0 to 2; 0 always takes the most likely token"},
    setting_help{"top_p", "NUMBER", "smallest set of tokens with this probability, 0 to 1"},
    setting_help{"top_k", "N", "only the K most likely tokens, -1 or 0 for all"},
    setting_help{"min_p", "NUMBER", "only tokens of at least this share of the best, 0 to 1"},
    setting_help{"repetition_penalty", "NUMBER", "divides the scores of tokens seen before, 0.01 to 10"},
    setting_help{"presence_penalty", "NUMBER", "lowers the scores of tokens in the answer, -2 to 2"},
    setting_help{"frequency_penalty", "NUMBER", "the same for each time they came, -2 to 2"},
    setting_help{"seed", "N", "the same seed gives the same answer"},
    setting_help{"max_tokens", "N", "longest answer in tokens"},
    setting_help{"stop", "TEXT", "ends the answer where this text comes"},
    setting_help{"ignore_eos", "BOOL", "true: go on past the model's own end"},
};

std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const auto& setting : settings) out.emplace_back(setting.name);
  return out;
}

// Numbers and truth values as such, everything else as text. A quoted text may hold \n.
json_value to_value(const setting_help& setting, const std::string& text) {
  auto parsed = api::parse_json(text);
  if (setting.unit == "TEXT" && (!parsed || parsed->string() == nullptr)) return {text};
  return parsed ? std::move(*parsed) : json_value{text};
}

// The API's own rules decide.
result<void> check(const std::string& name, const json_value& value) {
  constexpr auto any_size = static_cast<std::uint32_t>(std::numeric_limits<std::int32_t>::max());
  api::json_writer body;
  body.begin_object().field("prompt", "x").key(name).value(value).end_object();
  const api::validation_context context{{{"any", any_size, any_size, 0, false}}, 0};
  const auto request = api::parse_request(api::endpoint::completions, body.take(), context);
  if (!request) return request.error();
  return {};
}

}  // namespace

std::span<const setting_help> all_settings() { return settings; }

result<void> chat_settings::set(const std::string& name, const std::string& text) {
  const auto found = std::find_if(settings.begin(), settings.end(), [&](auto& s) { return s.name == name; });
  if (found == settings.end()) {
    std::string known;
    for (const auto& other : names()) known += (known.empty() ? "" : ", ") + other;
    return error{error_code::invalid_request,
                 quote(name) + " is not an option" + suggestion(name, names()) + "; there are " + known,
                 name};
  }
  if (text == "default") {
    values_.erase(name);
    return {};
  }
  auto value = to_value(*found, text);
  if (auto checked = check(name, value); !checked) return checked.error();
  values_[name] = std::move(value);
  return {};
}

void chat_settings::write(api::json_writer& out) const {
  for (const auto& [name, value] : values_) out.key(name).value(value);
}

std::string chat_settings::describe() const {
  std::string out;
  for (const auto& setting : settings) {
    const auto value = values_.find(std::string(setting.name));
    out += "  " + std::string(setting.name) + " ";
    out += (value == values_.end() ? "default" : api::to_json(value->second)) + "\n";
  }
  return out;
}

}  // namespace neap::chat
