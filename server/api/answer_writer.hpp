#pragma once
// Answers of the OpenAI routes: whole objects and stream events, exactly as OpenAI's clients read them. All
// are JSON on one line; what carries them adds its own framing.

#include "messages/stream_event.hpp"
#include "server/api/api_request.hpp"
#include "server/api/json_writer.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace neap::api {

struct finished_choice {
  std::string text;
  std::vector<token_id> tokens;
  finish_reason reason = finish_reason::stop;
  std::vector<scored_token> scores = {};
};

class answer_writer {
 public:
  // `created` in unix seconds.
  answer_writer(answer_options options, request_id id, std::string model, std::int64_t created);

  // One JSON object with all choices in order.
  std::string whole(std::span<const finished_choice> choices, const stream_summary& summary) const;

  // Stream events. Each choice of a chat begins with one that names the role; completions have none.
  bool has_first_events() const noexcept { return chat(); }
  std::string first_event(std::uint32_t choice) const;
  std::string delta_event(const stream_delta& delta) const;
  // `summary` is given on the last event of the stream only, and adds timings and decisions.
  std::string finish_event(std::uint32_t choice, finish_reason reason, const stream_summary* summary) const;
  // The last event when usage was asked for: no choices, usage, timings, decisions.
  std::string usage_event(const stream_summary& summary) const;

  const answer_options& options() const noexcept { return options_; }

 private:
  bool chat() const noexcept { return options_.endpoint == endpoint::chat; }
  json_writer begin(std::string_view chat_object) const;
  void write_choice(json_writer& out, std::uint32_t index, const finished_choice& choice) const;
  void write_tokens(json_writer& out, const std::vector<token_id>& tokens) const;
  void write_logprobs(json_writer& out, std::span<const scored_token> scores) const;

  answer_options options_;
  std::string id_;
  std::string model_;
  std::int64_t created_;
};

// {"error":{"message","type","param","code"}}
std::string error_body(const error& fault);

}  // namespace neap::api
