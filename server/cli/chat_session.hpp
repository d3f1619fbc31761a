#pragma once
// The interactive `neap run`: reads questions and commands, shows answers.

#include "server/chat/answer_turn.hpp"
#include "server/cli/interrupts.hpp"

namespace neap::cli {

struct session_options {
  bool timings = false;
};

// Asks the open question and writes the answer to stdout as it comes. A line about a missing template, the
// statistics if they are wanted, and errors go to stderr. Exit status: 0, 1 for an error, 130 or 143 for a
// signal, 141 if nobody reads stdout.
int show_answer(chat::chat_state& state, chat::chat_backend& backend, interrupts& signals, bool timings);

// Talks until the user leaves. Returns the exit status.
int run_session(chat::chat_state state, chat::chat_backend& backend, interrupts& signals,
                session_options options);

}  // namespace neap::cli
