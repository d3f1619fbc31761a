#include "server/cli/usage_message.hpp"

#include "messages/quote.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <numeric>

namespace neap::cli {
namespace {

// Insertions, deletions, replacements and swaps of neighbours that lead from one word to the other.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  std::iota(cost[0].begin(), cost[0].end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    cost[i][0] = i;
    for (std::size_t k = 1; k <= b.size(); ++k) {
      const std::size_t replaced = cost[i - 1][k - 1] + (a[i - 1] == b[k - 1] ? 0 : 1);
      cost[i][k] = std::min({cost[i - 1][k] + 1, cost[i][k - 1] + 1, replaced});
      const bool swapped = i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1];
      if (swapped) cost[i][k] = std::min(cost[i][k], cost[i - 2][k - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

std::vector<std::string> names_of(const CLI::App& command, bool options) {
  std::vector<std::string> out;
  if (options) {
    for (const auto* option : command.get_options()) {
      for (const auto& name : option->get_lnames()) out.push_back("--" + name);
    }
  } else {
    for (const auto* inner : command.get_subcommands([](const CLI::App*) { return true; })) {
      out.push_back(inner->get_name());
    }
  }
  return out;
}

const CLI::App* find(const CLI::App& command, const std::string& name) {
  for (const auto* inner : command.get_subcommands([](const CLI::App*) { return true; })) {
    if (inner->get_name() == name) return inner;
  }
  return nullptr;
}

// " (did you mean X?)", or nothing if no name is near.
std::string hint(const CLI::App& command, const std::string& word) {
  std::string best;
  std::size_t least = std::min<std::size_t>(4, word.size() / 2 + 1);
  for (const auto& name : names_of(command, word.starts_with('-'))) {
    const auto d = distance(word, name);
    if (d < least) {
      least = d;
      best = name;
    }
  }
  return best.empty() ? "" : " (did you mean " + best + "?)";
}

}  // namespace

std::string usage_message(const CLI::App& app, const CLI::ParseError& fault,
                          const std::vector<std::string>& words) {
  const CLI::App* command = &app;
  std::string path = app.get_name();
  std::size_t at = 0;
  for (; at < words.size() && words[at].size() < 64; ++at) {
    const auto* inner = find(*command, words[at]);
    if (inner == nullptr) break;
    command = inner;
    path += " " + inner->get_name();
  }
  const std::string help = "; see " + path + " --help";
  const auto inner = names_of(*command, false);
  if (!inner.empty()) {
    if (at == words.size()) return "a command is missing" + help;
    const auto word = words[at].substr(0, 64);
    return quote(word) + " is not known" + hint(*command, word) + help;
  }
  const auto options = names_of(*command, true);
  for (; at < words.size(); ++at) {
    const auto name = words[at].substr(0, std::min<std::size_t>(64, words[at].find('=')));
    if (!name.starts_with("--") || std::find(options.begin(), options.end(), name) != options.end()) continue;
    return quote(name) + " is not known" + hint(*command, name) + help;
  }
  std::string text = fault.what();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text.substr(0, 300) + help;
}

}  // namespace neap::cli
