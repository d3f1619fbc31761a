#include "server/api/node_view_bodies.hpp"

#include "server/api/json_writer.hpp"

#include <charconv>

namespace neap::api {
namespace {

constexpr double milliseconds_per_second = 1000;

// Figures travel between actors as text; those that are numbers become numbers again.
void write_figure(json_writer& out, const std::string& text) {
  double value = 0;
  const auto* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, value);
  if (problem == std::errc{} && stop == end) {
    out.number(value);
  } else {
    out.string(text);
  }
}

void write(json_writer& out, const actor_view& x) {
  out.begin_object().field("name", x.name).field("id", x.id).field("answered", x.answered);
  out.field("restarts", x.restarts).field("queued", x.queued).field("handled", x.handled);
  out.key("busy_for_ms").milliseconds(x.busy_for * milliseconds_per_second);
  out.key("busy_total_ms").milliseconds(x.busy_total * milliseconds_per_second);
  out.key("age_ms").milliseconds(x.age * milliseconds_per_second);
  out.key("state").begin_object();
  for (const auto& [name, text] : x.state) {
    out.key(name);
    write_figure(out, text);
  }
  out.end_object().end_object();
}

void write(json_writer& out, const request_view& x) {
  out.begin_object().field("id", x.id).field("stage", neap::to_string(x.stage));
  out.key("age_ms").milliseconds(x.age * milliseconds_per_second);
  out.field("model", x.model).field("tier", neap::to_string(x.tag.tier));
  out.field("request_type", neap::to_string(x.tag.type));
  out.field("sensitivity", neap::to_string(x.tag.sensitivity)).field("priority", x.tag.priority);
  out.key("group");
  x.decision ? out.string(neap::to_string(x.decision->group)) : out.null();
  out.key("lane");
  x.decision ? out.string(neap::to_string(x.decision->lane)) : out.null();
  out.field("prompt_tokens", x.prompt_tokens).field("completion_tokens", x.completion_tokens);
  out.field("computed_tokens", x.computed_tokens).field("kv_blocks", x.kv_blocks);
  out.field("choices", x.choices).field("open_choices", x.open_choices);
  out.field("preemptions", x.preemptions).end_object();
}

template <class View>
std::string list_of(const std::vector<View>& views) {
  json_writer out;
  out.begin_object().field("object", "list").key("data").begin_array();
  for (const auto& each : views) write(out, each);
  return out.end_array().end_object().take();
}

}  // namespace

std::string actors_body(const std::vector<actor_view>& actors) { return list_of(actors); }

std::string requests_body(const std::vector<request_view>& requests) { return list_of(requests); }

}  // namespace neap::api
