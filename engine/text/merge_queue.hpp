#pragma once
// Pair merging over a chain of pieces, best pair first, leftmost among equals: the core of BPE (Sennrich et
// al. 2016) and of SentencePiece's BPE encoder. O(n log n) with a heap and a doubly linked chain; nothing
// recursive.

#include <cstddef>
#include <cstdint>
#include <queue>
#include <vector>

namespace neap::text {

// Everything has 32 bits: a text may have up to 2 GiB, and one long word without a break costs up to 40 bytes a byte.

// A piece of the text: [begin, begin + length) and the caller's symbol for it (a token id, or -1).
struct merge_piece {
  std::uint32_t begin = 0;
  std::uint32_t length = 0;
  std::int32_t symbol = -1;
  std::int32_t previous = -1;
  std::int32_t next = -1;
};

// A possible merge: lower cost first. Ranks are exact up to 2^24.
struct merge_candidate {
  float cost = 0;
  std::int32_t symbol = -1;  // of the merged piece
  bool possible = false;
};

class merge_queue {
 public:
  // May be run many times; keeps its memory.
  // The pieces must be in order; their links are set here. `pair(left, right)` says whether two neighbours
  // merge. Afterwards pieces with length 0 are gone (merged into their left neighbour).
  template <class Pair>
  void run(std::vector<merge_piece>& pieces, const Pair& pair) {
    link(pieces);
    for (std::uint32_t i = 1; i < pieces.size(); ++i) offer(pieces, i - 1, i, pair);
    while (!heap_.empty()) {
      const auto best = heap_.top();
      heap_.pop();
      auto& left = pieces[best.left];
      auto& right = pieces[best.right];
      if (left.length == 0 || right.length == 0 || left.length + right.length != best.length)
        continue;  // stale
      left.length = best.length;
      left.symbol = best.symbol;
      right.length = 0;
      left.next = right.next;
      if (right.next >= 0)
        pieces[static_cast<std::size_t>(right.next)].previous = static_cast<std::int32_t>(best.left);
      if (left.previous >= 0) offer(pieces, static_cast<std::uint32_t>(left.previous), best.left, pair);
      if (left.next >= 0) offer(pieces, best.left, static_cast<std::uint32_t>(left.next), pair);
    }
  }

 private:
  struct entry {
    float cost;
    std::uint32_t left, right, length;
    std::int32_t symbol;
    bool operator<(const entry& other) const noexcept {
      return cost != other.cost ? cost > other.cost : left > other.left;
    }
  };

  static void link(std::vector<merge_piece>& pieces) {
    const auto count = static_cast<std::int32_t>(pieces.size());
    for (std::int32_t i = 0; i < count; ++i) {
      pieces[static_cast<std::size_t>(i)].previous = i - 1;
      pieces[static_cast<std::size_t>(i)].next = i + 1 < count ? i + 1 : -1;
    }
  }

  template <class Pair>
  void offer(const std::vector<merge_piece>& pieces, std::uint32_t left, std::uint32_t right, const Pair& pair) {
    const merge_candidate candidate = pair(pieces[left], pieces[right]);
    if (candidate.possible)
      heap_.push({candidate.cost, left, right, pieces[left].length + pieces[right].length, candidate.symbol});
  }

  std::priority_queue<entry> heap_;
};

}  // namespace neap::text
