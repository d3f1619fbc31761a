#include "tests/actors/simulation.hpp"

#include "actors/batcher.hpp"
#include "actors/memory_manager.hpp"
#include "actors/watched_actor.hpp"

namespace neap::test {

using namespace neap::actors;

namespace {

// The state of an actor that runs in this thread; null once it has ended.
template <class State, class Handle>
const State* state_of(const Handle& handle) {
  auto* actor = caf::actor_cast<caf::abstract_actor*>(handle);
  if (actor == nullptr || actor->getf(caf::abstract_actor::is_terminated_flag)) return nullptr;
  return &static_cast<typename Handle::template stateful_pointer<State>>(actor)->state;
}

}  // namespace

// Compares every token with the right answer when it comes.
class simulation::checked_sink final : public recording_sink {
 public:
  checked_sink(const generation_request& request, std::string& violation) : violation_(violation) {
    for (std::size_t i = 0; i < request.choices(); ++i) right_.push_back(right_answer(request, i));
    known_.resize(right_.size(), 0);
    name_ = "request " + std::to_string(request.id);
  }

  void push(stream_event event) override {
    if (end() != nullptr) violation_ = name_ + ": an event after its end";
    if (const auto* delta = std::get_if<stream_delta>(&event)) check(*delta);
    recording_sink::push(std::move(event));
  }

 private:
  void check(const stream_delta& delta) {
    if (delta.choice >= right_.size()) violation_ = name_ + ": a choice that was not asked for";
    if (!violation_.empty()) return;
    auto& at = known_[delta.choice];
    for (const auto token : delta.tokens) {
      const auto& right = right_[delta.choice];
      if (at >= right.size() || right[at] != token)
        violation_ = name_ + ": wrong token at position " + std::to_string(at);
      ++at;
    }
  }

  std::string& violation_;
  std::vector<std::vector<token_id>> right_;
  std::vector<std::size_t> known_;
  std::string name_;
};

std::shared_ptr<recording_sink> simulation::make_sink(const generation_request& request) {
  return std::make_shared<checked_sink>(request, violation_);
}

std::string simulation::simulate(unsigned seed, const storm& weather) {
  random_.seed(seed);
  clients.clear();
  request_actors.clear();
  submitted_ = 0;
  events_ = 0;
  violation_.clear();
  world_options options{12 + below(30), 1 + below(8), 1000, 1000, {}};
  options.restarts.restarts = 1'000'000;  // giving up is another test
  start(options);
  device->wrong_token_every = wrong_token_every;
  while (submitted_ < wanted || !scheduler.jobs.empty() || ready->load() != readiness::ready) {
    disturb(weather);
    if (!run_random(random_)) advance(std::chrono::milliseconds{1 + below(30)});
    ++events_;
    if (auto broken = broken_invariant(); !broken.empty())
      return broken + " after message " + std::to_string(events_);
  }
  return fault_at_rest();
}

std::string simulation::broken_invariant() {
  if (!violation_.empty()) return violation_;
  if (!device->faults().empty()) return device->faults().front();
  const auto now = peer();
  const auto* batcher = state_of<batcher_state>(now.batcher);
  if (batcher != nullptr && batcher->scheduler != nullptr && !batcher->scheduler->consistent())
    return "the scheduler's blocks do not add up";
  const auto* memory = state_of<memory_manager_state>(now.memory);
  if (memory == nullptr || memory->pool == nullptr) return "";
  if (!memory->pool->consistent()) return "the pool's blocks do not add up";
  return memory->rejected_releases > 0 ? "a block was released or adopted twice" : "";
}

std::size_t simulation::digest() const {
  std::string all = std::to_string(events_);
  for (const auto& [id, each] : clients) {
    all += each.sink->failure() != nullptr ? each.sink->failure()->message : "|";
    for (const auto token : each.sink->tokens()) all += ' ' + std::to_string(token);
  }
  return std::hash<std::string>{}(all);
}

void simulation::disturb(const storm& weather) {
  if (submitted_ < wanted && below(10) == 0) submit_any();
  if (submitted_ == 0) return;
  if (below(60) == 0) cancel(any_request());
  if (weather.crashes != 0 && submitted_ < wanted && below(weather.crashes) == 0) crash_any();
  if (weather.killed_requests == 0 || below(weather.killed_requests) != 0) return;
  const auto victim = request_actors.find(any_request());
  if (victim != request_actors.end()) crash(victim->second);
}

void simulation::crash_any() {
  ++crashes;
  const auto now = peer();
  switch (below(8)) {
    case 0:
      return crash(now.telemetry);
    case 1:
      return crash(now.memory);
    case 2:
      return crash(now.encoder);
    case 3:
      return crash(now.classifier);
    case 4:
      return crash(now.batcher);
    case 5:
      return crash(now.timer);
    case 6:
      return crash(now.ingress);
    default:
      return crash(now.executor);
  }
}

void simulation::submit_any() {
  auto request = request_of(std::string(1 + below(60), static_cast<char>('a' + below(26))), 1 + below(50));
  request.stop.ignore_eos = below(2) == 0;
  request.tag.tier = below(3) == 0 ? service_tier::vip : service_tier::standard;
  request.tag.type = below(3) == 0 ? request_type::batch : request_type::interactive;
  request.choices_per_prompt = below(4) == 0 ? 3 : 1;
  if (below(4) == 0) request.prompts.emplace_back(text_prompt{"another prompt"});
  if (below(8) == 0) request.deadline = std::chrono::milliseconds{1 + below(200)};
  submit(std::move(request));
  if (submitted_++ == 0) first_ = clients.begin()->first - 1;
}

}  // namespace neap::test
