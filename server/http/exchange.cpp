#include "server/http/exchange.hpp"

#include <array>
#include <cstdio>
#include <utility>

namespace neap::http {

exchange::exchange(request_head head, std::string body, exchange_hooks hooks)
    : head_(std::move(head)), body_(std::move(body)), hooks_(std::move(hooks)), close_(!head_.keep_alive) {}

void exchange::write_head(const response& answer, const std::string& framing) {
  begun_ = true;
  close_ = close_ || answer.close || (hooks_.draining != nullptr && *hooks_.draining);
  output_ += "HTTP/1.1 " + std::to_string(answer.status) + ' ' + std::string(reason_phrase(answer.status));
  output_ += "\r\nServer: neap\r\n" + framing;
  if (!answer.content_type.empty()) output_ += "Content-Type: " + answer.content_type + "\r\n";
  for (const auto& [name, value] : answer.headers) output_ += name + ": " + value + "\r\n";
  if (close_) {
    output_ += "Connection: close\r\n";
  } else if (head_.version == 10) {
    output_ += "Connection: keep-alive\r\n";
  }
  output_ += "\r\n";
}

void exchange::respond(const response& answer) {
  if (begun_ || gone_) return;
  const bool bodyless = answer.status == 204;
  write_head(answer, bodyless ? "" : "Content-Length: " + std::to_string(answer.body.size()) + "\r\n");
  if (!bodyless && head_.method != "HEAD") output_ += answer.body;
  end();
}

void exchange::begin_stream(const std::vector<std::pair<std::string, std::string>>& headers) {
  if (begun_ || gone_) return;
  response start;
  start.content_type = "text/event-stream; charset=utf-8";
  start.headers = headers;
  start.headers.emplace_back("Cache-Control", "no-cache");
  start.headers.emplace_back("X-Accel-Buffering", "no");  // proxies must not hold events back
  start.close = !chunked();                               // HTTP/1.0: the end of the connection ends the body
  write_head(start, chunked() ? "Transfer-Encoding: chunked\r\n" : "");
  hooks_.wake();
}

void exchange::write(std::string_view bytes) {
  if (!begun_ || ended_ || gone_ || bytes.empty()) return;
  if (chunked()) {
    std::array<char, 20> size{};
    std::snprintf(size.data(), size.size(), "%zx\r\n", bytes.size());
    output_ += size.data();
  }
  output_ += bytes;
  if (chunked()) output_ += "\r\n";
  hooks_.wake();
}

void exchange::end_stream(bool close) {
  if (!begun_ || ended_ || gone_) return;
  close_ = close_ || close || (hooks_.draining != nullptr && *hooks_.draining);
  if (chunked()) output_ += "0\r\n\r\n";
  end();
}

void exchange::abort() {
  if (ended_ || gone_) return;
  aborted_ = true;
  output_.clear();
  end();
}

void exchange::end() {
  ended_ = true;
  on_gone_ = nullptr;
  on_drained_ = nullptr;
  hooks_.wake();
}

std::string exchange::take_output() {
  in_flight_ = output_.size();
  return std::exchange(output_, {});
}

void exchange::output_written() {
  in_flight_ = 0;
  if (output_.empty() && on_drained_) on_drained_();
}

void exchange::client_gone() {
  if (gone_) return;
  gone_ = true;
  output_.clear();
  on_drained_ = nullptr;
  if (const auto callback = std::exchange(on_gone_, nullptr)) callback();
}

}  // namespace neap::http
