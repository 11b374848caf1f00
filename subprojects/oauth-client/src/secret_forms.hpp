// Whether a text tells a secret: servers repeat what they were asked, and not always as it was written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace oauth {

/// Whether one of them is in `text`: as it is, percent-encoded (once or twice), with backslashes before its characters,
/// or within base64 or base64url of anything (a header `Basic`, the part of a JWT). The beginning of one is one: the
/// rest may have been cut off. Those below 4 bytes would stand in any text, and are not looked for. Time: the length of
/// the text, for each of some twenty spellings of a secret.
bool tells_one_of(std::string_view text, const std::vector<std::string>& secrets);

} // namespace oauth
