#pragma once
// Answers of the OpenAI routes: whole objects and stream events, exactly as OpenAI's clients read them. All
// are JSON on one line; what carries them adds its own framing.

#include "server/api/answer_form.hpp"
#include "server/api/json_writer.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace neap::api {

// Chats and completions.
class answer_writer final : public answer_form {
 public:
  // `created` in unix seconds.
  answer_writer(answer_options options, request_id id, std::string model, std::int64_t created);

  std::string whole(std::span<const finished_choice> choices, const stream_summary& summary) override;
  // Each choice of a chat begins with an event that names the role; completions have none.
  std::vector<std::string> begin_events(std::uint32_t choices) override;
  std::vector<std::string> piece_events(std::uint32_t choice, const finished_choice& piece) override;
  // The summary adds timings and decisions.
  std::vector<std::string> finish_events(std::uint32_t choice, const finished_choice& end,
                                         const stream_summary* summary) override;
  // Where usage was asked for: one event without choices.
  std::vector<std::string> usage_events(const stream_summary& summary) override;

 private:
  bool chat() const noexcept { return options_.endpoint == endpoint::chat; }
  json_writer begin(std::string_view chat_object) const;
  void write_choice(json_writer& out, std::uint32_t index, const finished_choice& choice) const;
  void write_delta(json_writer& out, std::uint32_t choice, const finished_choice& piece) const;
  void write_call(json_writer& out, std::uint32_t choice, const tool_call& call) const;
  void write_tokens(json_writer& out, const std::vector<token_id>& tokens) const;
  void write_logprobs(json_writer& out, std::span<const scored_token> scores) const;

  std::string id_;
  std::string model_;
  std::int64_t created_;
};

// {"error":{"message","type","param","code"}}
std::string error_body(const error& fault);

}  // namespace neap::api
