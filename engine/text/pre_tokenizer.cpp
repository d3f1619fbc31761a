#include "engine/text/pre_tokenizer.hpp"

#include <array>
#include <span>
#include <string>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

namespace neap::text {
namespace {

// GPT-2's word pattern (Radford et al. 2019).
constexpr const char* gpt2 = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
constexpr const char* llama3 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* qwen2 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

// Patterns are applied one after the other, each to the pieces that the one before left.
struct scheme {
  std::string_view name;
  std::array<const char*, 4> patterns;
  bool ignore_merges = false;
};

constexpr std::array schemes{
    scheme{"smollm", {R"(\p{N})", gpt2}},
    scheme{"gpt-2", {gpt2}},
    scheme{"llama-bpe", {llama3}, true},
    scheme{"qwen2", {qwen2}},
    scheme{"default", {R"([\p{P}\$\+<=>\^~\|]+)", gpt2, R"(\p{N}+)", R"([0-9][0-9][0-9])"}},
};

struct code_free {
  void operator()(pcre2_code* code) const noexcept { pcre2_code_free(code); }
};
using code_ptr = std::unique_ptr<pcre2_code, code_free>;

struct match_data_free {
  void operator()(pcre2_match_data* data) const noexcept { pcre2_match_data_free(data); }
};
using match_data_ptr = std::unique_ptr<pcre2_match_data, match_data_free>;

code_ptr compile(const char* pattern) {
  int number = 0;
  std::size_t offset = 0;
  code_ptr code{pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern), PCRE2_ZERO_TERMINATED,
                              PCRE2_UTF | PCRE2_UCP | PCRE2_MATCH_INVALID_UTF, &number, &offset, nullptr)};
  if (code) pcre2_jit_compile(code.get(), PCRE2_JIT_COMPLETE);  // without JIT the interpreter serves
  return code;
}

// Appends matches and the gaps between them.
void split_piece(const pcre2_code* code, pcre2_match_data* data, std::string_view piece,
                 std::vector<std::string_view>& out) {
  const auto* subject = reinterpret_cast<PCRE2_SPTR>(piece.data());
  std::size_t done = 0;
  while (done < piece.size()) {
    // No pattern can match emptily. An error (a limit) leaves the rest as one word, which stays correct if
    // slower.
    if (pcre2_match(code, subject, piece.size(), done, 0, data, nullptr) < 1) break;
    const std::size_t* ends = pcre2_get_ovector_pointer(data);
    if (ends[1] <= ends[0]) break;
    if (ends[0] > done) out.push_back(piece.substr(done, ends[0] - done));
    out.push_back(piece.substr(ends[0], ends[1] - ends[0]));
    done = ends[1];
  }
  if (done < piece.size()) out.push_back(piece.substr(done));
}

}  // namespace

struct pre_tokenizer::patterns {
  std::vector<code_ptr> codes;
  bool ignore_merges = false;
};

pre_tokenizer::pre_tokenizer(std::unique_ptr<const patterns> compiled) : patterns_(std::move(compiled)) {}
pre_tokenizer::pre_tokenizer(pre_tokenizer&&) noexcept = default;
pre_tokenizer& pre_tokenizer::operator=(pre_tokenizer&&) noexcept = default;
pre_tokenizer::~pre_tokenizer() = default;

result<pre_tokenizer> pre_tokenizer::make(std::string_view name) {
  for (const auto& candidate : schemes) {
    if (candidate.name != name) continue;
    auto compiled = std::make_unique<patterns>();
    compiled->ignore_merges = candidate.ignore_merges;
    for (const auto* pattern : candidate.patterns)
      if (pattern != nullptr) compiled->codes.push_back(compile(pattern));
    for (const auto& code : compiled->codes)
      if (!code) return error{error_code::internal, "a pre-tokenizer pattern does not compile", ""};
    return pre_tokenizer{std::move(compiled)};
  }
  return error{error_code::unsupported_model,
               "pre-tokenizer '" + std::string{name.substr(0, 40)} +
                   "' is not supported (smollm, gpt-2, llama-bpe, qwen2 and default are)",
               ""};
}

void pre_tokenizer::split(std::string_view text, std::vector<std::string_view>& words) const {
  std::vector<std::string_view> pieces{text};
  std::vector<std::string_view> next;
  for (const auto& code : patterns_->codes) {
    const match_data_ptr data{pcre2_match_data_create_from_pattern(code.get(), nullptr)};
    next.clear();
    for (const auto piece : pieces) split_piece(code.get(), data.get(), piece, next);
    pieces.swap(next);
  }
  words.insert(words.end(), pieces.begin(), pieces.end());
}

bool pre_tokenizer::ignore_merges() const noexcept { return patterns_->ignore_merges; }

}  // namespace neap::text
