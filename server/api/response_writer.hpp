#pragma once
// Answers of /v1/responses: the response object, and the events of its stream
// (https://platform.openai.com/docs/api-reference/responses-streaming). Nothing is stored.

#include "server/api/answer_form.hpp"
#include "server/api/json_writer.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace neap::api {

// One choice only. A stream keeps the answer's text and calls, since its last events repeat them.
class response_writer final : public answer_form {
 public:
  // `created` in unix seconds.
  response_writer(answer_options options, request_id id, std::string model, std::int64_t created);

  std::string whole(std::span<const finished_choice> choices, const stream_summary& summary) override;
  std::vector<std::string> begin_events(std::uint32_t choices) override;
  std::vector<std::string> piece_events(std::uint32_t choice, const finished_choice& piece) override;
  std::vector<std::string> finish_events(std::uint32_t choice, const finished_choice& end,
                                         const stream_summary* summary) override;
  // The last event carries the usage anyway.
  std::vector<std::string> usage_events(const stream_summary&) override { return {}; }

 private:
  enum class item_status { in_progress, completed, incomplete };

  // A message, or one function call.
  struct item {
    bool is_call = false;
    std::uint32_t call = 0;  // its index among the calls
    std::string name;
    std::string text;  // or arguments
    item_status status = item_status::in_progress;
  };

  json_writer event(std::string_view type);
  void add_text(std::vector<std::string>& out, const std::string& text);
  void add_call(std::vector<std::string>& out, const tool_call& call);
  void open(std::vector<std::string>& out, item fresh);
  void close_last(std::vector<std::string>& out, item_status status);
  static std::string_view name_of(item_status status);
  void write_item(json_writer& out, std::size_t index) const;
  void write_part(json_writer& out, const std::string& text) const;
  void write_response(json_writer& out, std::string_view status, finish_reason reason,
                      const stream_summary* summary) const;
  std::string item_id(std::size_t index) const;

  std::string id_;
  std::string model_;
  std::int64_t created_;
  std::vector<item> items_;
  std::int64_t sequence_ = 0;
};

}  // namespace neap::api
