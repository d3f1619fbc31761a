// What the supervisor says to the outside, and its end.

#include "actors/supervisor.hpp"

#include <caf/send.hpp>

#include <algorithm>

namespace neap::actors {

void supervisor_state::log(const std::string& line) const {
  if (setting->log) setting->log(line);
}

void supervisor_state::publish_readiness() const {
  const bool lost = std::find(down.begin(), down.end(), true) != down.end();
  auto value = readiness::ready;
  if (given_up || stuck)
    value = readiness::failed;
  else if (draining)
    value = readiness::draining;
  else if (lost)
    value = readiness::restarting;
  setting->ready->store(value);
}

report_fields supervisor_state::figures() const {
  report_fields out{field("restarts", policy->restarts()), field("given_up", static_cast<int>(given_up))};
  for (std::size_t i = 0; i < restarts.size(); ++i)
    out.push_back(field("restarts_" + setting->table[i].name, restarts[i]));
  return out;
}

std::string supervisor_state::names() const {
  std::string out;
  for (const auto& entry : setting->table) out += entry.name + "\n";
  return out;
}

supervisor_state::~supervisor_state() {
  if (setting == nullptr) return;
  setting->peers->store(nullptr);
  // Ingress first: it comes last in the table.
  for (auto entry = setting->table.rbegin(); entry != setting->table.rend(); ++entry)
    caf::anon_send_exit(entry->handle(*peers), caf::exit_reason::user_shutdown);
  if (stopping) return;
  setting->ready->store(readiness::failed);
  if (setting->on_fatal) setting->on_fatal("the supervisor is lost");
}

}  // namespace neap::actors
