#pragma once
// Limits of one connection, and of all together. Defaults: RELIABILITY section 1; tests inject short times.

#include <chrono>
#include <cstddef>

namespace neap::http {

struct limits {
  std::size_t header_bytes = 8 * 1024;      // start line and headers; trailers of a chunked body, too
  std::size_t chunk_line_bytes = 4 * 1024;  // a chunk's size with its extensions
  std::size_t body_bytes = 8 * 1024 * 1024;
  std::size_t body_bytes_per_second = 1024;          // slower bodies get 408, after body_grace
  std::size_t output_bytes = 256 * 1024;             // buffered per connection; more ends the request
  std::size_t send_buffer_bytes = 64 * 1024;         // of the kernel, so that output_bytes means something
  std::size_t connections = 1024;                    // open at once; more get 503 and are closed,
  std::size_t probe_connections = 64;                // but so many more may ask for /health and /ready
  std::size_t all_bodies_bytes = 256 * 1024 * 1024;  // of all requests under way; more get 503
  std::chrono::milliseconds header_time{10'000};
  std::chrono::milliseconds probe_time{1'000};  // header_time of a connection over the limit
  std::chrono::milliseconds body_grace{10'000};
  std::chrono::milliseconds idle_time{60'000};     // keep-alive without a request
  std::chrono::milliseconds stalled_time{30'000};  // a write without progress
  std::chrono::milliseconds comment_time{15'000};  // silence of an event stream before a comment; 0 = never
};

}  // namespace neap::http
