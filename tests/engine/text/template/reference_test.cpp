// Every template and expression renders byte for byte as Jinja itself renders it (expected.json), and refuses
// what Jinja refuses.

#include "tests/engine/text/template/reference_cases.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace neap::text {
namespace {

using testing::HasSubstr;

void expect_same(const test::outcome& got, const json_value& wanted, const std::string& about) {
  if (const auto* rendered = wanted.find("rendered")) {
    EXPECT_FALSE(got.failed) << about << "\n  " << got.text;
    EXPECT_EQ(got.text, *rendered->string()) << about;
    return;
  }
  EXPECT_TRUE(got.failed) << about << "\n  should refuse with " << *wanted.find("kind")->string()
                          << ", gave: " << got.text;
  EXPECT_THAT(got.text, HasSubstr(*wanted.find("error")->string())) << about;
  const bool malformed = *wanted.find("kind")->string() == "TemplateSyntaxError";
  if (!malformed && got.failed) {
    const bool unknown_name = *wanted.find("kind")->string() != "TemplateError";
    EXPECT_TRUE(got.code == error_code::template_refused ||
                (unknown_name && got.code == error_code::invalid_model_file))
        << about << "\n  " << got.text;
  }
  if (malformed) {
    EXPECT_EQ(got.code, error_code::invalid_model_file) << about << "\n  " << got.text;
  }
}

TEST(TemplateReference, ChatTemplatesRenderAsJinjaDoes) {
  std::map<std::string, std::string> sources;
  for (auto& [name, source] : test::all_templates()) sources[name] = source;
  ASSERT_GE(sources.size(), 18U);
  const auto& chats = *test::expected().find("chats")->array();
  ASSERT_EQ(chats.size(), sources.size() * test::conversation_names().size());
  for (const auto& wanted : chats) {
    const auto& name = *wanted.find("template")->string();
    const auto chat = test::find_conversation(*wanted.find("conversation")->string());
    expect_same(test::render(sources[name], chat.input()), wanted,
                name + " / " + *wanted.find("conversation")->string());
  }
}

TEST(TemplateReference, ExpressionsGiveWhatJinjaGives) {
  test::conversation chat;
  chat.messages = json_value{json_array{}};
  chat.arguments = *test::expected().find("context");
  const auto& cases = *test::expected().find("expressions")->array();
  ASSERT_GE(cases.size(), 150U);
  for (const auto& wanted : cases) {
    auto source = *wanted.find("source")->string();
    const std::string mark = "⏎";
    for (auto at = source.find(mark); at != std::string::npos; at = source.find(mark))
      source.replace(at, mark.size(), "\n");
    expect_same(test::render(source, chat.input()), wanted, *wanted.find("source")->string());
  }
}

}  // namespace
}  // namespace neap::text
