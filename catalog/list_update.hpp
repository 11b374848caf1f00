// A list of tools on its way into the index: a long one is read bit by bit, so that questions are answered meanwhile.
#pragma once

#include "messages/tool_call.hpp"
#include "tool_search/search_index.hpp"

#include <chrono>
#include <cstddef>
#include <string>

namespace catalog {

class list_update {
public:
  using time_point = std::chrono::steady_clock::time_point;

  /// The index outlives it.
  list_update(tool_search::search_index& index, const std::string& server, msg::listed_tools tools);

  bool is_of(const msg::listed_tools& tools) const { return tools_.shares(tools); }
  /// Its digest.
  const std::string& content() const { return content_; }
  /// Reads on; at least one tool. False: it is not all read when the time comes.
  bool read_until(time_point end);
  /// When all is read.
  tool_search::search_index::reading take() && { return std::move(reading_); }

private:
  msg::listed_tools tools_;
  std::string content_;
  tool_search::search_index::reading reading_;
  size_t next_ = 0; ///< to be read
};

} // namespace catalog
