// Undoing what was changed in a list of servers when others have changed the file since.
#pragma once

#include "config/edits/entry_edit.hpp"
#include "messages/errors.hpp"

#include <string>
#include <string_view>

namespace setup {

struct three_texts {
  std::string_view before; ///< the set-up; blank: there was no file
  std::string_view after;
  std::string_view now;
};

/// `now` with every entry that differs between `before` and `after` as it was before; all else stays. The fault begins
/// with the place: such an entry is not as it was left, or the text can not be changed.
msg::outcome<std::string> take_back(config::file_format format, const edits::server_place& list,
                                    const three_texts& texts);

} // namespace setup
