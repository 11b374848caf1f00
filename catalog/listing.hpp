// A list of tools that is read bit by bit, so that other questions are answered meanwhile. Which tools are in it stays
// as it was when it was begun, whatever the catalog learns meanwhile.
#pragma once

#include "catalog/store.hpp"
#include "messages/catalog.hpp"
#include "messages/tool_call.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace catalog {

/// Where the definitions of tools are.
struct tool_places {
  struct of_server {
    std::string name;
    std::string digest;     ///< in the store
    msg::listed_tools held; ///< what could not be stored
    bool is_held = false;
  };
  struct tool {
    size_t server = 0; ///< in `servers`
    uint32_t position = 0;
    std::string name;
  };
  std::vector<of_server> servers;
  std::vector<tool> tools;
};

struct read_definitions_result {
  msg::tool_list tools; ///< one that another program has replaced meanwhile has no name
  size_t bytes = 0;     ///< of their definitions
  std::string problem;  ///< of the store; empty: none
};
/// Those of [first, end), in order, until they have `bytes_max`: at least one.
read_definitions_result read_definitions(store& from, const tool_places& places, size_t first, size_t end,
                                         size_t bytes_max);

struct listing final : msg::catalog_progress {
  msg::catalog_found found; ///< so far
  tool_places places;
  size_t next = 0;  ///< to be read
  size_t bytes = 0; ///< of definitions that were read
};

} // namespace catalog
