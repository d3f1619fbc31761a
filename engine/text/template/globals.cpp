// Functions every template can call.

#include "engine/text/template/globals.hpp"

#include "engine/text/template/call_arguments.hpp"
#include "engine/text/template/text_operations.hpp"

#include <ctime>

namespace neap::text::jinja {
namespace {

constexpr std::int64_t max_range = 100'000;

value range_function(const arguments& given) {
  std::vector<std::int64_t> bounds;
  for (const auto& x : given.positional) {
    if (!x.integer()) raise("range needs integers");
    bounds.push_back(*x.integer());
  }
  if (bounds.empty() || bounds.size() > 3) raise("range needs one to three integers");
  const auto begin = bounds.size() > 1 ? bounds[0] : 0;
  const auto end = bounds.size() > 1 ? bounds[1] : bounds[0];
  const auto step = bounds.size() > 2 ? bounds[2] : 1;
  if (step == 0) raise("range with step 0");
  list items;
  for (auto i = begin; step > 0 ? i < end : i > end;) {
    items.emplace_back(i);
    if (static_cast<std::int64_t>(items.size()) > max_range) raise("range is too long");
    if (__builtin_add_overflow(i, step, &i)) break;
  }
  return value::from_list(std::move(items));
}

std::shared_ptr<dictionary> members_of(const arguments& given) {
  auto members = std::make_shared<dictionary>();
  if (!given.positional.empty() && given.positional[0].as_dictionary() != nullptr)
    *members = *given.positional[0].as_dictionary();
  for (const auto& [name, x] : given.named) members->set({name, origin::model}, x);
  return members;
}

value raise_function(const arguments& given) { raise(to_text(argument(given, 0, "message")).text()); }

// The date is the server's, not the client's, but counts as input: a format could spell anything.
value format_time(std::int64_t now, const arguments& given) {
  const auto format = need_text(argument(given, 0, "format"), "strftime_now");
  const auto seconds = static_cast<std::time_t>(now);
  std::tm parts{};
  localtime_r(&seconds, &parts);
  std::string out(256 + format.size() * 8, '\0');
  out.resize(std::strftime(out.data(), out.size(), format.text().c_str(), &parts));
  return value::text(out, origin::input);
}

}  // namespace

void add_globals(interpreter& in, std::int64_t now_unix_seconds) {
  in.set_global("range", native_function{range_function});
  in.set_global("dict", native_function{[](const arguments& given) { return value{members_of(given)}; }});
  in.set_global("namespace", native_function{[&in](const arguments& given) {
                  return in.make_namespace(members_of(given));
                }});
  in.set_global("raise_exception", native_function{raise_function});
  in.set_global("strftime_now", native_function{[now_unix_seconds](const arguments& given) {
                  return format_time(now_unix_seconds, given);
                }});
}

}  // namespace neap::text::jinja
