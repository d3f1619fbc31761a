#pragma once
// Lines of a terminal, with editing and a history that outlives the command (libedit).

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>

namespace neap::cli {

// $XDG_STATE_HOME/neap/run_history, or ~/.local/state/...; empty without a home.
std::filesystem::path history_path();

class line_editor {
 public:
  enum class outcome { line, end, interrupted };

  // Loads the history. An empty path, or one that cannot be written, keeps it for this run only, and so does a file
  // that is no history, see note(). `interrupted` is set by the handlers of signals that stop or end, `continued` by
  // that of SIGCONT and taken back here; both outlive this object.
  line_editor(const std::filesystem::path& history, const std::atomic<bool>& interrupted,
              std::atomic<bool>& continued);
  ~line_editor();

  // Why the history is not kept, for the user; mostly empty.
  const std::string& note() const;

  // Shows the prompt and reads one line into `line`, without its newline. Blocks; a signal interrupts it.
  outcome read(const std::string& prompt, std::string& line);

  // Adds an input to the history and saves it, readable for its owner only.
  void remember(const std::string& line);

 private:
  struct parts;
  std::unique_ptr<parts> parts_;
};

}  // namespace neap::cli
