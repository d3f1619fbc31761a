// Neap inside another CAF program: this program's own actor system, its own policy, its own actor that reads
// the answer as typed messages, token by token. No HTTP, no sockets.
//
// usage: embed_actors MODEL.gguf QUESTION

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <cstdio>
#include <memory>
#include <neap/actors/actor_sink.hpp>
#include <neap/actors/node_actors.hpp>
#include <neap/server/compose/load_node.hpp>
#include <string>
#include <utility>

namespace {

namespace actors = neap::actors;

// The actor system is the program's, so its settings are too. These are what Neap's own server uses.
struct config : caf::actor_system_config {
  config() {
    set("scheduler.policy", caf::atom("sharing"));     // sleeps when idle, instead of polling
    set("scheduler.max-threads", std::size_t{2});      // actors only pass messages; the model has own threads
    set("scheduler.max-throughput", std::size_t{50});  // else two chatty actors starve a third
  }
};

// A policy is a pure function: what it may look at is in its argument. Neap calls it from one actor, once a
// sequence.
neap::schedule::classify_policy urgent_first(neap::schedule::classify_policy otherwise) {
  return [otherwise = std::move(otherwise)](const neap::sequence_request& sequence) {
    auto decision = otherwise(sequence);
    if (sequence.prompt_text.find("URGENT") != std::string::npos) {
      decision.group = neap::complexity_group::fast_group;
      decision.lane = neap::lane::dedicated;
      decision.urgency = 1;
      decision.reason = "marked URGENT";
    }
    return decision;
  };
}

struct reader_state {
  static inline const char* name = "reader";
};

// Prints one answer and leaves. Any actor with this interface will do; it may read many answers, told apart
// by their ids.
struct printer {
  actors::stream_receiver_actor::stateful_pointer<reader_state> self;

  void operator()(const neap::stream_delta& delta) const {
    std::fputs(delta.text.c_str(), stdout);
    std::fflush(stdout);
  }
  // The last event of an answer that went well ...
  void operator()(const neap::stream_summary& end) const {
    const auto& decision = end.decisions.decision;
    std::printf("\n");
    std::fprintf(stderr, "%s, %s lane: %s\n", to_string(decision.group).data(),
                 to_string(decision.lane).data(), decision.reason.c_str());
    self->quit();
  }
  // ... and of one that did not. Errors come here as values; no actor dies of them.
  void operator()(const neap::error& reason) const {
    std::fprintf(stderr, "embed_actors: %s\n", reason.message.c_str());
    self->quit(caf::exit_reason::user_shutdown);
  }
  void operator()(const auto&) const {}  // accepted, choice end
};

actors::stream_receiver_actor::behavior_type reader(
    actors::stream_receiver_actor::stateful_pointer<reader_state> self) {
  return {[self](actors::event_a, neap::request_id, const actors::stream_event_ptr& event) {
    std::visit(printer{self}, *event);
  }};
}

neap::generation_request_ptr make_request(const std::string& question) {
  const auto text = [](std::string value) { return neap::json_value{std::move(value)}; };
  neap::chat_prompt chat;
  chat.messages.data =
      neap::json_array{{neap::json_object{{"role", text("user")}, {"content", text(question)}}}};
  neap::generation_request request;
  request.id = 1;  // unique among the requests of this process
  request.prompts.emplace_back(std::move(chat));
  request.sampling.temperature = 0;
  request.max_tokens = 32;
  request.arrival = std::chrono::steady_clock::now();
  return std::make_shared<const neap::generation_request>(std::move(request));
}

// True if the answer came whole.
bool ask(caf::actor_system& system, const actors::node_actors& node, const std::string& question) {
  const auto request = make_request(question);
  const auto reading = system.spawn(reader);
  caf::scoped_actor waiting{system};
  waiting->monitor(reading);
  // The handles are read anew for each request: after a crash the supervisor publishes the successors.
  caf::anon_send(node.peers->load()->ingress, actors::submit_a::value, request,
                 actors::make_actor_sink(request->id, reading));
  bool whole = false;
  waiting->receive([&](const caf::down_msg& end) { whole = !end.reason; });
  return whole;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: embed_actors MODEL.gguf QUESTION\n");
    return 2;
  }
  neap::server::node_options options;
  options.model_path = argv[1];
  auto loaded = neap::server::load_node(options);
  if (!loaded) {
    std::fprintf(stderr, "embed_actors: %s\n", loaded.error().message.c_str());
    return 1;
  }
  loaded->wiring.policy = urgent_first(loaded->wiring.policy);

  config settings;
  caf::actor_system system{settings};
  auto node = actors::spawn_actors(system, loaded->wiring);
  const bool whole = ask(system, node, argv[2]);
  node.stop();  // the system's destructor waits for all actors, `loaded` goes after it
  return whole ? 0 : 1;
}
