#include "server/http/exchange.hpp"

#include "server/http/http_date.hpp"

#include <array>
#include <cstdio>
#include <ctime>
#include <utility>

namespace neap::http {

exchange::exchange(std::uint64_t id, request_head head, received_body body, exchange_hooks hooks)
    : id_(id),
      head_(std::move(head)),
      body_(std::move(body)),
      hooks_(std::move(hooks)),
      close_(!head_.keep_alive || hooks_.last) {}

void exchange::write_head(const response& answer, const std::string& framing) {
  begun_ = true;
  close_ = close_ || answer.close || (hooks_.draining != nullptr && *hooks_.draining);
  output_ += "HTTP/1.1 " + std::to_string(answer.status) + ' ' + std::string(reason_phrase(answer.status));
  output_ += "\r\nDate: " + http_date(std::time(nullptr));
  output_ += "\r\nServer: neap\r\nX-Request-Id: " + std::to_string(id_) + "\r\n" + framing;
  if (!answer.content_type.empty()) output_ += "Content-Type: " + answer.content_type + "\r\n";
  for (const auto& [name, value] : hooks_.headers) output_ += name + ": " + value + "\r\n";
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
  if (answer.fault) note(*answer.fault);
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
  report(event_kind::client_cut, "it reads too slowly");
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

void exchange::note(const error& fault) {
  const int status = http_status(fault.code);
  if (status == 500) report(event_kind::internal_error, fault.message);
  if (fault.code == error_code::request_timeout) report(event_kind::client_cut, fault.message);
  if (status == 503) report(event_kind::unavailable, fault.message);
}

void exchange::report(event_kind kind, const std::string& detail) {
  if (hooks_.log != nullptr) hooks_.log->report(kind, "request " + std::to_string(id_) + ": " + detail);
}

std::string exchange::take_output() {
  in_flight_ = output_.size();
  return std::exchange(output_, {});
}

void exchange::output_written() {
  in_flight_ = 0;
  if (!output_.empty()) return;
  if (const auto callback = on_drained_) callback();  // a copy: the answer's end drops the callback
}

void exchange::client_gone(bool cut) {
  if (gone_) return;
  if (cut) {
    report(event_kind::client_cut, "it takes nothing");
  } else {
    report(event_kind::client_left, "before the end of its answer");
  }
  gone_ = true;
  output_.clear();
  on_drained_ = nullptr;
  if (const auto callback = std::exchange(on_gone_, nullptr)) callback();
}

}  // namespace neap::http
