#include "bench/endpoint.hpp"

#include "messages/quote.hpp"

#include <charconv>
#include <string_view>

namespace neap::bench {

result<endpoint> parse_url(const std::string& url) {
  constexpr std::string_view scheme = "http://";
  const error wrong{error_code::invalid_request,
                    "expected http://HOST:PORT, with /v1 or nothing behind it, not " + quote(url), "url"};
  if (url.substr(0, scheme.size()) != scheme) return wrong;
  auto rest = url.substr(scheme.size());
  if (!rest.empty() && rest.back() == '/') rest.pop_back();
  if (rest.ends_with("/v1")) rest.resize(rest.size() - 3);  // as OpenAI's clients take it
  if (rest.empty() || rest.find('/') != std::string::npos) return wrong;
  const auto colon = rest.rfind(':');
  if (colon == std::string::npos) return endpoint{rest, "80"};
  if (colon == 0 || colon + 1 == rest.size()) return wrong;
  const auto port = rest.substr(colon + 1);
  unsigned number = 0;
  const auto [end, failure] = std::from_chars(port.data(), port.data() + port.size(), number);
  if (failure != std::errc{} || end != port.data() + port.size() || number < 1 || number > 65'535)
    return error{error_code::invalid_request,
                 "the port " + quote(port, 20) + " is not a number from 1 to 65535", "url"};
  return endpoint{rest.substr(0, colon), port};
}

}  // namespace neap::bench
