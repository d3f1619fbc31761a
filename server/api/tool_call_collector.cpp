#include "server/api/tool_call_collector.hpp"

#include <algorithm>

namespace neap::api {
namespace {

tool_call& call_of(finished_choice& out, std::uint32_t index) {
  if (out.calls.empty() || out.calls.back().index != index) out.calls.push_back({index, "", ""});
  return out.calls.back();
}

}  // namespace

void tool_call_collector::add(const std::vector<text::tool_call_event>& events, finished_choice& out) {
  using kind = text::tool_call_event::kind;
  for (const auto& event : events) {
    switch (event.what) {
      case kind::text:
        out.text += event.text;
        break;
      case kind::call_started:
        call_of(out, event.call).name = event.text;
        break;
      case kind::arguments:
        call_of(out, event.call).arguments += event.text;
        break;
      case kind::call_ended:
        complete_ = true;
        break;
      case kind::call_failed:
        failed_ = true;
        if (streams_) break;
        std::erase_if(out.calls, [&](const tool_call& call) { return call.index == event.call; });
        out.text += event.text;
        break;
    }
  }
}

void tool_call_collector::finish(finished_choice& out) {
  add(parser_.finish(), out);
  out.ends_with_calls = complete_ && !failed_;
}

}  // namespace neap::api
