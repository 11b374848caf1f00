// One event as one line of the record. See docs/audit.md for the fields.
#pragma once

#include "messages/audit.hpp"
#include "messages/run.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace audit {

/// What stands where the digest of the line before stands, when there is none.
inline constexpr std::string_view no_line_before = "0000000000000000000000000000000000000000000000000000000000000000";
inline constexpr size_t digest_length = no_line_before.size();

/// Run 17 of the process `4f1c09be27d0`: "4f1c09be27d0-17".
std::string run_id(std::string_view process, uint64_t run);

/// 12 hexadecimal digits that no other process has had.
std::string new_process_id();

/// ISO 8601 in UTC, with milliseconds.
std::string timestamp(std::chrono::system_clock::time_point when);

/// All of a line but its beginning, which is of the line before: see chained(). At most audit_line_bytes_max, without
/// an end of line. Takes as long as the digests of program and arguments take.
std::string line_body(const msg::audit_event& event, std::string_view process);

/// `{"prev":"<digest>",` and the body.
std::string chained(std::string_view digest_before, std::string_view body);

/// SHA-256 of the arguments as compact JSON, keys in the order in which the program wrote them.
std::string arguments_digest(const msg::document& arguments);

/// The patterns of a filter: `*` for all tools, and nothing where nothing is allowed.
std::vector<std::string> allowed_names(const msg::tool_filter& filter);

/// typescript, python.
const char* executor_name(msg::language language);

/// What the line says of the one before; empty: it does not begin as lines of ours do.
std::string_view digest_before(std::string_view line);

/// When it was written, as timestamp() gives it; empty: it does not begin as lines of ours do.
std::string_view time_of(std::string_view line);

/// What may be said of a failed run or call. The texts of some errors are a program's or a server's, and may repeat
/// code and arguments: of these only the code counts, and of an exception its class and line.
std::string error_text(const msg::fault& error);
std::string error_text(const msg::program_error& error);

} // namespace audit
