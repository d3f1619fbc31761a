#pragma once
// A request's way to its first step: encode, classify, submit. A stage whose peer dies is done again by its successor.

#include "actors/request.hpp"

namespace neap::actors {

using request_self = watched_self<request_actor, request_actor_state>;

// Begins with the first stage; the others follow. `first_sequence`: ids reserved for the request's choices.
void encode_request(request_self self, const encode_job_ptr& job, sequence_id first_sequence);

// Of request.cpp: sends what is ready; after the end event tells everybody and leaves.
void flush_request(request_self self);
// Ends the request with an error.
void fail_request(request_self self, error reason);

}  // namespace neap::actors
