#pragma once
// The form that HTTP gives to a time.

#include <ctime>
#include <string>

namespace neap::http {

// "Sun, 06 Nov 1994 08:49:37 GMT" (IMF-fixdate, RFC 9110, 5.6.7), whatever the locale. Needed in every answer by
// RFC 9110, 6.6.1. Well below a microsecond.
std::string http_date(std::time_t when);

}  // namespace neap::http
