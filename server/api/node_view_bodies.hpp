#pragma once
// Bodies of the inspection routes. docs/operations.md lists the fields.

#include "messages/node_views.hpp"

#include <string>
#include <vector>

namespace neap::api {

// {"object":"list","data":[{"name":"batcher",...,"state":{"running":3,...}}]}
std::string actors_body(const std::vector<actor_view>& actors);

// {"object":"list","data":[{"id":17,"stage":"decoding",...}]}; `id` is that of the header X-Request-Id.
std::string requests_body(const std::vector<request_view>& requests);

}  // namespace neap::api
