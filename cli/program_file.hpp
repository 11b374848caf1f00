// The program that `code-executor run` is given.
#pragma once

#include "messages/errors.hpp"
#include "messages/run.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace cli {

/// Stands for stdin in the place of a file.
inline constexpr std::string_view stdin_name = "-";

/// By the end of its name: .ts, .mts, .cts, .js, .mjs, .cjs, .tsx, .jsx; .py. Nothing: it is another one.
std::optional<msg::language> language_of(std::string_view path);

/// All of a file, or of stdin, which may be a pipe. The fault (invalid_argument) says why it can not be read, that it
/// has more than `bytes_max`, or that it is no UTF-8. `limit`: what sets it, for the fault.
msg::outcome<std::string> read_text(const std::string& path, size_t bytes_max, std::string_view limit);

/// What a shell reads in a script's first line (`#!/usr/bin/env code-executor run`) is a comment for the runtime.
std::string without_shebang(std::string code, msg::language lang);

} // namespace cli
