// Which models may be asked, and with which system prompts.
#pragma once

#include "messages/errors.hpp"

#include <string>
#include <vector>

namespace sampling {

/// errc::none: `prompt` is empty or one of `allowed`, character by character.
msg::fault check_system_prompt(const std::string& prompt, const std::vector<std::string>& allowed);

/// errc::none: `model` is one of `allowed`. `key`: the setting that has the list.
msg::fault check_model(const std::string& model, const std::vector<std::string>& allowed, const std::string& key);

} // namespace sampling
