#include "tests/engine/schedule/scheduler_world.hpp"

#include "engine/schedule/route.hpp"

namespace neap::test {

schedule::scheduler_limits small_limits(std::uint32_t blocks, std::uint32_t max_sequences) {
  schedule::scheduler_limits limits;
  limits.max_sequences = max_sequences;
  limits.max_batch_tokens = 64;
  limits.prefill_tokens_beside_decodes = 32;
  limits.max_waiting = 100'000;
  limits.context_length = 4096;
  limits.total_blocks = blocks;
  limits.emergency_blocks = blocks / 10;
  limits.lease_step = 8;
  limits.window = {};
  return limits;
}

scheduler_world::scheduler_world(const schedule::scheduler_limits& limits)
    : scheduler(limits),
      pool(0, limits.total_blocks, 4),
      device({1000, limits.total_blocks, limits.max_batch_tokens, limits.max_sequences}),
      limits_(limits) {}

sequence_id scheduler_world::submit(const sequence_options& options) {
  auto request = std::make_shared<sequence_request>();
  request->id = next_++;
  request->request = request->id;
  std::vector<token_id> prompt;
  for (std::uint32_t i = 0; i < options.prompt_tokens; ++i)
    prompt.push_back(static_cast<token_id>((request->id * 31 + i * 7) % 1000));
  request->prompt = std::make_shared<const std::vector<token_id>>(std::move(prompt));
  request->sampling.seed = request->id;
  request->stop_token_ids = options.stop_token_ids;
  request->max_tokens = options.max_tokens;
  request->embeds = options.embeds;
  request->sampling.prompt_logprobs = options.prompt_logprobs;
  request->classification.group = options.group;
  request->classification.urgency = options.urgency;
  request->classification.lane = schedule::lane_of(options.urgency);
  request->arrival = now;
  if (auto taken = scheduler.submit(request, now); !taken) {
    last_refusal = taken.error();
    return 0;
  }
  auto& entry = book_[request->id];
  entry.request = request;
  entry.right =
      fake_answer(*request->prompt, request->sampling, request->stop_token_ids, request->max_tokens);
  return request->id;
}

void scheduler_world::cancel(sequence_id id) {
  auto& entry = book_.at(id);
  const bool was_open = entry.finish == finish_reason::none && !entry.cancelled;
  if (scheduler.cancel(id) != was_open) fault_ = "cancel of " + std::to_string(id) + " lied";
  if (!was_open) return;
  entry.cancelled = true;
  forbidden_.insert(id);
}

void scheduler_world::plan() {
  while (auto made = scheduler.plan(now)) {
    for (const auto& row : made->rows)
      if (forbidden_.count(row.sequence) != 0) fault_ = "a cancelled sequence is in a later plan";
    in_flight_.push_back(std::move(*made));
  }
  if (in_flight_.size() > 2) fault_ = "more than two plans in flight";
  if (auto surplus = scheduler.take_surplus(); !surplus.empty() && !pool.release(surplus))
    fault_ = "a surplus block was not leased";
  if (const auto wanted = scheduler.take_lease_request(); wanted > 0) {
    if (lease_wanted_) fault_ = "two lease requests at once";
    lease_wanted_ = wanted;
  }
}

void scheduler_world::lease() {
  if (!lease_wanted_) return;
  const auto wanted = *lease_wanted_;
  lease_wanted_.reset();
  scheduler.grant(pool.lease(wanted));
  plan();
}

void scheduler_world::pump() {
  plan();
  while (lease_wanted_) lease();
}

bool scheduler_world::complete() {
  if (in_flight_.empty()) return false;
  const auto made = std::move(in_flight_.front());
  in_flight_.pop_front();
  step_result outcome;
  if (auto ran = device.run(made)) {
    outcome = std::move(*ran);
  } else {
    outcome.step = made.step;
    outcome.failure = ran.error();
  }
  for (const auto& update : scheduler.complete(outcome, now)) note(update);
  return true;
}

void scheduler_world::note(const sequence_update& update) {
  const auto found = book_.find(update.sequence);
  if (found == book_.end()) return void(fault_ = "update of an unknown sequence");
  auto& entry = found->second;
  if (entry.cancelled || entry.finish != finish_reason::none) fault_ = "update after the end";
  if (update.token >= 0) entry.tokens.push_back(update.token);
  // Each prompt token once and in order, however often it was computed.
  for (const auto& score : update.prompt_logprobs)
    if (score.chosen.logprob != -static_cast<float>(++entry.prompt_scored))
      fault_ = "a prompt token scored out of order";
  entry.hidden = update.hidden;
  entry.finish = update.finish;
  entry.preemptions = update.preemptions;
}

void scheduler_world::run() {
  pump();
  for (int step = 0; step < 100'000 && complete(); ++step) pump();
}

std::string scheduler_world::fault() const {
  if (!fault_.empty()) return fault_;
  if (!steps_fail && !device.faults().empty()) return device.faults().front();
  if (!scheduler.consistent()) return "the scheduler's blocks do not add up";
  if (!pool.consistent()) return "the pool's blocks do not add up";
  for (const auto& [id, entry] : book_) {
    const auto& right = entry.right;
    if (entry.tokens.size() > right.size() ||
        !std::equal(entry.tokens.begin(), entry.tokens.end(), right.begin()))
      return "sequence " + std::to_string(id) + " received wrong tokens";
  }
  if (in_flight_.empty() && !lease_wanted_ && !scheduler.idle()) return "work left, but nothing is going on";
  return "";
}

std::string scheduler_world::fault_at_rest() const {
  if (auto found = fault(); !found.empty()) return found;
  for (const auto& [id, entry] : book_) {
    if (entry.cancelled) continue;
    const auto& right = entry.right;
    if (entry.finish == finish_reason::none) return "sequence " + std::to_string(id) + " never ended";
    if (entry.finish != finish_reason::failed && entry.tokens != right)
      return "sequence " + std::to_string(id) + " ended with " + std::to_string(entry.tokens.size()) +
             " of " + std::to_string(right.size()) + " tokens";
    if (entry.finish == finish_reason::failed) continue;
    const auto& request = *entry.request;
    if (request.embeds && entry.hidden != fake_embedding(*request.prompt))
      return "sequence " + std::to_string(id) + " has a wrong mean hidden state";
    if (request.sampling.prompt_logprobs && entry.prompt_scored + 1 != request.prompt->size())
      return "sequence " + std::to_string(id) + " lacks log-probabilities of its prompt";
  }
  const auto counts = scheduler.counts();
  if (!scheduler.idle() || counts.running + counts.waiting + counts.blocks_used + counts.plans_in_flight != 0)
    return "something is held at rest";
  return device.open_sequences() == 0 ? "" : "the device still has open sequences";
}

}  // namespace neap::test
