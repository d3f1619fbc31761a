#include "server/cli/startable.hpp"

#include "messages/quote.hpp"
#include "server/cli/access_settings.hpp"

#include <boost/asio/ip/address.hpp>

#include <cstdlib>
#include <filesystem>
#include <string_view>

namespace neap::cli {
namespace {

result<void> check_file(const char* field, const std::string& path) {
  std::error_code ignored;
  if (path.empty() || std::filesystem::is_regular_file(path, ignored)) return {};
  return error{error_code::invalid_configuration,
               std::string(field) + ": " + quote(path) + " is not there, or no regular file", field};
}

// Names are left to the resolver at the start.
result<void> check_host(const config::Config& config) {
  boost::system::error_code failure;
  const auto address = boost::asio::ip::make_address(config.http().host(), failure);
  if (failure || address.is_loopback() || config.http().insecure()) return {};
  if (auto access = make_access_rules(config); access && !access->keys.empty()) return {};
  return error{error_code::invalid_configuration,
               "http.host: the address " + config.http().host() +
                   " is open to other machines and there is no API key; use --host 127.0.0.1, --api-key-file, or "
                   "--insecure (http.insecure) to serve everyone",
               "http.host"};
}

// A misspelt word would silently mean the best ISA.
result<void> check_isa() {
  const char* isa = std::getenv("NEAP_ISA");
  if (isa == nullptr || *isa == '\0') return {};
  const std::string_view name = isa;
  if (name == "baseline" || name == "avx2" || name == "avx512") return {};
  return error{error_code::invalid_configuration,
               "NEAP_ISA is " + quote(name) + "; it may be baseline, avx2 or avx512, or be left out",
               "NEAP_ISA"};
}

}  // namespace

result<void> check_model(const config::Config& config) {
  if (auto isa = check_isa(); !isa) return isa;
  if (auto model = check_file("model.path", config.model().path()); !model) return model;
  return check_file("model.chat_template", config.model().chat_template());
}

result<void> check_startable(const config::Config& config) {
  if (auto access = make_access_rules(config); !access) return access.error();
  if (auto tls = make_tls(config); !tls) return tls.error();
  if (auto host = check_host(config); !host) return host;
  return check_model(config);
}

}  // namespace neap::cli
