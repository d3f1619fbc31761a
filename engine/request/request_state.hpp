#pragma once
// The life of one request, from encoded prompts to its summary, without clock, sockets or actors.

#include "engine/request/answer_text.hpp"
#include "engine/request/prompt_echo.hpp"
#include "engine/request/prompt_encoder.hpp"
#include "messages/generation_request.hpp"
#include "messages/node_views.hpp"
#include "messages/sequence_request.hpp"
#include "messages/sequence_update.hpp"
#include "messages/stream_event.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace neap::request {

struct length_limits {
  std::uint32_t context_length = 0;
  std::uint32_t default_max_tokens = 1024;  // of an answer whose request does not say
};

// Length of an answer: what the request asks for, else the default, within the context. Error
// context_length_exceeded, with both numbers, if the prompt does not fit, or not one token of an answer that
// is to have some. 64-bit arithmetic throughout.
result<std::uint32_t> answer_length(std::uint64_t prompt_tokens, std::optional<std::uint32_t> max_tokens,
                                    const length_limits& limits);

class request_state {
 public:
  // The tokenizer must outlive the state.
  request_state(generation_request_ptr request, const text::tokenizer& vocabulary);

  // One sequence per prompt and answer; choice i has id first_sequence + i and its own seed. Called once.
  result<std::vector<sequence_request>> begin(std::vector<encoded_prompt> prompts,
                                              const length_limits& limits, sequence_id first_sequence);

  // The classifier's decision about a choice.
  void classified(std::size_t index, const classification& decision);

  // The batcher took one more sequence; the events held back are released with the last.
  void admitted();
  bool any_admitted() const noexcept { return admitted_ > 0; }
  bool all_admitted() const noexcept { return !choices_.empty() && admitted_ == choices_.size(); }

  // What a step changed. Sequences to cancel (a stop string matched) are added to `cancels`.
  void apply(const sequence_update_list& updates, steady_time now, std::vector<sequence_id>& cancels);

  // Events to send now, in order; none before all sequences are admitted.
  std::vector<stream_event> take_events();

  // Ends the request with an error; nothing follows it.
  void fail(error reason);

  bool finished() const noexcept { return finished_; }
  // Sequences that still run.
  std::vector<sequence_id> open_sequences() const;
  const generation_request& request() const noexcept { return *request_; }
  stream_summary summary(steady_time now) const;
  // How far it is. What is being prefilled shows as queued: steps without a token are not told here.
  request_view view(steady_time now) const;
  std::optional<steady_time> first_token() const noexcept { return first_token_; }
  finish_reason last_reason() const noexcept { return last_reason_; }

 private:
  struct choice {
    sequence_id sequence = 0;
    answer_text text;
    std::optional<prompt_echo> echo;
    std::uint32_t completion_tokens = 0;
    std::uint32_t preemptions = 0;
    bool ended = false;
  };

  sequence_request sequence_of(const encoded_prompt& prompt, const token_vector_ptr& tokens,
                               sequence_id id) const;
  choice choice_of(std::size_t prompt, const sequence_request& sequence) const;
  void apply_one(const sequence_update& update, steady_time now, std::vector<sequence_id>& cancels);
  void add_echo(choice& at, std::uint32_t index, const sequence_update& update);
  void add_token(choice& at, std::uint32_t index, const sequence_update& update,
                 std::vector<sequence_id>& cancels);
  void end_choice(choice& at, std::uint32_t index, finish_reason reason, steady_time now);

  generation_request_ptr request_;
  const text::tokenizer* vocabulary_;
  std::vector<choice> choices_;
  std::vector<stream_event> events_;
  std::uint64_t usage_prompt_tokens_ = 0;  // a prompt counts once, however many answers it gets
  std::size_t admitted_ = 0;
  bool finished_ = false;
  classification decision_;
  finish_reason last_reason_ = finish_reason::none;
  std::optional<steady_time> first_step_, first_token_, last_token_;
};

}  // namespace neap::request
