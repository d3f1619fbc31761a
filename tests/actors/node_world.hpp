#pragma once
// All actors of a node, wired as the server wires them, in virtual time and on a fake device.

#include "actors/node_actors.hpp"
#include "tests/support/actor_test.hpp"
#include "tests/support/fake_backend.hpp"
#include "tests/support/word_tokenizer.hpp"

#include <map>
#include <string>

namespace neap::test {

// What a client received.
class recording_sink : public token_sink {
 public:
  void push(stream_event event) override { events.push_back(std::move(event)); }

  // The one end event: a summary or an error. Null before it.
  const stream_event* end() const;
  const error* failure() const;
  std::vector<token_id> tokens(std::uint32_t choice = 0) const;
  // Empty if the events are in order and nothing follows the end.
  std::string fault() const;

  std::vector<stream_event> events;
};

struct world_options {
  std::uint32_t blocks = 64;
  std::uint32_t max_sequences = 8;
  std::uint32_t max_queue = 100;
  std::uint32_t max_live = 1000;
  supervise::restart_limits restarts;
};

class node_world : public actor_test, protected actors::node_actors {
 protected:
  ~node_world() override;

  // Ends the actors of an earlier start(), if any, and starts new ones.
  void start(const world_options& options = {});
  void stop();

  struct client {
    generation_request_ptr request;
    std::shared_ptr<recording_sink> sink;
  };

  static generation_request request_of(const std::string& text, std::uint32_t max_tokens);
  // What a client receives events with.
  virtual std::shared_ptr<recording_sink> make_sink(const generation_request&) {
    return std::make_shared<recording_sink>();
  }
  // Hands the request to ingress; nothing runs yet.
  client& submit(generation_request request);
  client& submit(const std::string& text, std::uint32_t max_tokens = 8) {
    return submit(request_of(text, max_tokens));
  }
  void cancel(request_id id) { caf::anon_send(peer().ingress, actors::cancel_a::value, id); }
  // The actors as they are now.
  actors::node_peers peer() const { return *peers->load(); }
  // Ends an actor as a crash would.
  template <class Handle>
  static void crash(const Handle& handle) {
    caf::anon_send_exit(handle, caf::exit_reason::kill);
  }

  // Answer the device gives to choice `index` of a request with text prompts.
  static std::vector<token_id> right_answer(const generation_request& request, std::size_t index = 0);
  // Empty if every client has its whole right answer or an error, and nothing is held anywhere.
  std::string fault_at_rest();
  // The value of a figure in an actor's own report.
  template <class Handle>
  std::string figure(const Handle& handle, const std::string& name);
  std::string metrics_text();

  std::shared_ptr<fake_backend> device;
  schedule::scheduler_limits limits;
  std::map<request_id, client> clients;
  std::map<request_id, actors::request_actor> request_actors;
  std::vector<std::string> log;    // of the supervisor
  std::vector<std::string> fatal;  // why it gave up

 private:
  actors::actor_report report_of(const caf::actor& handle);
  actors::node_wiring wiring_of(const world_options& options);

  request_id next_ = 1;
};

template <class Handle>
std::string node_world::figure(const Handle& handle, const std::string& name) {
  for (const auto& [key, value] : report_of(caf::actor_cast<caf::actor>(handle)).state)
    if (key == name) return value;
  return "no such figure";
}

}  // namespace neap::test
