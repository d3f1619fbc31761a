#pragma once
// Filters over lists and dictionaries, as Jinja documents them.

#include "engine/text/template/value.hpp"

namespace neap::text::jinja {

class interpreter;

value sort_filter(interpreter& in, const value& x, const arguments& given);
value dictsort_filter(interpreter& in, const value& x, const arguments& given);
value items_filter(interpreter& in, const value& x, const arguments& given);
value reverse_filter(interpreter& in, const value& x, const arguments& given);
value unique_filter(interpreter& in, const value& x, const arguments& given);
value map_filter(interpreter& in, const value& x, const arguments& given);
value sum_filter(interpreter& in, const value& x, const arguments& given);
value groupby_filter(interpreter& in, const value& x, const arguments& given);
value batch_filter(interpreter& in, const value& x, const arguments& given);
value slice_filter(interpreter& in, const value& x, const arguments& given);

// select, reject (test on the item) and selectattr, rejectattr (test on its attribute).
value select_filter(interpreter& in, const value& x, const arguments& given);
value reject_filter(interpreter& in, const value& x, const arguments& given);
value selectattr_filter(interpreter& in, const value& x, const arguments& given);
value rejectattr_filter(interpreter& in, const value& x, const arguments& given);

value min_filter(interpreter& in, const value& x, const arguments& given);
value max_filter(interpreter& in, const value& x, const arguments& given);

}  // namespace neap::text::jinja
