#include "engine/text/stop_matcher.hpp"

#include "tests/engine/text/random_text.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace neap::text {
namespace {

struct outcome {
  std::string text;
  bool matched = false;
  friend bool operator==(const outcome&, const outcome&) = default;
};

std::ostream& operator<<(std::ostream& out, const outcome& x) {
  return out << '\'' << x.text << "' " << x.matched;
}

// Looks at every end from the left, all stops at each: the rule as written.
outcome naive(const std::string& text, const std::vector<std::string>& stops) {
  for (std::size_t end = 1; end <= text.size(); ++end) {
    std::size_t longest = 0;
    for (const auto& stop : stops)
      if (text.substr(0, end).ends_with(stop)) longest = std::max(longest, stop.size());
    if (longest > 0) return {text.substr(0, end - longest), true};
  }
  return {text, false};
}

outcome stream(const std::vector<std::string_view>& pieces, const std::vector<std::string>& stops) {
  stop_matcher matcher{stops};
  outcome all;
  for (const auto piece : pieces) {
    const auto step = matcher.push(piece);
    all.text += step.text;
    all.matched = step.matched;
    if (step.matched) break;
  }
  all.text += matcher.finish();
  return all;
}

TEST(StopMatcher, WithoutStopsPassesEverythingOn) {
  stop_matcher matcher{{}};
  EXPECT_EQ(matcher.push("abc").text, "abc");
  EXPECT_EQ(matcher.finish(), "");
}

TEST(StopMatcher, CutsAStopSpreadOverTokens) {
  const std::vector<std::string_view> tokens{"one", " two", " three", " four"};
  EXPECT_EQ(stream(tokens, {"o three fo"}), (outcome{"one tw", true}));
}

TEST(StopMatcher, SendsNoPartOfAMatchAhead) {
  stop_matcher matcher{{"o three fo"}};
  EXPECT_EQ(matcher.push("one").text, "one");  // "e" cannot begin the stop
  EXPECT_EQ(matcher.push(" two").text, " tw");
  EXPECT_EQ(matcher.push(" three").text, "");
  const auto last = matcher.push(" four");
  EXPECT_EQ(last.text, "");
  EXPECT_TRUE(last.matched);
}

TEST(StopMatcher, ReleasesANearMiss) {
  stop_matcher matcher{{"o three fo"}};
  EXPECT_EQ(matcher.push(" two three f").text, " tw");
  EXPECT_EQ(matcher.push("ive").text, "o three five");
  EXPECT_EQ(matcher.push(" o").text, " ");
  EXPECT_EQ(matcher.finish(), "o");
}

TEST(StopMatcher, OneEmojiStops) {
  EXPECT_EQ(stream({"nice ", "\U0001F600", " day"}, {"\U0001F600"}), (outcome{"nice ", true}));
  EXPECT_EQ(stream({"nice ", "\U0001F601"}, {"\U0001F600"}), (outcome{"nice \U0001F601", false}));
}

TEST(StopMatcher, FirstEndWinsAndTheLongestOfThose) {
  EXPECT_EQ(stream({"xabcd"}, {"abcd", "bc"}), (outcome{"xa", true}));
  EXPECT_EQ(stream({"xabc"}, {"c", "abc", "bc"}), (outcome{"x", true}));
}

TEST(StopMatcher, OverlapWithItselfIsFound) {
  EXPECT_EQ(stream({"aab", "aabaaac"}, {"aabaaac"}), (outcome{"aab", true}));
  EXPECT_EQ(stream({"a", "a", "a", "b"}, {"aab"}), (outcome{"a", true}));
}

TEST(StopMatcher, NothingFollowsAMatch) {
  stop_matcher matcher{{"END"}};
  EXPECT_TRUE(matcher.push("xENDy").matched);
  const auto after = matcher.push("more");
  EXPECT_TRUE(after.matched);
  EXPECT_EQ(after.text + matcher.finish(), "");
}

TEST(StopMatcher, AnyCutsGiveWhatTheRuleSays) {
  std::mt19937 random{11};
  const auto word = [&](std::size_t longest) {
    std::string out;
    for (auto n = 1 + random() % longest; n > 0; --n) out += static_cast<char>('a' + random() % 3);
    return out;
  };
  int matches = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::vector<std::string> stops;
    for (auto n = 1 + random() % 4; n > 0; --n) stops.push_back(word(6));
    const auto text = word(24);
    const auto expected = naive(text, stops);
    matches += expected.matched ? 1 : 0;
    ASSERT_EQ(stream(test::random_cuts(random, text), stops), expected) << text;
  }
  EXPECT_GT(matches, 1'000);
  EXPECT_LT(matches, 19'000);
}

// Nothing sent may belong to a later match; nothing may be held that cannot.
TEST(StopMatcher, HoldsExactlyTheOpenPart) {
  std::mt19937 random{12};
  const std::vector<std::string> stops{"abcab", "cac"};
  for (int round = 0; round < 2'000; ++round) {
    std::string text, sent;
    stop_matcher matcher{stops};
    for (int i = 0; i < 20; ++i) {
      text += static_cast<char>('a' + random() % 3);
      const auto step = matcher.push(text.substr(text.size() - 1));
      if (step.matched) break;
      sent += step.text;
      std::size_t open = 0;
      for (const auto& stop : stops)
        for (std::size_t n = 1; n < stop.size(); ++n)
          if (text.ends_with(stop.substr(0, n))) open = std::max(open, n);
      ASSERT_EQ(sent, text.substr(0, text.size() - open));
    }
  }
}

}  // namespace
}  // namespace neap::text
