#include "server/http/sse_output.hpp"

#include "server/api/answer_writer.hpp"

#include <utility>

namespace neap::http {
namespace {

class sse_output final : public stream_output {
 public:
  explicit sse_output(exchange_ptr x) : exchange_(std::move(x)) {}

  void post(std::function<void()> task) const override { exchange_->post(std::move(task)); }

  void whole(std::string json) override {
    response answer;
    answer.body = std::move(json);
    exchange_->respond(answer);
  }

  void event(std::string_view json) override {
    if (!exchange_->begun()) exchange_->begin_stream({});
    write(json);
  }

  void finish() override {
    write("[DONE]");
    exchange_->end_stream(false);
  }

  void fail(const error& fault) override {
    if (!exchange_->begun()) return exchange_->respond(error_response(fault));
    exchange_->note(fault);
    write(api::error_body(fault));
    write("[DONE]");
    exchange_->end_stream(true);
  }

  void abort() override { exchange_->abort(); }
  std::size_t buffered() const override { return exchange_->buffered(); }
  void on_gone(std::function<void()> callback) override { exchange_->on_gone(std::move(callback)); }
  void on_drained(std::function<void()> callback) override { exchange_->on_drained(std::move(callback)); }

 private:
  // JSON has no line breaks of its own, so an event is one line.
  void write(std::string_view data) {
    std::string event = "data: ";
    event += data;
    event += "\n\n";
    exchange_->write(event);
  }

  exchange_ptr exchange_;
};

}  // namespace

stream_output_ptr make_sse_output(exchange_ptr x) { return std::make_shared<sse_output>(std::move(x)); }

}  // namespace neap::http
