#include "tests/server/raw_client.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <cstdlib>
#include <netinet/in.h>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>
#include <unistd.h>

namespace neap::http {

raw_client::raw_client(std::uint16_t port, int receive_buffer, int socket)
    : socket_(socket >= 0 ? socket : ::socket(AF_INET, SOCK_STREAM, 0)) {
  if (receive_buffer > 0) {
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
  }
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    throw std::runtime_error("cannot connect");
  }
}

raw_client::~raw_client() { close(); }

void raw_client::send(const std::string& bytes) {
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const auto count = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (count <= 0) return;  // the server closed: the answer tells why
    sent += static_cast<std::size_t>(count);
  }
}

std::string raw_client::read_until(const std::string& text, std::chrono::milliseconds limit) {
  using namespace std::chrono;
  const auto end = steady_clock::now() + limit;
  std::string out;
  while (text.empty() || out.find(text) == std::string::npos) {
    const auto left = duration_cast<milliseconds>(end - steady_clock::now());
    pollfd readable{socket_, POLLIN, 0};
    if (left.count() <= 0 || ::poll(&readable, 1, static_cast<int>(left.count())) <= 0) break;
    char buffer[16 * 1024];
    const auto count = ::recv(socket_, buffer, sizeof buffer, 0);
    if (count <= 0) {
      closed_ = true;
      break;
    }
    out.append(buffer, static_cast<std::size_t>(count));
  }
  return out;
}

std::string raw_client::read_all(std::chrono::milliseconds limit) { return read_until("", limit); }

void raw_client::half_close() { ::shutdown(socket_, SHUT_WR); }

void raw_client::reset() {
  const linger now{1, 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  close();
}

void raw_client::close() {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
}

http_fixture::http_fixture(const limits& with) {
  server_options options;
  options.port = 0;
  options.limits = with;
  options.log = [this](bool, const std::string& line) {
    const std::lock_guard lock(mutex);
    log.push_back(line);
  };
  auto bound = http_server::bind(options);
  if (!bound) throw std::runtime_error(bound.error().message);
  server = std::move(*bound);
  if (!server->serve(gateway)) throw std::runtime_error("cannot serve");
}

std::string http_fixture::exchange(const std::string& request) const {
  raw_client client(port());
  client.send(request);
  return client.read_all();
}

std::size_t http_fixture::count_log(const std::string& text) const {
  const std::lock_guard lock(mutex);
  return static_cast<std::size_t>(
      std::count_if(log.begin(), log.end(), [&](const auto& line) { return line.find(text) != line.npos; }));
}

bool http_fixture::live() const {
  return status_of(exchange(get("/health", "Connection: close\r\n"))) == 200;
}

std::string get(const std::string& path, const std::string& headers) {
  return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n";
}

std::string post(const std::string& path, const std::string& body, const std::string& headers) {
  return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" + headers +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

int status_of(const std::string& response) {
  return response.starts_with("HTTP/1.1 ") ? std::atoi(response.c_str() + 9) : 0;
}

std::string body_of(const std::string& response) {
  const auto head = response.find("\r\n\r\n");
  if (head == std::string::npos) return {};
  std::string rest = response.substr(head + 4);
  if (response.substr(0, head).find("Transfer-Encoding: chunked") == std::string::npos) return rest;
  std::string out;
  while (!rest.empty()) {
    const auto line = rest.find("\r\n");
    const auto size = std::strtoul(rest.c_str(), nullptr, 16);
    if (line == std::string::npos || size == 0) break;
    out += rest.substr(line + 2, size);
    rest.erase(0, line + 2 + size + 2);
  }
  return out;
}

}  // namespace neap::http
