// What has to hold if this program has no mistake. What others do wrong is an error, and none of this.
//
// There are two levels. `ensure` is for what is found out in a few instructions, and is checked in releases too: it
// throws, which ends the actor (a run, or a service that is started anew) and not the process. `ensure_in_tests` is for
// what takes a walk over all that an actor holds: only builds with tests look. In those both end the process, because
// an exception would be answered, and the test that led to it could pass.
#pragma once

#include <source_location>
#include <stdexcept>
#include <string_view>

namespace msg {

struct broken_invariant : std::logic_error {
  using std::logic_error::logic_error;
};

/// `what`: a sentence about what should hold.
[[noreturn]] void report_broken_invariant(std::string_view what, const std::source_location& where);

inline void ensure(bool holds, std::string_view what,
                   const std::source_location& where = std::source_location::current()) {
  if (!holds) [[unlikely]]
    report_broken_invariant(what, where);
}

/// `holds` is called in builds with tests only.
template <class Check>
void ensure_in_tests([[maybe_unused]] Check holds, [[maybe_unused]] std::string_view what,
                     [[maybe_unused]] const std::source_location& where = std::source_location::current()) {
#ifdef CODE_EXECUTOR_TESTED
  if (!holds())
    report_broken_invariant(what, where);
#endif
}

} // namespace msg
