// The text that a document was parsed from, kept for whoever passes it on.
#pragma once

#include "messages/document.hpp"

#include <array>
#include <memory>
#include <string>

namespace msg {

struct document::sent_text {
  /// Parts are found that lie so deep: the result of a message, or a member of that.
  static constexpr size_t depth_max = 2;

  explicit sent_text(std::shared_ptr<const std::string> text) : whole(std::move(text)) {}
  /// Of the document itself. Empty: there is none.
  std::string_view text() const;

  std::shared_ptr<const std::string> whole;
  std::array<std::string, depth_max> path; ///< names of members, from the outside; empty: none
  size_t depth = 0;
};

} // namespace msg
