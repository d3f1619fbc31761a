// The format seen from a template.

#include "engine/text/tool_calls/tool_call_format.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace neap::text {
namespace {

using enum tool_call_format;

tool_call_format format_of(const std::string& name) {
  std::ifstream in{std::string{NEAP_SOURCE_DIR} + "/tests/engine/text/template/templates/" + name + ".jinja"};
  std::ostringstream out;
  out << in.rdbuf();
  EXPECT_FALSE(out.str().empty()) << name;
  return detect_tool_call_format(out.str());
}

TEST(tool_call_format, is_seen_from_the_template) {
  EXPECT_EQ(format_of("qwen25"), hermes);
  EXPECT_EQ(format_of("qwen3"), hermes);
  EXPECT_EQ(format_of("llama31"), llama_json);
  EXPECT_EQ(format_of("mistral_v3"), mistral);
  for (const char* name : {"alpaca", "chatml", "gemma", "llama2", "llama3", "phi3", "smollm2", "zephyr"})
    EXPECT_EQ(format_of(name), none) << name;
  EXPECT_EQ(detect_tool_call_format("use [func_name1(params_name1=params_value1, ...)]"), pythonic);
}

TEST(tool_call_format, has_a_name) {
  for (const auto format : {none, hermes, llama_json, mistral, pythonic})
    EXPECT_EQ(find_tool_call_format(to_string(format)), format);
  EXPECT_EQ(find_tool_call_format("Hermes"), std::nullopt);
}

}  // namespace
}  // namespace neap::text
