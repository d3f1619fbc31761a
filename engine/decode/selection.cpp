#include "engine/decode/selection.hpp"

#include "engine/decode/exponential.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace neap::decode {
namespace {

// Keeps everything: no token comes after it.
constexpr candidate no_cut{-std::numeric_limits<float>::infinity(), std::numeric_limits<token_id>::max()};

bool keeps(const candidate& cut, const candidate& x) noexcept { return !better(cut, x); }

double mass(std::span<const candidate> x) noexcept {
  double sum = 0;
  for (const auto& each : x) sum += exp_nonpositive(each.value);
  return sum;
}

// Candidates up to `cut` whose value is at least `floor`, in order of id.
void gather(std::span<const float> values, candidate cut, float floor, std::vector<candidate>& out) {
  out.clear();
  const float lowest = std::max(cut.value, floor);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] < lowest) continue;
    const candidate x{values[i], static_cast<token_id>(i)};
    if (keeps(cut, x)) out.push_back(x);
  }
}

// Halves the range that holds the last token needed for `target` mass, by selection instead of sorting.
candidate cut_at_mass(std::vector<candidate>& x, double target) noexcept {
  std::size_t low = 0;
  std::size_t high = x.size();
  double below = 0;  // mass of [0, low)
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    const auto at = [&](std::size_t i) { return x.begin() + static_cast<std::ptrdiff_t>(i); };
    std::nth_element(at(low), at(middle), at(high), better);
    const double upper = mass({&x[low], middle - low});
    if (below + upper >= target) {
      high = middle;
    } else {
      below += upper;
      low = middle;
    }
  }
  return x[low];
}

}  // namespace

candidate top_k_cut(std::span<const float> values, std::size_t k, sampling_scratch& scratch) {
  auto& buffer = scratch.candidates;
  buffer.clear();
  const std::size_t capacity = std::max<std::size_t>(2 * k, 256);
  const auto kth = [&] { return buffer.begin() + static_cast<std::ptrdiff_t>(k - 1); };
  candidate cut = no_cut;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] < cut.value) continue;
    const candidate x{values[i], static_cast<token_id>(i)};
    if (!keeps(cut, x)) continue;
    buffer.push_back(x);
    if (buffer.size() < capacity) continue;
    std::nth_element(buffer.begin(), kth(), buffer.end(), better);
    buffer.resize(k);
    cut = buffer.back();
  }
  std::nth_element(buffer.begin(), kth(), buffer.end(), better);
  return buffer[k - 1];
}

candidate top_p_cut(std::span<const float> values, candidate cut, float top_p, sampling_scratch& scratch) {
  gather(values, cut, no_cut.value, scratch.candidates);
  const double total = mass(scratch.candidates);
  // Tokens lighter than (1 - p) * total / count hold less than (1 - p) of the mass together, so the set never
  // needs them. The margin covers rounding.
  const double lightest = (1.0 - top_p) * total / static_cast<double>(scratch.candidates.size());
  const auto floor = static_cast<float>(std::log(lightest) - 1e-3);
  std::erase_if(scratch.candidates, [floor](const candidate& x) { return x.value < floor; });
  return cut_at_mass(scratch.candidates, top_p * total);
}

void select_candidates(std::span<const float> values, const sampling_params& params,
                       sampling_scratch& scratch) {
  candidate cut = no_cut;
  if (params.top_k > 0 && static_cast<std::size_t>(params.top_k) < values.size())
    cut = top_k_cut(values, static_cast<std::size_t>(params.top_k), scratch);
  if (params.top_p < 1.0F) cut = top_p_cut(values, cut, params.top_p, scratch);
  const float floor = params.min_p > 0.0F ? std::min(std::log(params.min_p), 0.0F) : no_cut.value;
  gather(values, cut, floor, scratch.candidates);
}

}  // namespace neap::decode
