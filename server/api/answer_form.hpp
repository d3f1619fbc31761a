#pragma once
// The shape of an answer: what OpenAI's routes differ in. JSON objects on one line each; what carries them adds
// its own framing.

#include "messages/stream_event.hpp"
#include "server/api/api_request.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace neap::api {

// One tool call, or in a stream more of one.
struct tool_call {
  std::uint32_t index = 0;  // of the calls of its choice
  std::string name;         // not empty where the call begins
  std::string arguments;    // JSON text
};

// A whole choice, or in a stream the next piece of one.
struct finished_choice {
  std::string text;
  std::vector<token_id> tokens;
  finish_reason reason = finish_reason::stop;
  std::vector<scored_token> scores = {};
  std::vector<tool_call> calls = {};
  bool ends_with_calls = false;  // it called tools, and every call is complete
};

class answer_form {
 public:
  explicit answer_form(answer_options options) : options_(std::move(options)) {}
  virtual ~answer_form() = default;

  // One object with all choices in order.
  virtual std::string whole(std::span<const finished_choice> choices, const stream_summary& summary) = 0;

  // The events of a stream, in order: begin, then for each choice pieces and a finish, then the usage. The summary is
  // given with the last finish only, unless usage was asked for.
  virtual std::vector<std::string> begin_events(std::uint32_t choices) = 0;
  virtual std::vector<std::string> piece_events(std::uint32_t choice, const finished_choice& piece) = 0;
  virtual std::vector<std::string> finish_events(std::uint32_t choice, const finished_choice& end,
                                                 const stream_summary* summary) = 0;
  virtual std::vector<std::string> usage_events(const stream_summary& summary) = 0;

  const answer_options& options() const noexcept { return options_; }

 protected:
  answer_options options_;
};

using answer_form_ptr = std::unique_ptr<answer_form>;

// The form that the request's endpoint has. `created` in unix seconds.
answer_form_ptr make_answer_form(answer_options options, request_id id, const std::string& model, std::int64_t created);

}  // namespace neap::api
