#pragma once
// A request's head as text -> a value. The grammar is Beast's.

#include "messages/result.hpp"
#include "server/http/http_message.hpp"

#include <string_view>

namespace neap::http {

// `bytes`: a whole head, as head_scanner found it. Error: invalid_request.
result<request_head> parse_head(std::string_view bytes);

}  // namespace neap::http
