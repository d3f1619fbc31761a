#include "config/config_file.hpp"

#include "config/field_access.hpp"
#include "config/field_rules.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace neap::config {
namespace {

std::string refusal(const std::string& text) {
  const auto parsed = parse_config(text, "my.textproto");
  return parsed ? "" : parsed.error().message;
}

std::string read(const std::string& name) {
  std::ifstream in(std::string(NEAP_SOURCE_DIR) + "/config/" + name);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

TEST(config_file, empty_means_defaults) {
  const auto parsed = parse_config("", "x");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->http().port(), 8000U);
  EXPECT_EQ(parsed->batching().batch_window_ms(), 75U);
  EXPECT_EQ(parsed->http().drain_timeout_ms(), 30'000U);
}

TEST(config_file, values_arrive) {
  const auto parsed = parse_config("http { port: 9 insecure: true } memory { kv_cache_max: \"2G\" }", "x");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->http().port(), 9U);
  EXPECT_TRUE(parsed->http().insecure());
  EXPECT_EQ(parsed->memory().kv_cache_max(), "2G");
}

TEST(config_file, errors_name_file_line_and_field) {
  EXPECT_TRUE(refusal("http {\n  prot: 1\n}").starts_with("my.textproto:2: "))
      << refusal("http {\n  prot: 1\n}");
  EXPECT_NE(refusal("http { prot: 1 }").find("prot"), std::string::npos);
  const auto range = refusal("\n\nhttp {\n  port: 70000\n}");
  EXPECT_TRUE(range.starts_with("my.textproto:4: http.port: 70000 is out of range")) << range;
  EXPECT_TRUE(refusal("model { dtype: \"int3\" }").starts_with("my.textproto:1: model.dtype: 'int3'"));
  for (const auto* text : {"{", "http", "http { port: -1 }", "http { port: \"x\" }",
                           "http { port: 99999999999 }", "model { max_model_len: 5 }",
                           "memory { kv_cache_max: \"9X\" }", "runtime { scheduler_threads: 0 }"}) {
    const auto message = refusal(text);
    EXPECT_FALSE(message.empty()) << text;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

TEST(config_file, files_that_cannot_be_read) {
  EXPECT_NE(load_config("/nonexistent.textproto").error().message.find("does not exist"), std::string::npos);
  EXPECT_FALSE(load_config(NEAP_SOURCE_DIR));
}

// The default file and the schema agree; the example shows every field.
TEST(config_file, shipped_files_cover_the_schema) {
  const auto defaults = parse_config(read("default.textproto"), "default");
  ASSERT_TRUE(defaults) << defaults.error().message;
  const auto example = parse_config(read("example.textproto"), "example");
  ASSERT_TRUE(example) << example.error().message;
  const Config schema;
  const auto example_text = read("example.textproto");
  for (const auto& path : field_paths()) {
    EXPECT_EQ(get_field(*defaults, path), get_field(schema, path)) << path;
    EXPECT_NE(example_text.find(path.substr(path.find('.') + 1) + ":"), std::string::npos) << path;
  }
  EXPECT_TRUE(validate(schema));
}

TEST(field_rules, cover_every_field) {
  for (const auto& path : field_paths()) EXPECT_TRUE(has_rule(path)) << path;
}

TEST(field_access, sets_by_path) {
  Config config;
  EXPECT_TRUE(set_field(config, "http.port", "81"));
  EXPECT_TRUE(set_field(config, "http.insecure", "true"));
  EXPECT_TRUE(set_field(config, "model.path", "a b"));
  EXPECT_EQ(get_field(config, "http.port"), "81");
  EXPECT_EQ(get_field(config, "http.insecure"), "true");
  EXPECT_EQ(get_field(config, "model.path"), "a b");
  for (const auto* value : {"", "x", "-1", "1.5", "4294967296", "1 "})
    EXPECT_FALSE(set_field(config, "http.port", value));
  EXPECT_FALSE(set_field(config, "http.insecure", "yes"));
  for (const auto* path : {"", "http", "http.", "http.none", "none.port"})
    EXPECT_FALSE(set_field(config, path, "1"));
}

}  // namespace
}  // namespace neap::config
