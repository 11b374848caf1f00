// How grave a line of MCP's log is, and from which level on somebody wants to hear it.
#pragma once

#include "messages/fields.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace msg {

/// From all to the least (RFC 5424). As what is wanted `off` stands for nothing; no line is of that level.
enum class log_level : uint8_t { debug, info, notice, warning, error, critical, alert, emergency, off };

/// As in the protocol; of `off`, which has no name there: "off".
std::string_view to_string(log_level level);
/// Nothing: the protocol has no such level.
std::optional<log_level> log_level_of(std::string_view name);

/// What a client wants to hear of the log of servers.
struct log_wish {
  log_level from = log_level::off; ///< from that level on
  bool is_asked = false;           ///< it has said so itself
  auto fields() { return std::tie(from, is_asked); }
};

/// Of a client with a handshake that has not said what it wants (the specification leaves that to us): what is logged
/// by ourselves as well, whatever our own level is.
inline constexpr log_wish unasked_log{log_level::warning, false};

/// Of one line, as JSON: a page of a terminal. Of what is longer the beginning is told, as a text.
inline constexpr size_t log_data_bytes_max = 4u << 10;
/// Of what a server calls the part of it that speaks.
inline constexpr size_t logger_bytes_max = 100;

} // namespace msg
