#include "tests/actors/node_world.hpp"

#include "actors/ending_sink.hpp"
#include "actors/watched_actor.hpp"

#include <caf/event_based_actor.hpp>

namespace neap::test {

using namespace neap::actors;

namespace {

bool is_end(const stream_event& event) {
  return std::holds_alternative<stream_summary>(event) || std::holds_alternative<error>(event);
}

}  // namespace

const stream_event* recording_sink::end() const {
  return !events.empty() && is_end(events.back()) ? &events.back() : nullptr;
}

const error* recording_sink::failure() const {
  return events.empty() ? nullptr : std::get_if<error>(&events.back());
}

std::vector<token_id> recording_sink::tokens(std::uint32_t choice) const {
  std::vector<token_id> out;
  for (const auto& event : events)
    if (const auto* delta = std::get_if<stream_delta>(&event); delta != nullptr && delta->choice == choice)
      out.insert(out.end(), delta->tokens.begin(), delta->tokens.end());
  return out;
}

std::string recording_sink::fault() const {
  for (std::size_t i = 0; i < events.size(); ++i) {
    const bool first = std::holds_alternative<stream_accepted>(events[i]);
    if (first != (i == 0) && !(i == 0 && std::holds_alternative<error>(events[i])))
      return "event " + std::to_string(i) + " is out of order";
    if (is_end(events[i]) && i + 1 != events.size()) return "events after the end";
  }
  return "";
}

node_world::~node_world() { stop(); }

void node_world::stop() {
  node_actors::stop();
  for (const auto& [id, handle] : request_actors)
    caf::anon_send_exit(handle, caf::exit_reason::user_shutdown);
  request_actors.clear();
  run();
}

void node_world::start(const world_options& options) {
  stop();
  clients.clear();
  log.clear();
  fatal.clear();
  limits.max_sequences = options.max_sequences;
  limits.max_batch_tokens = 64;
  limits.prefill_tokens_beside_decodes = 32;
  limits.max_waiting = options.max_queue;
  limits.context_length = 2048;
  limits.total_blocks = options.blocks;
  limits.emergency_blocks = options.blocks / 10;
  limits.lease_step = 8;
  device = std::make_shared<fake_backend>(
      fake_limits{1000, options.blocks, limits.max_batch_tokens, options.max_sequences});
  static_cast<node_actors&>(*this) = spawn_actors(system, wiring_of(options));
  run();
}

actors::node_wiring node_world::wiring_of(const world_options& options) {
  node_wiring wiring;
  wiring.device = device;
  wiring.zones.kv_blocks = limits.total_blocks;
  wiring.limits = limits;
  wiring.vocabulary = std::make_shared<const word_tokenizer>();
  wiring.encoder = std::make_shared<const request::prompt_encoder>(wiring.vocabulary, nullptr,
                                                                   [] { return std::int64_t{0}; });
  wiring.lengths = {limits.context_length, 64};
  wiring.policy = schedule::make_classify_policy({});
  wiring.max_live_requests = options.max_live;
  wiring.restarts = options.restarts;
  wiring.detach_blocking_actors = false;
  wiring.log = [this](const std::string& line) { log.push_back(line); };
  wiring.on_fatal = [this](const std::string& why) { fatal.push_back(why); };
  wiring.on_request = [this](request_id id, const request_actor& made) { request_actors[id] = made; };
  return wiring;
}

generation_request node_world::request_of(const std::string& text, std::uint32_t max_tokens) {
  generation_request out;
  out.prompts.emplace_back(text_prompt{text});
  out.max_tokens = max_tokens;
  out.stop.ignore_eos = true;
  return out;
}

node_world::client& node_world::submit(generation_request request) {
  request.id = next_++;
  request.arrival = now();
  auto& made = clients[request.id];
  made.request = std::make_shared<const generation_request>(std::move(request));
  made.sink = make_sink(*made.request);
  caf::anon_send(peer().ingress, submit_a::value, made.request, token_sink_ptr{std::make_shared<ending_sink>(made.sink)});
  return made;
}

std::vector<token_id> node_world::right_answer(const generation_request& request, std::size_t index) {
  const auto& text = std::get<text_prompt>(request.prompts[index / request.choices_per_prompt]).text;
  const auto prompt = word_tokenizer{}.tokenizer::encode(text, false, true);
  auto sampling = request.sampling;
  sampling.seed += index;
  auto stops = request.stop.token_ids;
  if (!request.stop.ignore_eos) stops.push_back(word_tokenizer::end);
  return fake_answer(prompt, sampling, stops, request.max_tokens.value_or(64));
}

std::string node_world::fault_at_rest() {
  if (!device->faults().empty()) return device->faults().front();
  for (const auto& [id, each] : clients) {
    const auto name = "request " + std::to_string(id);
    if (auto fault = each.sink->fault(); !fault.empty()) return name + ": " + fault;
    if (each.sink->end() == nullptr) return name + " never ended";
    if (each.sink->failure() != nullptr) continue;
    for (std::size_t i = 0; i < each.request->choices(); ++i)
      if (each.sink->tokens(static_cast<std::uint32_t>(i)) != right_answer(*each.request, i))
        return name + " received wrong tokens";
  }
  if (device->open_sequences() != 0) return "the device still has open sequences";
  for (const auto* name : {"running", "waiting", "blocks_used", "plans_in_flight"})
    if (const auto value = figure(peer().batcher, name); value != "0") return std::string{name} + " is " + value;
  return figure(peer().ingress, "live_requests") == "0" ? "" : "ingress still has live requests";
}

actor_report node_world::report_of(const caf::actor& handle) {
  actor_report out;
  system.spawn([&out, handle](caf::event_based_actor* self) {
    self->request(handle, caf::infinite, inspect_a::value)
        .then([&out](const actor_report& x) { out = x; }, [](const caf::error&) {});
  });
  run();
  return out;
}

std::string node_world::metrics_text() {
  std::string out;
  system.spawn([&out, asked = peer().telemetry](caf::event_based_actor* self) {
    self->request(asked, caf::infinite, metrics_a::value).then([&out](const std::string& x) { out = x; });
  });
  run();
  return out;
}

}  // namespace neap::test
