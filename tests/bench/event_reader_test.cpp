#include "bench/event_reader.hpp"

#include <gtest/gtest.h>

#include <string>

namespace neap::bench {
namespace {

const std::string stream =
    "data: {\"choices\":[{\"text\":\"a\"}]}\n\n"
    ": keep-alive\n\n"
    "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\"}}]}\r\n\r\n"
    "data: {\"choices\":[{\"delta\":{\"content\":\"b\"}}]}\n\n"
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":5}}\n\n"
    "data: [DONE]\n\n";

TEST(EventReader, IsTheSameForEveryCut) {
  for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
    event_reader reader;
    const auto first = reader.feed(std::string_view{stream}.substr(0, cut));
    const auto second = reader.feed(std::string_view{stream}.substr(cut));
    EXPECT_EQ(first.text_events + second.text_events, 2U) << cut;
    EXPECT_TRUE(first.done || second.done) << cut;
    EXPECT_EQ(first.failure + second.failure, "") << cut;
    EXPECT_EQ(reader.prompt_tokens(), 7U);
    EXPECT_EQ(reader.answer_tokens(), 5U);
  }
}

TEST(EventReader, CountsEventsWhereTheServerReportsNoUsage) {
  event_reader reader;
  reader.feed("data: {\"choices\":[{\"text\":\"a\"}]}\n\ndata: {\"choices\":[{\"text\":\"b\"}]}\n\n");
  EXPECT_EQ(reader.answer_tokens(), 2U);
}

TEST(EventReader, ReportsErrorEventsAndBrokenJson) {
  event_reader reader;
  EXPECT_EQ(reader.feed("data: {\"error\":{\"code\":\"x\"}}\n").failure, "{\"code\":\"x\"}");
  EXPECT_FALSE(reader.feed("data: {oops\n").failure.empty());
}

}  // namespace
}  // namespace neap::bench
