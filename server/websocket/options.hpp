#pragma once
// Limits of WebSocket connections. Those that HTTP has too (bytes of a message, of output, stalled readers)
// come from http::limits.

#include <chrono>
#include <cstddef>

namespace neap::websocket {

struct options {
  std::size_t open_requests = 64;  // of one socket
  bool deflate = false;            // accept permessage-deflate; costs up to 128 KiB a socket
  std::size_t deflate_from = 256;  // bytes; shorter messages are not worth it
  std::chrono::milliseconds ping_after{
      20'000};  // of silence; after two and a half times this the peer is gone
  std::chrono::milliseconds idle_time{600'000};   // without a message and without an open request
  std::chrono::milliseconds closing_time{5'000};  // for the peer to answer our close
};

}  // namespace neap::websocket
