// The questions of `code-executor setup` at a terminal. All are answered before anything is written.
#pragma once

#include "setup/client_look.hpp"
#include "setup/plan.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cli {

enum class usual_answer : uint8_t { yes, no };

/// Asks on stdout until the answer is yes, no, or empty, which is the usual one. None: stdin is at its end, or so many
/// answers were something else.
inline constexpr int answers_max = 3;
std::optional<bool> ask(const std::string& question, usual_answer usual);
/// Asks once for a text of one line. None: stdin is at its end.
std::optional<std::string> ask_text(const std::string& question);

/// What is done with each client. `entry`: what is proposed. None: it was left, and nothing is to be written.
std::optional<std::vector<setup::client_choice>>
ask_of_clients(const std::vector<setup::client_look>& looks, setup::own_entry_wish entry, setup::servers_wish servers);

} // namespace cli
