#include "server/http/generation_stream.hpp"

#include "server/http/sse_output.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace neap::http {
namespace {

std::int64_t unix_now() {
  using namespace std::chrono;
  return duration_cast<seconds>(system_clock::now().time_since_epoch()).count();
}

// What a choice holds for a slow reader.
std::size_t held_bytes(const api::finished_choice& x) {
  constexpr std::size_t score_bytes = 64;
  std::size_t scores = 0;
  for (const auto& each : x.scores) scores += 1 + each.top.size();
  std::size_t calls = 0;
  for (const auto& each : x.calls) calls += each.name.size() + each.arguments.size();
  return x.text.size() + calls + x.tokens.size() * sizeof(token_id) + scores * score_bytes;
}

}  // namespace

void start_generation(service& context, const exchange_ptr& x, api::api_request request) {
  start_generation(context, make_sse_output(x), x->id(), std::move(request));
}

void start_generation(service& context, stream_output_ptr output, request_id id, api::api_request request) {
  auto& generation = request.generation;
  generation.id = id;
  generation.arrival = std::chrono::steady_clock::now();
  // The key may not allow what the client asked for.
  auto& tier = request.answer.service_tier;
  if (tier == "priority" && generation.tag.tier != service_tier::vip) tier = "default";
  auto form = api::make_answer_form(std::move(request.answer), generation.id, generation.model, unix_now());
  auto sink = std::make_shared<generation_stream>(
      std::move(output), std::move(form), generation.choices(), context.limits.output_bytes,
      [&gateway = context.gateway, id = generation.id] { gateway.cancel(id); });
  sink->attach();
  context.gateway.submit(std::move(generation), std::move(sink));
}

generation_stream::generation_stream(stream_output_ptr output, api::answer_form_ptr form, std::size_t choices,
                                     std::size_t output_limit, std::function<void()> cancel)
    : output_(std::move(output)),
      form_(std::move(form)),
      choices_(choices),
      output_limit_(output_limit),
      cancel_(std::move(cancel)) {
  const auto& options = form_->options();
  if (options.tools == text::tool_call_format::none) return;
  for (auto& choice : choices_) choice.calls.emplace(options.tools, options.stream);
}

void generation_stream::attach() {
  output_->on_gone([weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->give_up();
  });
  output_->on_drained([weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->write_waiting();
  });
}

void generation_stream::push(stream_event event) {
  output_->post([self = shared_from_this(), event = std::move(event)] { self->on_event(event); });
}

void generation_stream::on_event(const stream_event& event) {
  if (done_) return;
  std::visit([this](const auto& x) { on(x); }, event);
}

// The client hears nothing yet: until the first token a failure still has a status of its own.
void generation_stream::on(const stream_accepted&) {}

void generation_stream::write_first_events() {
  if (!std::exchange(begun_, true)) write(form_->begin_events(static_cast<std::uint32_t>(choices_.size())));
}

void generation_stream::write(const std::vector<std::string>& events) {
  for (const auto& event : events) output_->event(event);
}

void generation_stream::tell_held() {
  std::size_t bytes = 0;
  for (const auto& choice : choices_) {
    bytes += held_bytes(choice.answer);
  }
  output_->holds(bytes);
}

bool generation_stream::valid_choice(std::uint32_t choice) {
  if (choice < choices_.size()) return true;
  fail("the engine answered for a choice that does not exist");
  return false;
}

void generation_stream::on(const stream_delta& event) {
  if (!valid_choice(event.choice)) return;
  auto& choice = choices_[event.choice];
  auto& answer = choice.answer;
  if (choice.calls)
    choice.calls->push(event.text, answer);
  else
    answer.text += event.text;
  answer.tokens.insert(answer.tokens.end(), event.tokens.begin(), event.tokens.end());
  answer.scores.insert(answer.scores.end(), event.scores.begin(), event.scores.end());
  if (!form_->options().stream) return;
  // A reader that lags gets fewer, larger events, so that its buffer holds text and not frames.
  if (output_->buffered() < output_limit_ / 4) write_delta(event.choice);
  if (held_bytes(answer) > output_limit_ / 2) {
    output_->abort();
    return give_up();
  }
  tell_held();
}

void generation_stream::write_delta(std::uint32_t choice) {
  auto& answer = choices_[choice].answer;
  // Tokens whose text is still open travel with the text that completes them.
  const bool tokens_due = form_->options().return_token_ids && !answer.tokens.empty();
  const bool rest_due = choices_[choice].closed && (tokens_due || !answer.scores.empty());
  if (answer.text.empty() && answer.calls.empty() && !rest_due) return;
  api::finished_choice piece;
  piece.text = std::exchange(answer.text, {});
  piece.tokens = std::exchange(answer.tokens, {});
  piece.scores = std::exchange(answer.scores, {});
  piece.calls = std::exchange(answer.calls, {});
  write_first_events();
  auto tokens = piece.tokens.size();
  for (const auto& event : form_->piece_events(choice, piece)) output_->delta(event, std::exchange(tokens, 0));
}

void generation_stream::on(const stream_embedding&) { fail("the engine answered with an embedding"); }

void generation_stream::on(const stream_choice_end& event) {
  if (!valid_choice(event.choice)) return;
  if (event.reason != finish_reason::stop && event.reason != finish_reason::length) {
    return fail("the engine could not finish this answer");
  }
  auto& choice = choices_[event.choice];
  if (choice.calls) choice.calls->finish(choice.answer);
  choice.answer.reason = event.reason;
  choice.closed = true;
  if (form_->options().stream) write_waiting();
}

void generation_stream::on(const stream_summary& event) {
  summary_ = event;
  if (form_->options().stream) {
    write_waiting();
    // The engine lets go of us now; whoever still has to take the rest keeps us until then.
    if (!done_) output_->on_drained([self = shared_from_this()] { self->write_waiting(); });
    return;
  }
  std::vector<api::finished_choice> answers;
  for (auto& choice : choices_) answers.push_back(std::move(choice.answer));
  output_->whole(form_->whole(answers, event));
  done_ = true;
}

// Writes what a slow reader left behind, then the ends that are due. The last choice's end waits for the
// summary, which it carries unless a usage event does.
void generation_stream::write_waiting() {
  if (done_ || !form_->options().stream || output_->buffered() >= output_limit_ / 4) return;
  for (std::uint32_t i = 0; i < choices_.size(); ++i) write_delta(i);
  tell_held();
  const bool all_closed = std::all_of(choices_.begin(), choices_.end(), [](auto& c) { return c.closed; });
  auto open = std::count_if(choices_.begin(), choices_.end(), [](auto& c) { return !c.finish_written; });
  for (std::uint32_t i = 0; i < choices_.size(); ++i) {
    auto& choice = choices_[i];
    if (!choice.closed || choice.finish_written) continue;
    const bool last = open == 1;
    if (last && !summary_) return;
    const bool carries = last && !form_->options().include_usage;
    write_first_events();
    write(form_->finish_events(i, choice.answer, carries ? &*summary_ : nullptr));
    choice.finish_written = true;
    --open;
  }
  if (all_closed && summary_) write_end();
}

void generation_stream::write_end() {
  if (form_->options().include_usage) write(form_->usage_events(*summary_));
  output_->finish();
  done_ = true;
}

void generation_stream::on(const error& fault) {
  done_ = true;
  if (begun_) {
    for (std::uint32_t i = 0; i < choices_.size(); ++i) write_delta(i);
  }
  output_->fail(fault);
}

void generation_stream::fail(std::string_view why) {
  on(error{error_code::internal, std::string(why), {}});
  cancel_();
}

void generation_stream::give_up() {
  if (std::exchange(done_, true)) return;
  cancel_();
}

}  // namespace neap::http
