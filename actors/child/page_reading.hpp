// Long pages of a server's lists: other threads take its tools apart while its reader waits, and join the others.
#pragma once

#include "mcp/item_listing.hpp"
#include "mcp/tool_page.hpp"
#include "messages/document.hpp"
#include "messages/errors.hpp"
#include "messages/tool_call.hpp"
#include "process/background.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace child {

/// Answers, now or later, with what is on all pages as one list, or with why they could not be joined. What takes its
/// time is done elsewhere, if there is an `offload`.
void answer_with_items(mcp::item_pages pages, const process::background_work& offload,
                       std::function<void(msg::outcome<msg::tool_result>)> answer);
/// Their end takes as long as their making.
void drop_items(mcp::item_pages pages, const process::background_work& offload);

/// One page per connection at a time: its reader goes on, once, when it is read.
class page_reading {
public:
  page_reading(std::string server, process::background_work offload);

  /// Calls `read` when that page may be taken; it may come after the end of this, and is for the owner to be told in
  /// its own time.
  void begin(uint64_t connection, const msg::document& answer, mcp::argument_headers headers,
             std::function<void()> go_on, std::function<void()> read);
  /// What was read on that connection is given to `use`; then its reader goes on. Nothing, if none was begun.
  void take(uint64_t connection, const std::function<void(mcp::tool_page)>& use);
  /// The owner needs them no more: all readers go on.
  void end();

private:
  struct open_page {
    std::shared_ptr<mcp::tool_page> page;
    std::function<void()> go_on;
  };

  std::string server_;
  process::background_work offload_;
  std::map<uint64_t, open_page> open_; ///< by connection
};

} // namespace child
