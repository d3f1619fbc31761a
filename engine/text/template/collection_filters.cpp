#include "engine/text/template/collection_filters.hpp"

#include "engine/text/template/call_arguments.hpp"
#include "engine/text/template/filters.hpp"
#include "engine/text/template/members.hpp"
#include "engine/text/template/methods.hpp"
#include "engine/text/template/operations.hpp"
#include "engine/text/template/tests.hpp"
#include "engine/text/template/text_operations.hpp"

#include <algorithm>
#include <string>

namespace neap::text::jinja {
namespace {

constexpr std::int64_t max_parts = 10'000;

// Sorting ignores case unless asked, as Jinja does.
value fold_case(const value& key, bool case_sensitive) {
  return key.as_string() != nullptr && !case_sensitive ? value{lower(*key.as_string())} : key;
}

value sort_key(const value& item, const value& attribute, bool case_sensitive) {
  const auto* names = attribute.as_string();
  if (names == nullptr || names->text().find(',') == std::string::npos)
    return fold_case(attribute.is_undefined() ? item : attribute_of(item, attribute), case_sensitive);
  const tainted_string comma{",", origin::model};
  list keys;
  for (const auto& name : split(*names, &comma, -1))
    keys.push_back(fold_case(attribute_of(item, name), case_sensitive));
  return value::from_list(std::move(keys));
}

void sort_by_key(std::vector<std::pair<value, value>>& keyed, bool reverse) {
  spend_work(keyed.size() * 16);
  std::stable_sort(keyed.begin(), keyed.end(), [reverse](const auto& a, const auto& b) {
    return reverse ? less(b.first, a.first) : less(a.first, b.first);
  });
}

std::size_t part_count(const value& x, const std::string& filter) {
  const auto count = x.integer().value_or(0);
  if (count < 1 || count > max_parts)
    raise(filter + " needs a number from 1 to " + std::to_string(max_parts));
  return static_cast<std::size_t>(count);
}

template <bool Keep, bool ByAttribute>
value select_items(const value& x, const arguments& given) {
  constexpr std::size_t first = ByAttribute ? 1 : 0;
  if (given.positional.size() < first) raise("selectattr and rejectattr need an attribute");
  const auto* name = given.positional.size() > first ? given.positional[first].as_string() : nullptr;
  const auto test = name != nullptr ? find_test(name->text()) : nullptr;
  if (given.positional.size() > first && test == nullptr) raise("select was given an unknown test");
  arguments rest;
  if (given.positional.size() > first + 1)
    rest.positional.assign(given.positional.begin() + first + 1, given.positional.end());
  list out;
  for (auto& item : iterate(x)) {
    const auto subject = ByAttribute ? attribute_of(item, given.positional[0]) : item;
    const bool passed = test != nullptr ? test(subject, rest) : subject.truthy();
    if (passed == Keep) out.push_back(std::move(item));
  }
  return value::from_list(std::move(out));
}

template <bool Largest>
value extreme_item(const value& x, const arguments& given) {
  const auto attribute = argument(given, 1, "attribute");
  value best = undefined{"extreme of nothing"};
  for (const auto& item : iterate(x)) {
    const bool first = best.is_undefined();
    if (first || (Largest ? less(sort_key(best, attribute, false), sort_key(item, attribute, false))
                          : less(sort_key(item, attribute, false), sort_key(best, attribute, false))))
      best = item;
  }
  return best;
}

}  // namespace

value sort_filter(interpreter&, const value& x, const arguments& given) {
  const bool reverse = argument(given, 0, "reverse", false).truthy();
  const bool case_sensitive = argument(given, 1, "case_sensitive", false).truthy();
  const auto attribute = argument(given, 2, "attribute");
  std::vector<std::pair<value, value>> keyed;
  for (auto& item : iterate(x)) keyed.emplace_back(sort_key(item, attribute, case_sensitive), item);
  sort_by_key(keyed, reverse);
  list out;
  for (auto& [key, item] : keyed) out.push_back(std::move(item));
  return value::from_list(std::move(out));
}

value dictsort_filter(interpreter& in, const value& x, const arguments& given) {
  if (x.as_dictionary() == nullptr) raise("dictsort needs a dictionary");
  list pairs;
  for (const auto& [key, item] : x.as_dictionary()->entries)
    pairs.push_back(value::from_list({value{key}, item}, true));
  const auto by = argument(given, 1, "by");
  const bool by_value = by.as_string() != nullptr && by.as_string()->text() == "value";
  const arguments how{{argument(given, 2, "reverse", false), argument(given, 0, "case_sensitive", false),
                       value{std::int64_t{by_value ? 1 : 0}}},
                      {}};
  return sort_filter(in, value::from_list(std::move(pairs)), how);
}

value items_filter(interpreter&, const value& x, const arguments&) {
  if (x.is_undefined()) return value::from_list({});
  if (x.as_dictionary() == nullptr) raise("items needs a dictionary");
  return (*bound_method(x, "items").as_function())({});
}

value reverse_filter(interpreter&, const value& x, const arguments&) {
  auto items = iterate(x);
  std::reverse(items.begin(), items.end());
  return x.as_string() != nullptr ? value{join(items, {})} : value::from_list(std::move(items));
}

value unique_filter(interpreter&, const value& x, const arguments& given) {
  const auto attribute = argument(given, 1, "attribute");
  list out, keys;
  for (auto& item : iterate(x)) {
    auto key = sort_key(item, attribute, argument(given, 0, "case_sensitive", false).truthy());
    spend_work(keys.size());
    if (std::any_of(keys.begin(), keys.end(), [&](const value& seen) { return equal(seen, key); })) continue;
    keys.push_back(std::move(key));
    out.push_back(std::move(item));
  }
  return value::from_list(std::move(out));
}

value map_filter(interpreter& in, const value& x, const arguments& given) {
  list out;
  const auto attribute = argument(given, 99, "attribute");
  const auto fallback = argument(given, 99, "default");
  const auto* name = given.positional.empty() ? nullptr : given.positional[0].as_string();
  const auto apply = name != nullptr ? find_filter(name->text()) : nullptr;
  if (attribute.is_undefined() && apply == nullptr) raise("map needs attribute= or the name of a filter");
  arguments rest{
      given.positional.empty() ? list{} : list(given.positional.begin() + 1, given.positional.end()),
      given.named};
  for (const auto& item : iterate(x)) {
    auto mapped = apply != nullptr ? apply(in, item, rest) : attribute_of(item, attribute);
    out.push_back(mapped.is_undefined() && !fallback.is_undefined() ? fallback : std::move(mapped));
  }
  return value::from_list(std::move(out));
}

value sum_filter(interpreter&, const value& x, const arguments& given) {
  const auto attribute = argument(given, 0, "attribute");
  value total = argument(given, 1, "start", std::int64_t{0});
  for (const auto& item : iterate(x))
    total = binary_operation("+", total, attribute.is_undefined() ? item : attribute_of(item, attribute));
  return total;
}

value groupby_filter(interpreter&, const value& x, const arguments& given) {
  const auto attribute = argument(given, 0, "attribute");
  const auto fallback = argument(given, 1, "default", nullptr);
  const bool case_sensitive = argument(given, 2, "case_sensitive", false).truthy();
  const auto key_of = [&](const value& item) {
    auto key = attribute_of(item, attribute);
    return key.is_undefined() && !fallback.is_none() ? fallback : key;
  };
  std::vector<std::pair<value, value>> keyed;
  for (auto& item : iterate(x)) keyed.emplace_back(fold_case(key_of(item), case_sensitive), item);
  sort_by_key(keyed, false);
  list groups;
  for (std::size_t i = 0; i < keyed.size();) {
    const auto grouper = key_of(keyed[i].second);
    const auto key = keyed[i].first;
    list items;
    for (; i < keyed.size() && equal(keyed[i].first, key); ++i) items.push_back(std::move(keyed[i].second));
    groups.push_back(value::group(grouper, std::move(items)));
  }
  return value::from_list(std::move(groups));
}

value batch_filter(interpreter&, const value& x, const arguments& given) {
  const auto size = part_count(argument(given, 0, "linecount"), "batch");
  const auto filler = argument(given, 1, "fill_with", nullptr);
  const auto items = iterate(x);
  list batches;
  for (std::size_t at = 0; at < items.size(); at += size) {
    const auto end = std::min(items.size(), at + size);
    list batch(items.begin() + static_cast<std::ptrdiff_t>(at),
               items.begin() + static_cast<std::ptrdiff_t>(end));
    spend_work(filler.is_none() ? 0 : size / 4);
    if (!filler.is_none()) batch.resize(size, filler);
    batches.push_back(value::from_list(std::move(batch)));
  }
  return value::from_list(std::move(batches));
}

value slice_filter(interpreter&, const value& x, const arguments& given) {
  const auto count = part_count(argument(given, 0, "slices"), "slice");
  const auto filler = argument(given, 1, "fill_with", nullptr);
  const auto items = iterate(x);
  spend_work(count);
  const auto share = items.size() / count, with_one_more = items.size() % count;
  list slices;
  auto at = items.begin();
  for (std::size_t i = 0; i < count; ++i) {
    const auto end = at + static_cast<std::ptrdiff_t>(share + (i < with_one_more ? 1 : 0));
    list slice(at, end);
    if (!filler.is_none() && i >= with_one_more) slice.push_back(filler);
    slices.push_back(value::from_list(std::move(slice)));
    at = end;
  }
  return value::from_list(std::move(slices));
}

value select_filter(interpreter&, const value& x, const arguments& given) {
  return select_items<true, false>(x, given);
}

value reject_filter(interpreter&, const value& x, const arguments& given) {
  return select_items<false, false>(x, given);
}

value selectattr_filter(interpreter&, const value& x, const arguments& given) {
  return select_items<true, true>(x, given);
}

value rejectattr_filter(interpreter&, const value& x, const arguments& given) {
  return select_items<false, true>(x, given);
}

value min_filter(interpreter&, const value& x, const arguments& given) {
  return extreme_item<false>(x, given);
}

value max_filter(interpreter&, const value& x, const arguments& given) {
  return extreme_item<true>(x, given);
}

}  // namespace neap::text::jinja
