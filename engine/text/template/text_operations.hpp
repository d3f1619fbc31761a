#pragma once
// What methods and filters do to text. Changes of case cover Latin, Greek and Cyrillic letters.

#include "engine/text/template/value.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace neap::text::jinja {

enum class side : std::uint8_t { both, left, right };

// Python's strip: blanks, or any of the given characters.
tainted_string strip(const tainted_string& text, side where, const tainted_string* characters);

// Python's split: at runs of blanks (null), or at a separator; at most `limit` cuts if it is not negative.
std::vector<value> split(const tainted_string& text, const tainted_string* separator, std::int64_t limit);
std::vector<value> split_from_right(const tainted_string& text, const tainted_string* separator,
                                    std::int64_t limit);
// At every kind of line break, which stays only if asked.
std::vector<value> split_lines(const tainted_string& text, bool keep_breaks);

tainted_string replace(const tainted_string& text, const tainted_string& from, const tainted_string& to,
                       std::int64_t limit);

tainted_string upper(const tainted_string& text);
tainted_string lower(const tainted_string& text);
tainted_string capitalize(const tainted_string& text);
// The method: letters after anything else. The filter: after blanks, dashes and opening brackets.
tainted_string title(const tainted_string& text);
tainted_string title_words(const tainted_string& text);

// Holds a letter, and none of the other case.
bool is_lower(const tainted_string& text);
bool is_upper(const tainted_string& text);

tainted_string join(const std::vector<value>& items, const tainted_string& separator);

// Every line after the first moved in; blank lines only if asked.
tainted_string indent(const tainted_string& text, const tainted_string& by, bool first, bool blank);

// &, <, >, ' and " as HTML entities.
tainted_string escape_html(const tainted_string& text);

// The string in a value, or an error that names the place.
tainted_string need_text(const value& x, std::string_view where);

}  // namespace neap::text::jinja
