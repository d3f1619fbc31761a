// Neap's engine alone: no actors, no threads, no device. Tokenises prompts with a model's own tokenizer and
// asks the scheduler how it would batch them, step by step. The model is not run: what a step would have
// computed is made up here.
//
// usage: engine_only MODEL.gguf PROMPT...

#include <cstdint>
#include <cstdio>
#include <memory>
#include <neap/engine/memory/block_pool.hpp>
#include <neap/engine/model/model_file.hpp>
#include <neap/engine/schedule/batch_scheduler.hpp>
#include <neap/engine/schedule/route.hpp>
#include <neap/engine/text/tokenizer.hpp>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr std::uint32_t answer_tokens = 4;
constexpr std::uint32_t pool_blocks = 256;

// One step of a device that samples token 0 everywhere. The scheduler asks no more of a device than such
// results.
neap::step_result pretend(const neap::batch_plan& plan) {
  neap::step_result out;
  out.step = plan.step;
  for (const auto& row : plan.rows) {
    neap::row_result result{.sequence = row.sequence};
    if ((row.outputs & neap::output_sample) != 0) {
      result.token = 0;
      // The device counts tokens too: it ends a sequence without a round trip.
      if (row.sample_index + 1 == answer_tokens) result.finish = neap::finish_reason::length;
    }
    out.rows.push_back(std::move(result));
  }
  return out;
}

neap::sequence_request_ptr make_sequence(neap::sequence_id id, std::vector<neap::token_id> tokens,
                                         const std::string& text,
                                         const neap::schedule::classify_policy& classify) {
  neap::sequence_request sequence;
  sequence.id = id;
  sequence.request = id;
  sequence.prompt = std::make_shared<const std::vector<neap::token_id>>(std::move(tokens));
  sequence.max_tokens = answer_tokens;
  sequence.prompt_text = text;
  sequence.classification = classify(sequence);  // group, lane and urgency decide the place in the queue
  return std::make_shared<const neap::sequence_request>(std::move(sequence));
}

void print_plan(const neap::batch_plan& plan) {
  std::printf("step %u:", static_cast<unsigned>(plan.step));
  for (const auto& row : plan.rows)
    std::printf(" #%u takes %u", static_cast<unsigned>(row.sequence), row.token_count);
  for (const auto ended : plan.ends) std::printf(" #%u ends", static_cast<unsigned>(ended));
  std::printf("\n");
}

// Until every sequence has ended. The clock is an argument, so a whole day could be played here in a second.
void play(neap::schedule::batch_scheduler& scheduler, neap::memory::block_pool& pool) {
  neap::steady_time now;
  while (!scheduler.idle()) {
    if (const auto wanted = scheduler.take_lease_request()) scheduler.grant(pool.lease(wanted));
    const auto plan = scheduler.plan(now);
    if (!plan) continue;  // it waited for the blocks
    print_plan(*plan);
    now += std::chrono::milliseconds{10};
    scheduler.complete(pretend(*plan), now);
  }
  pool.release(scheduler.held_blocks());
}

// Every error is a value with one line that says what to do.
int fail(const neap::error& reason) {
  std::fprintf(stderr, "engine_only: %s\n", reason.message.c_str());
  return 1;
}

int show(const neap::model::model_file& model, const std::vector<std::string>& prompts) {
  const auto tokenizer = neap::text::load_tokenizer(model.file);
  if (!tokenizer) return fail(tokenizer.error());
  neap::schedule::scheduler_limits limits;
  limits.context_length = model.config.context_length;
  limits.total_blocks = pool_blocks;
  limits.max_batch_tokens = 16;  // small, so that a long prompt is seen to be cut
  neap::schedule::batch_scheduler scheduler(limits);
  const auto classify = neap::schedule::make_classify_policy({});
  for (const auto& prompt : prompts) {
    auto tokens = (*tokenizer)->encode(prompt, false, true);
    const auto id = static_cast<neap::sequence_id>(&prompt - prompts.data()) + 1;
    std::printf("#%u:", static_cast<unsigned>(id));
    for (const auto token : tokens) std::printf(" %d", token);
    const auto sequence = make_sequence(id, std::move(tokens), prompt, classify);
    std::printf(" (%s)\n", to_string(sequence->classification.group).data());
    if (const auto taken = scheduler.submit(sequence, {}); !taken) return fail(taken.error());
  }
  neap::memory::block_pool pool(pool_blocks, pool_blocks, 1);
  play(scheduler, pool);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: engine_only MODEL.gguf PROMPT...\n");
    return 2;
  }
  const auto model = neap::model::open_model(argv[1]);
  if (!model) return fail(model.error());
  std::printf("%s: %s, %u layers, context %u\n", model->config.name.c_str(),
              family_name(model->config.family).data(), model->config.layers, model->config.context_length);
  return show(*model, {argv + 2, argv + argc});
}
