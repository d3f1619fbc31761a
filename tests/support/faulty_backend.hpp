#pragma once
// A device that works, with faults at chosen steps.

#include "backends/backend.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace neap::test {

class faulty_backend final : public backend::backend {
 public:
  // `before_step` sees each plan and the number of steps so far; it may throw, sleep, or return an error that fails the
  // step.
  using fault = std::function<std::optional<error>(const batch_plan&, std::uint64_t steps)>;

  faulty_backend(std::shared_ptr<neap::backend::backend> device, fault before_step)
      : device_(std::move(device)), before_step_(std::move(before_step)) {}

  neap::backend::device_properties device() const override { return device_->device(); }
  result<neap::backend::model_index> load(const neap::backend::load_options& options) override {
    return device_->load(options);
  }
  void unload(neap::backend::model_index model) override { device_->unload(model); }
  neap::backend::model_properties properties(neap::backend::model_index model) const override {
    return device_->properties(model);
  }
  result<void> reserve_kv(neap::backend::model_index model, std::uint32_t blocks) override {
    return device_->reserve_kv(model, blocks);
  }
  result<step_result> run(const batch_plan& plan) override {
    if (auto failure = before_step_(plan, steps_++)) return *failure;
    return device_->run(plan);
  }
  void reset(neap::backend::model_index model) override { device_->reset(model); }

 private:
  std::shared_ptr<neap::backend::backend> device_;
  fault before_step_;
  std::uint64_t steps_ = 0;
};

}  // namespace neap::test
