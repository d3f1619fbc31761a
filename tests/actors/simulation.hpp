#pragma once
// A whole node under a seeded storm: requests, cancels, deadlines and crashes at random moments, messages of random
// actors in random order. The invariants are looked at after every message.

#include "tests/actors/node_world.hpp"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace neap::test {

// What may go wrong besides cancels and deadlines: one in so many messages, 0 = never.
struct storm {
  std::uint32_t killed_requests = 400;
  std::uint32_t crashes = 0;  // of the node's own actors
};

class simulation : public node_world {
 protected:
  static constexpr std::uint32_t wanted = 200;

  // One whole simulation; the first broken invariant, or what is wrong at its end.
  std::string simulate(unsigned seed, const storm& weather);

  // Every choice of the scheduler and everything that clients received, as one number.
  std::size_t digest() const;

  std::uint64_t crashes = 0;            // injected so far
  std::uint32_t wrong_token_every = 0;  // a fault of the device, for controls; 0 = none

 private:
  class checked_sink;

  std::shared_ptr<recording_sink> make_sink(const generation_request& request) override;
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  request_id any_request() { return 1 + below(submitted_) + first_; }
  void disturb(const storm& weather);
  void submit_any();
  void crash_any();
  std::string broken_invariant();

  std::mt19937 random_;
  std::uint32_t submitted_ = 0;
  request_id first_ = 0;
  std::uint64_t events_ = 0;
  std::string violation_;  // of a sink
};

}  // namespace neap::test
