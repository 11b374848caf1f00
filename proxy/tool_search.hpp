// Finding tools among those whose lists are known. A plain ranking: words of the query against words of the name, the
// server and the description, with prefixes and typing errors.
#pragma once

#include "messages/tool_call.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace proxy {

/// Lower-case words: split at case, digits and everything that is neither.
std::vector<std::string> words_of(std::string_view text);

/// Best first, at most `query.limit` (0: all). Only tools that `query.allowed` permits, of `query.server` if it is set.
/// An empty text gives all of them in order of name.
msg::tool_matches search(const std::vector<const msg::tool_list*>& lists, const msg::tool_query& query);

/// Which servers a question names: those with a name that is a word of the text, or is made of such words.
std::vector<std::string> named_servers(std::string_view text, const std::vector<std::string>& servers);

} // namespace proxy
