#include "engine/text/tool_calls/tool_call_parser.hpp"

#include "engine/text/tool_calls/json_call_reader.hpp"
#include "engine/text/tool_calls/python_call_reader.hpp"
#include "engine/text/tool_calls/tool_call_layout.hpp"

#include <utility>

namespace neap::text {

using kind = tool_call_event::kind;

tool_call_parser::tool_call_parser(tool_call_format format, const tool_call_limits& limits)
    : layout_(layout_of(format)), limits_(limits) {}
tool_call_parser::~tool_call_parser() = default;
tool_call_parser::tool_call_parser(tool_call_parser&&) noexcept = default;
tool_call_parser& tool_call_parser::operator=(tool_call_parser&&) noexcept = default;

std::vector<tool_call_event> tool_call_parser::push(std::string_view text) {
  if (layout_ == nullptr) {
    emit(kind::text, text);
  } else {
    for (const char c : text) step(c);
  }
  return std::exchange(events_, {});
}

std::vector<tool_call_event> tool_call_parser::finish() {
  if (state_ == state::text && (!mark_.empty() || calls_ == 0)) {
    emit(kind::text, gap_);
    emit(kind::text, mark_);
  } else if (state_ == state::before_call || state_ == state::in_call) {
    give_up();
  }
  return std::exchange(events_, {});
}

void tool_call_parser::step(char c) {
  if (state_ == state::text) return step_text(c);
  source_ += c;
  switch (state_) {
    case state::before_call:
      return step_before_call(c);
    case state::in_call:
      return read_call(c);
    default:
      return step_after_call(c);
  }
}

void tool_call_parser::step_text(char c) {
  if (in_gap_ && mark_.empty()) {
    if (is_json_blank(c)) {
      gap_ += c;
      return;
    }
    if (calls_ == 0 && c == layout_->bare_begin) {
      open_candidate(std::string{c});
      return step_before_call(c);
    }
  }
  step_mark(c);
}

void tool_call_parser::step_mark(char c) {
  mark_ += c;
  if (mark_ == layout_->mark) return open_candidate(std::exchange(mark_, {}));
  while (!mark_.empty() && !layout_->mark.starts_with(mark_)) {
    in_gap_ = false;
    emit(kind::text, std::exchange(gap_, {}));
    emit(kind::text, mark_.substr(0, 1));
    mark_.erase(0, 1);
  }
}

void tool_call_parser::open_candidate(std::string source) {
  source_ = std::exchange(gap_, {}) + std::move(source);
  state_ = state::before_call;
}

void tool_call_parser::step_before_call(char c) {
  if (is_json_blank(c)) return;
  if (layout_->list_begin == 0 || in_list_) return begin_call(c);
  if (c != layout_->list_begin) return reject();
  in_list_ = true;
}

void tool_call_parser::begin_call(char c) {
  if (calls_ >= limits_.calls) return reject();
  if (layout_->python)
    reader_ = std::make_unique<python_call_reader>(limits_.depth);
  else
    reader_ = std::make_unique<json_call_reader>(limits_.depth, layout_->bare_begin != 0);
  state_ = state::in_call;
  read_call(c);
}

void tool_call_parser::read_call(char c) {
  if (source_.size() > limits_.call_bytes) return reject();
  const auto status = reader_->push(c);
  if (status == call_status::malformed) return reject();
  report_progress();
  if (status == call_status::complete) end_call();
}

void tool_call_parser::report_progress() {
  auto& progress = reader_->progress();
  if (!progress.started) return;
  if (!call_started_) {
    call_started_ = true;
    ++calls_;
    emit(kind::call_started, progress.name);
  }
  emit(kind::arguments, std::exchange(progress.arguments, {}));
}

void tool_call_parser::end_call() {
  emit(kind::call_ended, {});
  call_started_ = false;
  reader_.reset();
  source_.clear();
  state_ = state::after_call;
}

void tool_call_parser::step_after_call(char c) {
  const auto close = layout_->close;
  if (!mark_.empty() || (!close.empty() && c == close.front())) {
    mark_ += c;
    if (mark_ == close) return end_list();
    if (!close.starts_with(mark_)) reject();
  } else if (layout_->separators.find(c) != std::string_view::npos) {
    state_ = state::before_call;
  } else if (!is_json_blank(c)) {
    if (layout_->separator_needed) return reject();
    begin_call(c);
  }
}

void tool_call_parser::end_list() {
  source_.clear();
  mark_.clear();
  in_list_ = false;
  in_gap_ = true;
  state_ = state::text;
}

// The last byte does not fit; it is read again as text, where it may open a call.
void tool_call_parser::reject() {
  const char c = source_.back();
  source_.pop_back();
  give_up();
  step_text(c);
}

void tool_call_parser::give_up() {
  emit(call_started_ ? kind::call_failed : kind::text, std::exchange(source_, {}));
  mark_.clear();
  call_started_ = false;
  in_list_ = false;
  in_gap_ = false;
  reader_.reset();
  state_ = state::text;
}

void tool_call_parser::emit(tool_call_event::kind what, std::string_view text) {
  const bool can_join = what == kind::text || what == kind::arguments;
  if (can_join && text.empty()) return;
  if (can_join && !events_.empty() && events_.back().what == what) {
    events_.back().text += text;
  } else {
    events_.push_back({what, what == kind::text ? 0 : calls_ - 1, std::string{text}});
  }
}

}  // namespace neap::text
