#pragma once
// One small GET of a server, for commands that look at it.

#include "bench/endpoint.hpp"
#include "messages/result.hpp"

#include <chrono>
#include <string>

namespace neap::bench {

struct fetched {
  unsigned status = 0;
  std::string body;  // at most 1 MiB
};

// GET http://server/target; the key is sent as a bearer token unless empty. Blocks for at most `limit` after the name
// is resolved. Error: device_unavailable in one line if no whole answer came.
result<fetched> fetch(const endpoint& server, const std::string& target, const std::string& api_key,
                      std::chrono::milliseconds limit);

}  // namespace neap::bench
