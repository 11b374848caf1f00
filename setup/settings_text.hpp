// A file of settings for somebody who has none: every setting with what it is for and its usual value, all of it in
// comments.
#pragma once

#include "config/setting_entry.hpp"

#include <string>
#include <vector>

namespace setup {

/// It sets nothing. Without the `// ` that each line begins with it is JSON, with comments. Keys of providers are
/// `env:NAME`.
std::string explained_settings(const std::vector<config::setting_entry>& entries);

} // namespace setup
