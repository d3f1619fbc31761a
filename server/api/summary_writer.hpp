#pragma once
// What every answer tells beside its content.

#include "messages/stream_event.hpp"
#include "server/api/json_writer.hpp"

#include <span>
#include <string>

namespace neap::api {

// `timings` and `neap`: durations and decisions.
void write_summary(json_writer& out, const stream_summary& summary,
                   std::span<const std::string> ignored_fields);

}  // namespace neap::api
