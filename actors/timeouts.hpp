#pragma once

#include <caf/duration.hpp>

#include <chrono>

namespace neap::actors {

// How long one actor waits for another inside the process before it counts as lost. Long: a slow step is no
// loss. A caf::duration, not a std::chrono one, since only that keeps the priority of a request (CAF 0.17.6).
inline const caf::duration peer_timeout{std::chrono::seconds{120}};

}  // namespace neap::actors
