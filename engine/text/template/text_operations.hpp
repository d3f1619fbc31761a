#pragma once
// What methods and filters do to text. Case changes are ASCII and Latin-1 to Cyrillic letters: what model
// names and roles use.

#include "engine/text/template/value.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace neap::text::jinja {

enum class side : std::uint8_t { both, left, right };

// Python's strip: blanks, or any of the given characters.
tainted_string strip(const tainted_string& text, side where, const tainted_string* characters);

// Python's split: at runs of blanks, or at a separator; at most `limit` cuts if it is not negative.
std::vector<value> split(const tainted_string& text, const tainted_string* separator, std::int64_t limit);
std::vector<value> split_from_right(const tainted_string& text, const tainted_string& separator,
                                    std::int64_t limit);
std::vector<value> split_lines(const tainted_string& text);

tainted_string replace(const tainted_string& text, const tainted_string& from, const tainted_string& to,
                       std::int64_t limit);

tainted_string upper(const tainted_string& text);
tainted_string lower(const tainted_string& text);
tainted_string capitalize(const tainted_string& text);
tainted_string title(const tainted_string& text);

tainted_string join(const std::vector<value>& items, const tainted_string& separator);

// Every line after the first moved in; blank lines only if asked.
tainted_string indent(const tainted_string& text, const tainted_string& by, bool first, bool blank);

// &, <, >, ' and " as HTML entities.
tainted_string escape_html(const tainted_string& text);

// The string in a value, or an error that names the place.
const tainted_string& need_text(const value& x, std::string_view where);

}  // namespace neap::text::jinja
