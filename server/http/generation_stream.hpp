#pragma once
// Turns the events of one generation into an answer: a whole JSON object, or a stream of them.

#include "messages/stream_event.hpp"
#include "server/api/answer_form.hpp"
#include "server/api/tool_call_collector.hpp"
#include "server/http/exchange.hpp"
#include "server/http/service.hpp"
#include "server/http/stream_output.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace neap::http {

// Submits the request; its answer, or its error, goes to the exchange. A client that leaves cancels it.
void start_generation(service& context, const exchange_ptr& x, api::api_request request);

// The same for any output; `id` comes from the gateway.
void start_generation(service& context, stream_output_ptr output, request_id id, api::api_request request);

class generation_stream : public token_sink, public std::enable_shared_from_this<generation_stream> {
 public:
  // `cancel` is called at most once, on the io thread, when the answer is no longer wanted.
  generation_stream(stream_output_ptr output, api::answer_form_ptr form, std::size_t choices,
                    std::size_t output_limit, std::function<void()> cancel);

  // Connects to the output; once, before events come.
  void attach();
  // An actor's thread.
  void push(stream_event event) override;

 private:
  struct choice_state {
    api::finished_choice answer;  // whole answers: all text; streams: what waits for a slow reader
    std::optional<api::tool_call_collector> calls;
    bool closed = false;          // its end event came
    bool finish_written = false;
  };

  void on_event(const stream_event& event);
  void on(const stream_accepted& event);
  void on(const stream_delta& event);
  void on(const stream_embedding& event);
  void on(const stream_choice_end& event);
  void on(const stream_summary& event);
  void on(const error& fault);

  bool valid_choice(std::uint32_t choice);
  void write_first_events();
  void tell_held();
  void write_waiting();
  void write_delta(std::uint32_t choice);
  void write_end();
  void write(const std::vector<std::string>& events);
  void fail(std::string_view why);
  void give_up();

  stream_output_ptr output_;
  api::answer_form_ptr form_;
  std::vector<choice_state> choices_;
  std::size_t output_limit_;
  std::function<void()> cancel_;
  std::optional<stream_summary> summary_;
  bool begun_ = false;  // an event was written
  bool done_ = false;
};

}  // namespace neap::http
