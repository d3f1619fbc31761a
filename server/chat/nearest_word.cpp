#include "server/chat/nearest_word.hpp"

#include <algorithm>
#include <numeric>

namespace neap::chat {
namespace {

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

}  // namespace

std::string nearest_word(const std::string& word, const std::vector<std::string>& known) {
  if (word.size() > 64) return "";
  std::string best;
  std::size_t least = std::min<std::size_t>(4, word.size() / 2 + 1);
  for (const auto& name : known) {
    const auto d = distance(word, name);
    if (d >= least) continue;
    least = d;
    best = name;
  }
  return best;
}

std::string suggestion(const std::string& word, const std::vector<std::string>& known) {
  const auto best = nearest_word(word, known);
  return best.empty() ? "" : " (did you mean " + best + "?)";
}

}  // namespace neap::chat
