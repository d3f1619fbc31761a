#include "server/websocket/messages.hpp"

namespace neap::websocket {

std::optional<error> check_id(std::string_view id) {
  if (id.empty() || id.size() > id_limit) {
    return error{error_code::invalid_request, "`id` must be a string of 1 to 64 bytes", "id"};
  }
  return std::nullopt;
}

std::optional<error> check_credits(std::uint64_t tokens, std::string_view param) {
  if (tokens > credit_limit) {
    return error{error_code::invalid_request, "`" + std::string(param) + "` must be from 0 to 4294967296",
                 std::string(param)};
  }
  return std::nullopt;
}

}  // namespace neap::websocket
