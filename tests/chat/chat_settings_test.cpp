#include "server/chat/chat_settings.hpp"

#include <gtest/gtest.h>

namespace neap::chat {
namespace {

std::string fields(const chat_settings& settings) {
  api::json_writer out;
  out.begin_object();
  settings.write(out);
  out.end_object();
  return out.take();
}

std::string fault(const std::string& name, const std::string& text) {
  chat_settings settings;
  const auto set = settings.set(name, text);
  EXPECT_EQ(fields(settings), "{}");
  return set ? "" : set.error().message;
}

TEST(ChatSettings, BecomeFieldsOfTheirType) {
  chat_settings settings;
  for (const auto& [name, text] : std::vector<std::pair<std::string, std::string>>{
           {"temperature", "0.5"}, {"seed", "7"}, {"stop", "12"}, {"ignore_eos", "true"}})
    EXPECT_TRUE(settings.set(name, text)) << name;
  EXPECT_EQ(fields(settings), R"({"ignore_eos":true,"seed":7,"stop":"12","temperature":0.5})");
}

TEST(ChatSettings, TakeEveryOptionTheyList) {
  for (const auto& setting : all_settings()) {
    chat_settings settings;
    EXPECT_TRUE(settings.set(std::string(setting.name), setting.unit == "BOOL" ? "false" : "1"))
        << setting.name;
  }
}

TEST(ChatSettings, GoBackToTheDefault) {
  chat_settings settings;
  EXPECT_TRUE(settings.set("seed", "7"));
  EXPECT_TRUE(settings.set("seed", "default"));
  EXPECT_EQ(fields(settings), "{}");
}

TEST(ChatSettings, NameTheAllowedRange) {
  EXPECT_NE(fault("temperature", "9").find("0 to 2"), std::string::npos);
  EXPECT_NE(fault("temperature", "warm").find("0 to 2"), std::string::npos);
  EXPECT_NE(fault("max_tokens", "0").find("1"), std::string::npos);
  EXPECT_NE(fault("seed", "1.5").find("integer"), std::string::npos);
}

TEST(ChatSettings, SuggestTheOptionThatWasMeant) {
  EXPECT_NE(fault("temprature", "1").find("did you mean temperature?"), std::string::npos);
  EXPECT_NE(fault("n", "1").find("top_p"), std::string::npos);
}

TEST(ChatSettings, KeepEscapesOfAQuotedStop) {
  chat_settings settings;
  EXPECT_TRUE(settings.set("stop", R"("\n\n")"));
  EXPECT_EQ(fields(settings), R"({"stop":"\n\n"})");
}

}  // namespace
}  // namespace neap::chat
