#include "server/cli/greeting.hpp"

namespace neap::cli {

std::string browsable_address(const std::string& host, std::uint16_t port, bool tls) {
  std::string shown = host;
  if (host == "0.0.0.0") shown = "127.0.0.1";
  if (host == "::") shown = "::1";
  if (shown.find(':') != std::string::npos) shown = "[" + shown + "]";
  return (tls ? "https://" : "http://") + shown + ":" + std::to_string(port);
}

std::string example_request(const std::string& address, bool needs_key) {
  // curl takes brackets for a pattern, hence -g for IPv6.
  const std::string globbing = address.find('[') == std::string::npos ? "" : "-g ";
  return "curl " + globbing + "'" + address +
         "/v1/chat/completions' -H 'Content-Type: application/json' \\\n" +
         (needs_key ? "  -H \"Authorization: Bearer $NEAP_API_KEY\" \\\n" : "") +
         "  -d '{\"model\": \"default\", \"messages\": [{\"role\": \"user\", \"content\": "
         "\"Why is the sky blue?\"}], \"max_tokens\": 64}'\n";
}

}  // namespace neap::cli
