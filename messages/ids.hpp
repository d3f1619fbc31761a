#pragma once
// Identifiers and small number types that every layer shares.

#include <chrono>
#include <cstdint>

namespace neap {

// Index into a model's vocabulary; never negative in a valid sequence.
using token_id = std::int32_t;

// In a batch plan: "the token this sequence sampled in its previous step". The batcher plans step N+1 before
// the tokens of step N are known, so the executor fills this in.
inline constexpr token_id last_sampled_token = -1;

// Index of one KV block in an executor's pool.
using block_id = std::uint32_t;

// One client request; unique for the life of the process, never 0.
using request_id = std::uint64_t;

// One generated sequence (a request has one per prompt and choice); unique for the life of the process, never
// 0.
using sequence_id = std::uint64_t;

// All durations and deadlines come from the steady clock; the wall clock appears only in the `created` field.
using steady_time = std::chrono::steady_clock::time_point;
using steady_duration = std::chrono::steady_clock::duration;

}  // namespace neap
