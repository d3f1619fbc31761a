#pragma once

#include "actors/node_peers.hpp"
#include "engine/supervise/restart_policy.hpp"
#include "messages/gateway.hpp"

#include <caf/actor.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace neap::actors {

// Written by the supervisor alone, read from any thread.
using readiness_flag = std::shared_ptr<std::atomic<readiness>>;

// An actor that the node cannot do without.
struct essential_actor {
  std::string name;
  // Spawns it with the peers it needs and enters its handle. Throws std::system_error if it gets no thread.
  std::function<void(node_peers&)> start;
  std::function<caf::actor(const node_peers&)> handle;
};

struct supervision {
  std::vector<essential_actor> table;  // in the order of the first start
  supervise::restart_limits limits;
  // A step that takes longer is reported, and the node is not ready until it ends; 0 = never.
  std::chrono::milliseconds step_limit{0};
  readiness_flag ready;
  published_peers peers;
  std::function<void(const std::string&)> log;       // one line a crash; may be empty
  std::function<void(const std::string&)> on_fatal;  // the node cannot go on; may be empty
};

struct supervisor_state {
  static inline const char* name = "supervisor";
  std::shared_ptr<const supervision> setting;
  node_peers_ptr peers;
  std::unique_ptr<supervise::restart_policy> policy;
  std::vector<bool> down;                // by index in the table
  std::vector<std::uint32_t> restarts;   // the same
  bool draining = false;
  bool stuck = false;
  bool given_up = false;
  bool stopping = false;  // told to end

  // One line for the operator.
  void log(const std::string& line) const;
  // Readiness as it follows from the rest.
  void publish_readiness() const;
  report_fields figures() const;
  // Names of the table, a line each.
  std::string names() const;

  // Its end is the end of all. A supervisor that crashes ends the node, as nobody would watch it any more.
  ~supervisor_state();
};

// Monitors the actors of the table, which run already, and starts a lost one again: after a delay that grows, and with
// a message about the new handle to all who need it. One restart too many gives up: the node has failed for good,
// every live request fails, and on_fatal is called.
supervisor_actor::behavior_type supervisor(watched_self<supervisor_actor, supervisor_state> self,
                                           const std::shared_ptr<const supervision>& setting,
                                           const node_peers_ptr& peers);

}  // namespace neap::actors
