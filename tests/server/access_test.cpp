// API keys, the admin key, origins and preflights as rules.

#include "server/http/access.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace neap::http {
namespace {

using fields = std::vector<std::pair<std::string, std::string>>;
using testing::Contains;
using testing::HasSubstr;
using testing::Pair;

request_head head_with(std::vector<header_field> extra) {
  request_head head;
  head.method = "POST";
  head.target = "/v1/chat/completions";
  head.fields = std::move(extra);
  return head;
}

access_rules two_keys() {
  access_rules rules;
  rules.keys = *parse_key_file("standard-key tier=standard\nvip-key-1234 tier=vip\n", "keys");
  return rules;
}

bool passes(const request_head& head, access_class needed, bool loopback, const access_rules& rules) {
  return authorise(head, needed, loopback, rules).has_value();
}

TEST(access, the_key_decides_and_brings_its_tier) {
  const auto rules = two_keys();
  const auto standard = authorise(head_with({{"authorization", "Bearer standard-key"}}), access_class::user, true, rules);
  ASSERT_TRUE(standard);
  EXPECT_EQ(standard->best_tier, service_tier::standard);
  const auto vip = authorise(head_with({{"authorization", "bearer  vip-key-1234"}}), access_class::user, false, rules);
  ASSERT_TRUE(vip);
  EXPECT_EQ(vip->best_tier, service_tier::vip);
}

TEST(access, a_tier_is_lowered_never_raised) {
  routing_tag tag;
  tag.tier = service_tier::vip;
  limit_tier(tag, {service_tier::standard});
  EXPECT_EQ(tag.tier, service_tier::standard);
  limit_tier(tag, {service_tier::vip});
  EXPECT_EQ(tag.tier, service_tier::standard);
}

TEST(access, without_or_with_a_wrong_key_there_is_no_way_in) {  // R14
  const auto rules = two_keys();
  const std::vector<std::vector<header_field>> wrong{
      {},
      {{"authorization", "Bearer"}},
      {{"authorization", "Bearer "}},
      {{"authorization", "Bearer standard-ke"}},
      {{"authorization", "Bearer standard-keyy"}},
      {{"authorization", "Bearer STANDARD-KEY"}},
      {{"authorization", "Basic standard-key"}},
      {{"authorization", "standard-key"}},
      {{"authorization", "Bearer standard-key"}, {"authorization", "Bearer standard-key"}},
      {{"x-api-key", "standard-key"}},
      {{"cookie", "key=standard-key"}},
      {{"api-key", "standard-key"}},
  };
  for (const auto& each : wrong) {
    const auto outcome = authorise(head_with(each), access_class::user, true, rules);
    ASSERT_FALSE(outcome) << testing::PrintToString(each.size());
    EXPECT_EQ(outcome.error().code, error_code::invalid_api_key);
    EXPECT_THAT(outcome.error().message, testing::Not(HasSubstr("standard-key")));
  }
  auto in_query = head_with({});
  in_query.target += "?api_key=standard-key";
  EXPECT_FALSE(passes(in_query, access_class::user, true, rules));
  EXPECT_TRUE(passes(head_with({}), access_class::open, false, rules));
}

TEST(access, admin_routes_need_the_admin_key_or_loopback) {
  auto rules = two_keys();
  const auto user = head_with({{"authorization", "Bearer vip-key-1234"}});
  EXPECT_TRUE(passes(user, access_class::admin, true, rules)) << "no admin key: this machine only";
  EXPECT_FALSE(passes(user, access_class::admin, false, rules));
  rules.admin = *make_api_key("the-admin-key", service_tier::vip);
  EXPECT_FALSE(passes(user, access_class::admin, true, rules));
  const auto admin = head_with({{"authorization", "Bearer the-admin-key"}});
  EXPECT_TRUE(passes(admin, access_class::admin, false, rules));
  EXPECT_TRUE(passes(admin, access_class::user, false, rules));
}

TEST(access, without_keys_everybody_is_a_user) {
  EXPECT_TRUE(passes(head_with({}), access_class::user, false, {}));
  EXPECT_TRUE(passes(head_with({{"authorization", "Bearer unused"}}), access_class::user, false, {}));
}

TEST(access, key_files_name_the_line_and_never_the_key) {
  EXPECT_EQ(parse_key_file("# comment\n\n  key-number-1  \r\nkey-number-2 tier=vip", "f")->size(), 2U);
  EXPECT_TRUE(parse_key_file("", "f")->empty());
  const auto marked = parse_key_file("\xEF\xBB\xBFkey-number-1", "f");
  ASSERT_TRUE(marked);
  EXPECT_TRUE(equal_digests(marked->front().digest, digest_of("key-number-1")));
  for (const auto* text : {"good-key-1\nsecret-key tier=gold\n", "good-key-1\nsecret-key tier=vip more\n",
                           "good-key-1\nshort\n", "good-key-1\nsecret-k\xC3\xA9y\n"}) {
    const auto keys = parse_key_file(text, "keys.txt");
    ASSERT_FALSE(keys) << text;
    EXPECT_THAT(keys.error().message, HasSubstr("keys.txt:2: "));
    EXPECT_THAT(keys.error().message, testing::Not(HasSubstr("secret")));
    EXPECT_THAT(keys.error().message, testing::Not(HasSubstr("short")));
  }
}

TEST(access, digests_are_sha_256) {
  // FIPS 180-4's example "abc".
  const auto digest = digest_of("abc");
  EXPECT_EQ(digest[0], 0xBA);
  EXPECT_EQ(digest[31], 0xAD);
  EXPECT_TRUE(equal_digests(digest, digest_of("abc")));
  EXPECT_FALSE(equal_digests(digest, digest_of("abd")));
}

TEST(access, origins_are_obeyed_and_named) {  // C36
  access_rules rules;
  const auto page = head_with({{"origin", "https://Chat.example"}});
  EXPECT_TRUE(cors_headers(page, rules).empty());
  rules.origins = {"https://chat.example"};
  EXPECT_THAT(cors_headers(page, rules), Contains(Pair("Access-Control-Allow-Origin", "https://Chat.example")));
  EXPECT_THAT(cors_headers(page, rules), Contains(Pair("Vary", "Origin")));
  const auto other = cors_headers(head_with({{"origin", "https://evil.example"}}), rules);
  EXPECT_EQ(other, (fields{{"Vary", "Origin"}}));
  EXPECT_FALSE(origin_allowed("https://chat.example.evil.example", rules));
  EXPECT_FALSE(origin_allowed("http://chat.example", rules));
  EXPECT_FALSE(origin_allowed("null", rules));
  rules.origins = {"*"};
  EXPECT_TRUE(origin_allowed("https://evil.example", rules));
}

TEST(access, origins_have_a_scheme_and_a_host) {
  for (const auto* text : {"https://chat.example.org", "http://localhost:3000", "http://[::1]:80", "http://[::1]",
                           "chrome-extension://abcdef", "HTTP://A.B"})
    EXPECT_TRUE(is_origin(text)) << text;
  for (const auto* text : {"", "https://", "://a", "https://a/", "https://a/b", "https://a b", "https://*.example.org",
                           "https://a:", "https://a:x", "https://a:123456", "http://[::1", "http://[]", "http://a?b",
                           "a.example", "https://user@a", "null"})
    EXPECT_FALSE(is_origin(text)) << text;
}

TEST(access, a_preflight_for_no_route_names_no_methods) {
  EXPECT_THAT(preflight_headers(head_with({}), ""), testing::IsEmpty());
}

TEST(access, a_preflight_allows_what_it_is_asked_for) {  // C36
  const auto asked = preflight_headers(
      head_with({{"access-control-request-headers", "authorization, content-type, x-stainless-os, x-invented"}}),
      "POST, OPTIONS");
  EXPECT_THAT(asked, Contains(Pair("Access-Control-Allow-Headers",
                                   "authorization, content-type, x-stainless-os, x-invented")));
  EXPECT_THAT(asked, Contains(Pair("Access-Control-Allow-Methods", "POST, OPTIONS")));
}

}  // namespace
}  // namespace neap::http
