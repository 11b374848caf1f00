// Forms that ask a person for a secret: nobody fills those in, whoever asks.
#pragma once

#include <boost/json/object.hpp>

#include <string>
#include <string_view>

namespace mcp {

/// What of a form (the `params` of elicitation/create) asks for a secret, to be told; empty: nothing does, as far as
/// its English words say. Fields of text count by their names, titles and descriptions, and the message with them.
std::string secret_asked_for(const boost::json::object& params);

/// Whether that is the name of a secret: `password`, `githubToken`, `API key`; and not of something about one:
/// `secret_name`, `max_tokens`, `password policy`.
bool names_secret(std::string_view name);
/// Whether that asks somebody for one: "Enter your password".
bool asks_for_secret(std::string_view sentence);

} // namespace mcp
