#pragma once
// What an operator must see of the edge's troubles: one line a kind and second, however many there are.

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace neap::http {

enum class event_kind : std::uint8_t {
  internal_error,     // a request ended with 500
  unavailable,        // a request was refused with 503
  client_left,        // before the end of its answer
  client_cut,         // it read or sent too slowly
  connection_limit,   // a connection was refused
  accept_failed,      // mostly: no descriptors left
  connection_failed,  // an exception ended a connection
};

class event_log {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  // `warning`: worth an operator's look; the rest is routine.
  using writer = std::function<void(bool warning, const std::string& line)>;

  explicit event_log(writer write) : write_(std::move(write)) {}

  // Writes the line, unless one of this kind was written within the last second: then it only counts, and the
  // next line of the kind names the count. One thread.
  void report(event_kind kind, std::string_view detail, time_point now = std::chrono::steady_clock::now());

  // Writes the counts that no later line carried.
  void flush();

 private:
  struct kind_state {
    time_point last{};
    bool any = false;
    std::uint64_t held_back = 0;
  };

  writer write_;
  std::array<kind_state, 7> kinds_{};
};

}  // namespace neap::http
