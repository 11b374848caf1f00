// Before anything of a run: whether its program holds what the policy does not want.
#pragma once

#include "actors/run/ending.hpp"
#include "code_policy/violations.hpp"
#include "config/settings.hpp"
#include "messages/errors.hpp"
#include "messages/run.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace actors::run {

/// Programs above this are looked through on another thread: about 1 ms of work.
inline constexpr size_t inline_code_bytes_max = 32u << 10;
/// Patterns that are warned of, each in a line of its own.
inline constexpr size_t patterns_warned_max = 5;

std::vector<code_policy::violation> find_patterns(msg::language lang, const std::string& code);

struct pattern_verdict {
  std::optional<ending> refused; ///< nothing: the program may run
  std::vector<std::string> warnings;
};
/// `problem`: why no thread could look, errc::none if one has; a program that could not be looked at does not run.
/// `policy` is not `off`.
pattern_verdict judge_patterns(config::pattern_policy policy, const msg::fault& problem,
                               const std::vector<code_policy::violation>& found);

} // namespace actors::run
