#include "server/cli/completion_tree.hpp"

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>

namespace neap::cli {
namespace {

class CompletionTree : public testing::Test {
 protected:
  CompletionTree() {
    auto* outer = app.add_subcommand("outer", "what it's for: [this]");
    auto* inner = outer->add_subcommand("inner", "below");
    inner->add_option("--file", text, "a file")->type_name("FILE");
    inner->add_option("--size", text, "a size");
    inner->add_flag("--quiet,--silent", flag, "no words");
    inner->add_option("WORDS", text, "any");
  }

  CLI::App app{"", "tool"};
  std::string text;
  bool flag = false;
};

TEST_F(CompletionTree, HoldsCommandsAndOptions) {
  const auto root = make_completion_tree(app);
  const auto all = flatten(root);
  ASSERT_EQ(all.size(), 3U);
  const auto& inner = *all[2];
  EXPECT_EQ(inner.path, "tool outer inner");
  EXPECT_TRUE(inner.takes_words);
  EXPECT_FALSE(all[1]->takes_words);
  EXPECT_EQ(option_names(inner, [](auto&) { return true; }), "--help --file --size --quiet --silent");
  EXPECT_EQ(option_names(inner, [](auto& o) { return o.takes_value; }), "--file --size");
  EXPECT_EQ(option_names(inner, [](auto& o) { return o.takes_file; }), "--file");
}

TEST_F(CompletionTree, HelpHoldsNothingThatAShellWouldRead) {
  EXPECT_EQ(make_completion_tree(app).commands[0].help, "what its for, this");
}

}  // namespace
}  // namespace neap::cli
