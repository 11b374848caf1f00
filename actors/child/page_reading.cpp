#include "actors/child/page_reading.hpp"

#include <utility>

namespace child {

void answer_with_items(mcp::item_pages pages, const process::background_work& offload,
                       std::function<void(msg::outcome<msg::tool_result>)> answer) {
  if (!offload || mcp::are_joined(pages) || !mcp::are_long(pages))
    return answer(msg::tool_result{mcp::joined(pages), {}});
  auto result = std::make_shared<msg::tool_result>();
  auto work = [result, held = std::make_shared<mcp::item_pages>(std::move(pages))] {
    result->envelope = mcp::joined(*held);
    held->clear();
  };
  offload(std::move(work), [result, answer = std::move(answer)](msg::fault problem) {
    answer(problem.code == msg::errc::none ? msg::outcome<msg::tool_result>{std::move(*result)}
                                           : msg::outcome<msg::tool_result>{std::move(problem)});
  });
}

/// Not before the message that the last page came with has been let go of here: that would be its end otherwise.
void drop_items(mcp::item_pages pages, const process::background_work& offload) {
  if (!offload || !mcp::are_long(pages))
    return;
  auto held = std::make_shared<mcp::item_pages>(std::move(pages));
  offload([] {}, [offload, held](const msg::fault&) { process::destroy_there(offload, std::move(*held)); });
}

page_reading::page_reading(std::string server, process::background_work offload)
  : server_(std::move(server)),
    offload_(std::move(offload)) {}

void page_reading::begin(uint64_t connection, const msg::document& answer, mcp::argument_headers headers,
                         std::function<void()> go_on, std::function<void()> read) {
  auto page = std::make_shared<mcp::tool_page>();
  auto held = std::make_shared<msg::document>(answer);
  open_.insert_or_assign(connection, open_page{page, std::move(go_on)});
  auto work = [page, held, headers, server = server_] {
    *page = mcp::read_tool_page(server, *held, headers);
    *held = {}; // there, where it takes no time of ours
  };
  offload_(std::move(work), [page, server = server_, read = std::move(read)](msg::fault problem) {
    if (problem.code != msg::errc::none) {
      *page = {};
      page->problem = std::move(problem).at(server);
    }
    read();
  });
}

void page_reading::take(uint64_t connection, const std::function<void(mcp::tool_page)>& use) {
  auto open = open_.extract(connection);
  if (!open)
    return;
  use(std::move(*open.mapped().page));
  open.mapped().go_on();
}

void page_reading::end() {
  for (auto& [connection, open] : std::exchange(open_, {}))
    open.go_on();
}

} // namespace child
