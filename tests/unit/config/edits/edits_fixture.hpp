// Entries that are put into texts of configuration files, and taken out of them.
#pragma once

#include "config/edits/entry_edit.hpp"
#include "text/json_text.hpp"

#include <boost/json/array.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace test {

/// A server without anything special.
inline boost::json::object small_entry() { return {{"command", "/bin/it"}, {"args", boost::json::array{}}}; }
inline boost::json::object named_entry() {
  return {{"name", "code-executor"}, {"command", "/bin/it"}, {"args", boost::json::array{"-x"}}};
}

/// The text, or `fault: ...`.
inline std::string text_of(const msg::outcome<edits::edited_text>& done) {
  return done.ok() ? done.value.text : "fault: " + done.error.message;
}

inline std::string put(config::file_format format, std::string_view text, const edits::server_place& list,
                       const boost::json::object& entry) {
  return text_of(edits::put_entry(format, text, list, "code-executor", entry));
}

inline std::string removed(config::file_format format, std::string_view text, const edits::server_place& list,
                           const std::vector<std::string>& names = {"code-executor"}) {
  return text_of(edits::remove_entries(format, text, list, names));
}

} // namespace test
