#pragma once
// Exceptions that leave a handler end the actor; CAF alone would lose what they say.

#include <caf/error.hpp>
#include <caf/message.hpp>
#include <caf/scheduled_actor.hpp>
#include <caf/sec.hpp>

#include <exception>
#include <string>

namespace neap::actors {

// The text of an exit reason, for logs.
inline std::string crash_text(const caf::error& reason) {
  if (reason.context().match_elements<std::string>()) return reason.context().get_as<std::string>(0);
  return caf::to_string(reason);
}

// From now on the actor's exit reason holds what an exception says.
template <class Self>
void keep_crash_text(Self* self) {
  static_cast<caf::scheduled_actor*>(self)->set_exception_handler([](std::exception_ptr& thrown) -> caf::error {
    try {
      std::rethrow_exception(thrown);
    } catch (const std::exception& reason) {
      return caf::make_error(caf::sec::runtime_error, std::string{reason.what()});
    } catch (...) {
      return caf::make_error(caf::sec::runtime_error, std::string{"an exception of an unknown type"});
    }
  });
}

}  // namespace neap::actors
