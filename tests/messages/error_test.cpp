#include "messages/error.hpp"

#include "messages/result.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace neap {
namespace {

constexpr int code_count = static_cast<int>(error_code::internal) + 1;

TEST(ErrorTable, EveryCodeHasItsOwnNameAndAStatus) {
  std::set<std::string> names;
  for (int i = 0; i < code_count; ++i) {
    const auto code = static_cast<error_code>(i);
    EXPECT_TRUE(names.insert(std::string{error_name(code)}).second) << error_name(code);
    EXPECT_GE(http_status(code), 400);
    EXPECT_LT(http_status(code), 600);
    EXPECT_FALSE(error_type(code).empty());
  }
}

TEST(ErrorTable, RowsStandInTheOrderOfTheCodes) {
  EXPECT_EQ(error_name(error_code::invalid_request), "invalid_request");
  EXPECT_EQ(error_name(error_code::invalid_json), "invalid_json");
  EXPECT_EQ(error_name(error_code::context_length_exceeded), "context_length_exceeded");
  EXPECT_EQ(error_name(error_code::template_refused), "template_refused");
  EXPECT_EQ(error_name(error_code::template_missing), "template_missing");
  EXPECT_EQ(error_name(error_code::unsupported_field), "unsupported_field");
  EXPECT_EQ(error_name(error_code::invalid_api_key), "invalid_api_key");
  EXPECT_EQ(error_name(error_code::route_not_found), "not_found");
  EXPECT_EQ(error_name(error_code::model_not_found), "model_not_found");
  EXPECT_EQ(error_name(error_code::method_not_allowed), "method_not_allowed");
  EXPECT_EQ(error_name(error_code::unsupported_media_type), "unsupported_media_type");
  EXPECT_EQ(error_name(error_code::request_timeout), "request_timeout");
  EXPECT_EQ(error_name(error_code::content_too_large), "content_too_large");
  EXPECT_EQ(error_name(error_code::header_too_large), "header_too_large");
  EXPECT_EQ(error_name(error_code::rate_limit_exceeded), "rate_limit_exceeded");
  EXPECT_EQ(error_name(error_code::server_overloaded), "server_overloaded");
  EXPECT_EQ(error_name(error_code::model_loading), "model_loading");
  EXPECT_EQ(error_name(error_code::draining), "draining");
  EXPECT_EQ(error_name(error_code::cancelled), "cancelled");
  EXPECT_EQ(error_name(error_code::deadline_exceeded), "deadline_exceeded");
  EXPECT_EQ(error_name(error_code::invalid_model_file), "invalid_model_file");
  EXPECT_EQ(error_name(error_code::unsupported_model), "unsupported_model");
  EXPECT_EQ(error_name(error_code::invalid_configuration), "invalid_configuration");
  EXPECT_EQ(error_name(error_code::out_of_memory), "out_of_memory");
  EXPECT_EQ(error_name(error_code::device_unavailable), "device_unavailable");
  EXPECT_EQ(error_name(error_code::internal), "internal_error");
}

TEST(ErrorTable, AnUnknownNumberIsOurBug) { EXPECT_EQ(http_status(static_cast<error_code>(250)), 500); }

TEST(ErrorTable, OnlyServerStatesAndRateLimitsCanBeRetried) {
  EXPECT_TRUE(is_retryable(error_code::server_overloaded));
  EXPECT_TRUE(is_retryable(error_code::draining));
  EXPECT_TRUE(is_retryable(error_code::rate_limit_exceeded));
  EXPECT_FALSE(is_retryable(error_code::invalid_request));
  EXPECT_FALSE(is_retryable(error_code::internal));
}

TEST(Result, HoldsAValueOrAnError) {
  const result<int> good = 7;
  ASSERT_TRUE(good);
  EXPECT_EQ(*good, 7);
  const result<int> bad = error{error_code::invalid_json, "not JSON", ""};
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().message, "not JSON");
}

TEST(Result, VoidIsSuccessUntilGivenAnError) {
  EXPECT_TRUE(result<void>{});
  const result<void> bad = error{error_code::internal, "x", ""};
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code, error_code::internal);
}

}  // namespace
}  // namespace neap
