#include "server/chat/remote_backend.hpp"

#include "bench/event_stream.hpp"
#include "messages/quote.hpp"
#include "server/api/json_reader.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core.hpp>

#include <chrono>
#include <exception>
#include <utility>

namespace neap::chat {
namespace {

namespace net = boost::asio;
namespace beast = boost::beast;
using tcp = net::ip::tcp;
using clock = std::chrono::steady_clock;

constexpr auto awaitable = net::as_tuple(net::use_awaitable);
constexpr std::chrono::milliseconds poll_time{20};  // how soon a cancel is seen
constexpr std::chrono::seconds connect_time{10};

double seconds_since(clock::time_point begin) {
  return std::chrono::duration<double>(clock::now() - begin).count();
}

// One line: what other servers say may have more.
std::string one_line(std::string text) {
  for (auto& c : text)
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  return text.substr(0, 500);
}

// OpenAI's {"error": {"message", "code"}}, or the object within; else the text itself.
error to_error(unsigned status, const std::string& body) {
  const auto document = api::parse_json(body);
  const auto* fault = document ? document->find("error") : nullptr;
  if (fault == nullptr && document) fault = &*document;
  const auto* message = fault != nullptr ? fault->find("message") : nullptr;
  const auto* code = fault != nullptr ? fault->find("code") : nullptr;
  const std::string where =
      status == 0 ? "the server: " : "the server (HTTP " + std::to_string(status) + "): ";
  const bool no_template = code != nullptr && code->string() != nullptr &&
                           *code->string() == error_name(error_code::template_missing);
  const auto text = message != nullptr && message->string() != nullptr ? *message->string() : body;
  return {
      no_template ? error_code::template_missing : error_code::invalid_request, where + one_line(text), {}};
}

class remote_backend final : public chat_backend {
 public:
  remote_backend(remote_options options, bench::endpoint server, tcp::resolver::results_type addresses)
      : options_(std::move(options)), server_(std::move(server)), addresses_(std::move(addresses)) {}

  const std::string& model() const override { return options_.model; }
  std::uint32_t context_length() const override { return context_length_; }

  result<answer_statistics> generate(request_form form, const std::string& body, const text_callback& on_text,
                                     const std::atomic<bool>& cancelled) override {
    answer_statistics out;
    const auto begin = clock::now();
    bench::event_reader events;
    const auto target = form == request_form::chat ? "/v1/chat/completions" : "/v1/completions";
    const auto on_events = [&](const bench::event_reader::outcome& piece) {
      if (piece.text_events > 0 && out.first_token_s == 0) out.first_token_s = seconds_since(begin);
      return piece.text.empty() || on_text(piece.text);
    };
    const auto answer = exchange(target, body, events, on_events, cancelled);
    if (!answer) return answer.error();
    if (answer->status != 200) return to_error(answer->status, answer->refusal);
    out.prompt_tokens = events.prompt_tokens();
    out.cached_tokens = events.cached_tokens();
    out.answer_tokens = events.answer_tokens();
    out.total_s = seconds_since(begin);
    return out;
  }

  // Proves that the server answers, and finds the model's name where none was given.
  result<void> find_model() {
    bench::event_reader none;
    const std::atomic<bool> never{false};
    const auto answer = exchange(
        "/v1/models", "", none, [](auto&) { return true; }, never);
    if (!answer) return answer.error();
    if (answer->status != 200) return to_error(answer->status, answer->refusal);
    const auto document = api::parse_json(answer->refusal);
    const auto* list = document ? document->find("data") : nullptr;
    if (list == nullptr || list->array() == nullptr || list->array()->empty()) return no_models();
    for (const auto& entry : *list->array()) {
      const auto* id = entry.find("id");
      if (id == nullptr || id->string() == nullptr) return no_models();
      if (options_.model.empty()) options_.model = *id->string();
      const auto* length = entry.find("max_model_len");  // Neap's and vLLM's
      const auto* tokens = length != nullptr ? std::get_if<std::int64_t>(&length->data) : nullptr;
      if (*id->string() == options_.model && tokens != nullptr && *tokens > 0)
        context_length_ = static_cast<std::uint32_t>(*tokens);
    }
    return {};
  }

 private:
  using event_callback = std::function<bool(const bench::event_reader::outcome&)>;

  error no_models() const {
    return {
        error_code::invalid_request, options_.url + "/v1/models names no model; give one with --model", {}};
  }

  // Runs one request on this thread. Errors: cancelled, or why there is no whole answer.
  result<bench::stream_answer> exchange(const std::string& target, const std::string& body,
                                        bench::event_reader& events, const event_callback& on_events,
                                        const std::atomic<bool>& cancelled) {
    net::io_context io{1};
    beast::tcp_stream stream{io};
    bool stopped = false;
    bool ended = false;
    bench::stream_answer out;
    const auto run = [&]() -> net::awaitable<void> {
      stream.expires_after(connect_time);
      auto [problem, address] = co_await stream.async_connect(addresses_, awaitable);
      if (problem) {
        out.failure = "cannot connect to " + options_.url + ": " + problem.message();
        co_return;
      }
      stream.expires_after(std::chrono::duration_cast<std::chrono::nanoseconds>(
          std::chrono::duration<double>(options_.timeout_seconds)));
      const bench::stream_request request{server_, target, options_.api_key, body};
      out = co_await bench::post_stream(stream, request, events,
                                        [&](const bench::event_reader::outcome& piece) {
                                          if (!stopped && !on_events(piece)) stopped = true;
                                        });
    };
    std::exception_ptr thrown;
    net::co_spawn(io, run, [&](std::exception_ptr problem) {
      thrown = std::move(problem);
      ended = true;
    });
    while (!ended) {
      io.run_one_for(poll_time);
      if (ended || !(stopped || cancelled)) continue;
      stopped = true;
      stream.close();
      io.run();
    }
    if (thrown) std::rethrow_exception(thrown);
    if (stopped) return error{error_code::cancelled, "the answer was cancelled", {}};
    if (out.failure.empty()) return out;
    return to_error(0, out.failure);
  }

  remote_options options_;
  bench::endpoint server_;
  tcp::resolver::results_type addresses_;
  std::uint32_t context_length_ = 0;
};

}  // namespace

result<std::unique_ptr<chat_backend>> make_remote_backend(const remote_options& options) {
  if (options.url.starts_with("https://"))
    return error{
        error_code::invalid_request,
        "https is not built in: put a local TLS tunnel before the server and name its http:// address",
        "url"};
  auto server = bench::parse_url(options.url);
  if (!server) return server.error();
  net::io_context io{1};
  boost::system::error_code problem;
  const auto addresses = bench::resolve(io, *server, problem);
  if (problem)
    return error{error_code::invalid_request, "cannot resolve " + server->host + ": " + problem.message(),
                 "url"};
  auto out = std::make_unique<remote_backend>(options, *server, addresses);
  if (auto found = out->find_model(); !found) return found.error();
  return std::unique_ptr<chat_backend>{std::move(out)};
}

}  // namespace neap::chat
