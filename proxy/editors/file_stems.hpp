// Names of files for servers, whose own names may be anything.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace editors {

/// Of a longer name the beginning, and a digest of the whole: file systems have 255 for a name with its end.
inline constexpr size_t stem_bytes_max = 80;

/// What a file is called: letters and digits of ASCII, `_` and `-`, everything else as `-`.
std::string plain_spelling(std::string_view name);

/// Names of files without their ends, one for each, in order, no two of which are the same where case does not count.
/// `spellings` are the names as files spell them. Where one is that of several names, too long, or one that a system or
/// a language has a use for, a digest of the name follows it, behind `between`: so none depends on the order of the
/// names, and all but those stay as they are when one is added. The name that is spelled in small letters as it is
/// needs no digest.
std::vector<std::string> file_stems(const std::vector<std::string_view>& names,
                                    const std::vector<std::string>& spellings, char between);

} // namespace editors
