#include "actors/survey.hpp"

#include "actors/watch_card.hpp"

#include <caf/duration.hpp>

#include <algorithm>
#include <map>
#include <memory>

namespace neap::actors {
namespace {

// A caf::duration keeps the priority of a request (timeouts.hpp).
const caf::duration answer_limit{std::chrono::milliseconds{200}};

double seconds(std::int64_t nanoseconds) { return static_cast<double>(std::max<std::int64_t>(nanoseconds, 0)) * 1e-9; }

// The handle keeps the actor's memory, and so its card, alive.
template <class Handle>
actor_view from_card(const Handle& handle, const char* name) {
  actor_view out;
  out.name = name;
  out.id = handle.id();
  const auto* actor = dynamic_cast<const watched*>(caf::actor_cast<caf::abstract_actor*>(handle));
  if (actor == nullptr) return out;
  const auto& card = actor->card();
  const auto now = watch_card::now();
  const auto since = card.busy_since.load(std::memory_order_relaxed);
  out.handled = card.handled.load(std::memory_order_relaxed);
  out.queued = std::max(card.received.load(std::memory_order_relaxed), out.handled) - out.handled;
  out.busy_for = since == 0 ? 0 : seconds(now - since);
  out.busy_total = seconds(card.busy_total.load(std::memory_order_relaxed)) + out.busy_for;
  out.age = seconds(now - card.born);
  return out;
}

struct actor_survey {
  std::vector<actor_view> views;
  std::size_t open = 0;
  reply_callback<std::vector<actor_view>> reply;

  void one_less() {
    if (--open == 0) reply(std::move(views));
  }
};

template <class Handle>
void ask(caf::event_based_actor* self, const std::shared_ptr<actor_survey>& all, const Handle& handle,
         const char* name) {
  const auto index = all->views.size();
  all->views.push_back(from_card(handle, name));
  ++all->open;
  self->request<caf::message_priority::high>(handle, answer_limit, inspect_a::value)
      .then(
          [all, index](const actor_report& report) {
            all->views[index].answered = true;
            all->views[index].state = report.state;
            all->one_less();
          },
          [all](const caf::error&) { all->one_less(); });
}

struct request_survey {
  std::vector<request_view> views;
  std::vector<schedule::running_sequence> running;
  std::size_t open = 0;
  bool failed = false;
  reply_callback<std::vector<request_view>> reply;

  void one_less() {
    if (--open > 0 || failed) return;
    add_running();
    std::sort(views.begin(), views.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
    reply(std::move(views));
  }

  void add_running() {
    std::map<request_id, request_view*> by_id;
    for (auto& view : views) by_id[view.id] = &view;
    for (const auto& sequence : running) {
      const auto at = by_id.find(sequence.request);
      if (at == by_id.end()) continue;
      at->second->computed_tokens += sequence.computed;
      at->second->kv_blocks += sequence.blocks;
      if (at->second->stage == request_stage::queued) at->second->stage = request_stage::prefill;
    }
  }
};

}  // namespace

void survey_actors(caf::event_based_actor* self, const node_peers& peers, const supervisor_actor& supervisor,
                   const reply_callback<std::vector<actor_view>>& reply) {
  auto all = std::make_shared<actor_survey>();
  all->reply = reply;
  ask(self, all, peers.telemetry, "telemetry");
  ask(self, all, peers.memory, "memory_manager");
  ask(self, all, peers.classifier, "classifier");
  ask(self, all, peers.encoder, "text_encoder");
  ask(self, all, peers.executor, "gpu_executor");
  ask(self, all, peers.batcher, "batcher");
  ask(self, all, peers.timer, "defrag_timer");
  ask(self, all, peers.ingress, "ingress");
  ask(self, all, supervisor, "supervisor");
  for (auto& view : all->views)
    if (const auto count = peers.restarts.find(view.name); count != peers.restarts.end()) view.restarts = count->second;
}

void survey_requests(caf::event_based_actor* self, const node_peers& peers,
                     const reply_callback<std::vector<request_view>>& reply) {
  auto all = std::make_shared<request_survey>();
  all->reply = reply;
  all->open = 2;  // the batcher, and ingress with its requests
  self->request<caf::message_priority::high>(peers.batcher, answer_limit, view_a::value)
      .then(
          [all](const running_list_ptr& running) {
            all->running = *running;
            all->one_less();
          },
          [all](const caf::error&) { all->one_less(); });
  const auto ask_each = [self, all](const request_list_ptr& live) {
    all->open += live->size();
    for (const auto& request : *live)
      self->request<caf::message_priority::high>(request, answer_limit, view_a::value)
          .then(
              [all](const request_view_ptr& view) {
                all->views.push_back(*view);
                all->one_less();
              },
              [all](const caf::error&) { all->one_less(); });  // it ended meanwhile
    all->one_less();
  };
  self->request<caf::message_priority::high>(peers.ingress, answer_limit, view_a::value)
      .then(ask_each, [all](const caf::error&) {
        all->failed = true;
        all->reply(error{error_code::internal, "ingress did not answer", ""});
      });
}

}  // namespace neap::actors
