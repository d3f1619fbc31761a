#include "engine/request/request_state.hpp"

#include "engine/text/utf8.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace neap::request {
namespace {

double milliseconds(steady_duration span) {
  return std::max(0.0, std::chrono::duration<double, std::milli>(span).count());
}

}  // namespace

result<std::uint32_t> answer_length(std::uint64_t prompt_tokens, std::optional<std::uint32_t> max_tokens,
                                    const length_limits& limits) {
  const bool wants_none = max_tokens == 0U;
  if (prompt_tokens > limits.context_length || (prompt_tokens == limits.context_length && !wants_none))
    return error{error_code::context_length_exceeded,
                 "the prompt has " + std::to_string(prompt_tokens) + " tokens; this model's context holds " +
                     std::to_string(limits.context_length) + " tokens, prompt and answer together",
                 "prompt"};
  const auto room = limits.context_length - prompt_tokens;
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(room, max_tokens.value_or(limits.default_max_tokens)));
}

request_state::request_state(generation_request_ptr request, const text::tokenizer& vocabulary)
    : request_(std::move(request)), vocabulary_(&vocabulary) {}

result<std::vector<sequence_request>> request_state::begin(std::vector<encoded_prompt> prompts,
                                                           const length_limits& limits,
                                                           sequence_id first_sequence) {
  std::vector<sequence_request> out;
  stream_accepted accepted;
  for (std::size_t at = 0; at < prompts.size(); ++at) {
    auto& prompt = prompts[at];
    const auto length = answer_length(prompt.tokens.size(), request_->max_tokens, limits);
    if (!length) return length.error();
    const auto tokens = std::make_shared<const std::vector<token_id>>(std::move(prompt.tokens));
    usage_prompt_tokens_ += tokens->size();
    for (std::uint32_t i = 0; i < request_->choices_per_prompt; ++i) {
      auto sequence = sequence_of(prompt, tokens, first_sequence + out.size());
      sequence.sampling.seed += out.size();  // choices of one request differ
      sequence.max_tokens = *length;
      accepted.prompt_tokens.push_back(static_cast<std::uint32_t>(tokens->size()));
      choices_.push_back(choice_of(at, sequence));
      out.push_back(std::move(sequence));
    }
  }
  events_.emplace_back(std::move(accepted));
  return out;
}

sequence_request request_state::sequence_of(const encoded_prompt& prompt, const token_vector_ptr& tokens,
                                            sequence_id id) const {
  sequence_request out;
  out.id = id;
  out.request = request_->id;
  out.prompt_text = prompt.text;
  out.prompt = tokens;
  out.sampling = request_->sampling;
  out.stop_token_ids = request_->stop.token_ids;
  if (!request_->stop.ignore_eos) {
    const auto& ends = vocabulary_->special().end_of_generation;
    out.stop_token_ids.insert(out.stop_token_ids.end(), ends.begin(), ends.end());
  }
  out.embeds = request_->embeds;
  out.tag = request_->tag;
  out.arrival = request_->arrival;
  return out;
}

request_state::choice request_state::choice_of(std::size_t prompt, const sequence_request& sequence) const {
  choice out{sequence.id, answer_text{*vocabulary_, request_->stop.strings}, std::nullopt};
  if (!request_->echo) return out;
  const bool as_tokens = std::holds_alternative<token_prompt>(request_->prompts[prompt]);
  out.echo.emplace(*vocabulary_, sequence.prompt,
                   as_tokens ? text::replace_invalid_utf8(vocabulary_->decode(*sequence.prompt, true))
                             : sequence.prompt_text,
                   as_tokens);
  out.text.set_prefix(out.echo->text());
  return out;
}

void request_state::classified(std::size_t index, const classification& decision) {
  if (index == 0) decision_ = decision;
}

void request_state::admitted() { ++admitted_; }

std::vector<stream_event> request_state::take_events() {
  const bool failed = !events_.empty() && std::holds_alternative<error>(events_.back());
  if (admitted_ < choices_.size() && !failed) return {};
  return std::exchange(events_, {});
}

void request_state::fail(error reason) {
  if (finished_) return;
  finished_ = true;
  last_reason_ = reason.code == error_code::cancelled ? finish_reason::cancelled : finish_reason::failed;
  // A request that was never admitted fails with its status line alone.
  if (admitted_ < choices_.size() || choices_.empty()) events_.clear();
  events_.emplace_back(std::move(reason));
}

void request_state::apply(const sequence_update_list& updates, steady_time now,
                          std::vector<sequence_id>& cancels) {
  for (const auto& update : updates) {
    if (finished_) return;
    apply_one(update, now, cancels);
  }
}

void request_state::apply_one(const sequence_update& update, steady_time now,
                              std::vector<sequence_id>& cancels) {
  const auto found = std::find_if(choices_.begin(), choices_.end(),
                                  [&](const choice& c) { return c.sequence == update.sequence; });
  if (found == choices_.end() || found->ended) return;
  if (update.finish == finish_reason::failed)
    return fail(update.failure.value_or(error{error_code::internal, "the model could not go on", ""}));
  const auto index = static_cast<std::uint32_t>(found - choices_.begin());
  found->preemptions = update.preemptions;
  if (!first_step_ || update.first_step < *first_step_) first_step_ = update.first_step;
  if (found->echo) add_echo(*found, index, update);
  if (update.token >= 0) {
    if (!first_token_) first_token_ = now;
    last_token_ = now;
    add_token(*found, index, update, cancels);
  }
  if (!update.hidden.empty()) events_.emplace_back(stream_embedding{index, update.hidden});
  if (!found->ended && update.finish != finish_reason::none) end_choice(*found, index, update.finish, now);
  const bool done = std::all_of(choices_.begin(), choices_.end(), [](const choice& c) { return c.ended; });
  if (!done) return;
  finished_ = true;
  events_.emplace_back(summary(now));
}

// With the first sign of life, not before: until then a failure still has a status of its own.
void request_state::add_echo(choice& at, std::uint32_t index, const sequence_update& update) {
  stream_delta delta{index, "", {}};
  if (!at.echo->begun()) {
    delta.text = at.echo->text();
    if (request_->sampling.prompt_logprobs) delta.scores.push_back(at.echo->first());
  }
  for (const auto& each : update.prompt_logprobs) delta.scores.push_back(at.echo->next(each));
  if (!delta.text.empty() || !delta.scores.empty()) events_.emplace_back(std::move(delta));
}

// A token that stops the sequence counts, but adds no text.
void request_state::add_token(choice& at, std::uint32_t index, const sequence_update& update,
                              std::vector<sequence_id>& cancels) {
  ++at.completion_tokens;
  stream_delta delta{index, "", {update.token}};
  bool matched = false;
  const auto take = [&](answer_text::output&& out) {
    delta.text += out.text;
    std::move(out.scores.begin(), out.scores.end(), std::back_inserter(delta.scores));
    matched = out.matched;
  };
  if (update.finish != finish_reason::stop) take(at.text.push(update.token, update.logprobs));
  if (update.finish != finish_reason::none && !matched) take(at.text.finish());
  events_.emplace_back(std::move(delta));
  if (!matched) return;
  at.ended = true;
  last_reason_ = finish_reason::stop;
  events_.emplace_back(stream_choice_end{index, finish_reason::stop});
  if (update.finish == finish_reason::none) cancels.push_back(at.sequence);
}

void request_state::end_choice(choice& at, std::uint32_t index, finish_reason reason, steady_time) {
  at.ended = true;
  last_reason_ = reason;
  events_.emplace_back(stream_choice_end{index, reason});
}

std::vector<sequence_id> request_state::open_sequences() const {
  std::vector<sequence_id> out;
  for (const auto& each : choices_)
    if (!each.ended) out.push_back(each.sequence);
  return out;
}

stream_summary request_state::summary(steady_time now) const {
  stream_summary out;
  out.usage.prompt_tokens = usage_prompt_tokens_;
  for (const auto& each : choices_) {
    out.usage.completion_tokens += each.completion_tokens;
    out.decisions.preemptions += each.preemptions;
  }
  const auto arrival = request_->arrival;
  const auto step = first_step_.value_or(now), first = first_token_.value_or(step),
             last = last_token_.value_or(first);
  out.timings = {milliseconds(step - arrival), milliseconds(first - step), milliseconds(last - first),
                 milliseconds(now - arrival)};
  out.decisions.decision = decision_;
  out.decisions.tag = request_->tag;
  return out;
}

}  // namespace neap::request
