#include "server/cli/startable.hpp"

#include "messages/quote.hpp"

#include <boost/asio/ip/address.hpp>

#include <filesystem>

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
  return error{error_code::invalid_configuration,
               "http.host: the address " + config.http().host() +
                   " is open to other machines and there is no API key; use --host 127.0.0.1, or --insecure "
                   "(http.insecure) to serve everyone",
               "http.host"};
}

}  // namespace

result<void> check_startable(const config::Config& config) {
  if (auto host = check_host(config); !host) return host;
  if (auto model = check_file("model.path", config.model().path()); !model) return model;
  return check_file("model.chat_template", config.model().chat_template());
}

}  // namespace neap::cli
