#include "server/cli/serve_flags.hpp"

#include "config/field_access.hpp"
#include "server/cli/node_settings.hpp"

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace neap::cli {
namespace {

result<config::Config> parse(const std::string& line) {
  CLI::App app;
  serve_arguments arguments;
  add_serve_flags(app, arguments);
  app.parse(line);
  return make_config(arguments);
}

TEST(serve_flags, override_the_file) {
  const auto file = std::filesystem::temp_directory_path() / "neap_serve_flags_test.textproto";
  std::ofstream(file) << "model { path: \"a.gguf\" } http { port: 1 host: \"localhost\" }";
  const auto config =
      parse("--config " + file.string() + " --port 2 b.gguf --kv-cache-max=8G --drain-timeout 2.5");
  std::filesystem::remove(file);
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->http().port(), 2U);
  EXPECT_EQ(config->http().host(), "localhost");
  EXPECT_EQ(config->model().path(), "b.gguf");
  EXPECT_EQ(config->http().drain_timeout_ms(), 2500U);
  EXPECT_EQ(server::make_node_options(*config).kv_cache_max_bytes, std::size_t{8} << 30);
}

TEST(serve_flags, errors_speak_of_the_flag) {
  EXPECT_TRUE(parse("a.gguf --port 70000").error().message.starts_with("--port: 70000 is out of range"));
  EXPECT_TRUE(parse("a.gguf --dtype int3").error().message.starts_with("--dtype: 'int3'"));
  EXPECT_TRUE(parse("a.gguf --max-num-seqs many").error().message.starts_with("--max-num-seqs: "));
  EXPECT_TRUE(parse("a.gguf --drain-timeout soon").error().message.starts_with("--drain-timeout: "));
  EXPECT_TRUE(parse("a.gguf --drain-timeout nan").error().message.starts_with("--drain-timeout: "));
  EXPECT_TRUE(parse("").error().message.starts_with("no model given"));
}

TEST(serve_flags, defaults_of_schema_and_node_agree) {
  EXPECT_EQ(server::make_node_options(config::Config{}), server::node_options{});
}

TEST(serve_flags, texts_must_be_clean) {
  const auto check = [](const char* flag, const std::string& value) {
    serve_arguments arguments;
    arguments.model_path = "a.gguf";
    arguments.given[flag] = value;
    return static_cast<bool>(make_config(arguments));
  };
  EXPECT_FALSE(check("--host", ""));
  EXPECT_FALSE(check("--host", std::string("a\0b", 3)));
  EXPECT_FALSE(check("--served-model-name", "\xC0\x80"));
  EXPECT_FALSE(check("--kv-cache-max", "1"));
  EXPECT_TRUE(check("--served-model-name", "caf\u00e9"));
}

TEST(serve_flags, reach_the_options) {
  const auto config = parse(
      "m.gguf --max-model-len 512 --max-num-seqs 3 --max-num-batched-tokens 64 --batch-window-ms 5 "
      "--max-queue 9 "
      "--max-completion-tokens 77 --threads 2 --device cpu --dtype float32 --kv-cache-dtype f32 --insecure "
      "--served-model-name name --chat-template t.jinja --scheduler-policy stealing --scheduler-threads 4 "
      "--stalled-timeout 3 --log-level off");
  ASSERT_TRUE(config) << config.error().message;
  const auto options = server::make_node_options(*config);
  EXPECT_EQ(options.max_model_len, 512U);
  EXPECT_EQ(options.max_num_seqs, 3U);
  EXPECT_EQ(options.max_num_batched_tokens, 64U);
  EXPECT_EQ(options.batch_window, std::chrono::milliseconds(5));
  EXPECT_EQ(options.max_queue, 9U);
  EXPECT_EQ(options.max_completion_tokens, 77U);
  EXPECT_EQ(options.threads, 2U);
  EXPECT_EQ(options.device, "cpu");
  EXPECT_EQ(options.precision, backend::precision::float32);
  EXPECT_EQ(options.kv_type, kernels::kv_type::f32);
  EXPECT_EQ(options.served_model_name, "name");
  EXPECT_EQ(options.chat_template_path, "t.jinja");
  EXPECT_EQ(options.scheduler_policy, "stealing");
  EXPECT_EQ(options.scheduler_threads, 4U);
  const auto edge = server::make_server_options(*config);
  EXPECT_TRUE(edge.insecure);
  EXPECT_EQ(edge.limits.stalled_time, std::chrono::milliseconds(3000));
}

}  // namespace
}  // namespace neap::cli
