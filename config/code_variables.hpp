// What variables that decide what code is loaded name, wherever they are set.
#pragma once

#include "config/file_look.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace config {

/// `PYTHONPATH=src:lib`, `NODE_OPTIONS=-r "./my x.js"`: words that may name files. None: it decides nothing, or is
/// longer than any that Linux takes.
std::vector<std::string> words_naming_code(std::string_view name, std::string_view value);

/// Of a file of variables by its name (`.env`, `.env.local`, `x.env`), which tools read by themselves or are told to
/// (`node --env-file`): those of all in it. None: it is no such file, or can not be taken apart.
std::vector<std::string> words_naming_code_in(const std::filesystem::path& file, file_look& look);

} // namespace config
