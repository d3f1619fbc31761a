#pragma once
// An answer over HTTP: one JSON body, or a stream of server-sent events that ends with `data: [DONE]`, as
// OpenAI's clients read it.

#include "server/http/exchange.hpp"
#include "server/http/stream_output.hpp"

namespace neap::http {

// The output for one exchange, which must not have begun its answer.
stream_output_ptr make_sse_output(exchange_ptr x);

}  // namespace neap::http
