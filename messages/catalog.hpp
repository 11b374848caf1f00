// What the catalog of all tools is asked, and what it answers.
#pragma once

#include "messages/document.hpp"
#include "messages/errors.hpp"
#include "messages/fields.hpp"
#include "messages/servers.hpp"
#include "messages/tool_call.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace msg {

/// A configured server whose tools are known.
struct indexed_server {
  std::string name;
  std::vector<std::string> tools; ///< names of those that may be used
  /// Names of those that are not what was approved; where they are held, they are not among the others.
  std::vector<std::string> changed;
  auto fields() { return std::tie(name, tools, changed); }
};
using indexed_servers = std::vector<indexed_server>;

struct catalog_found {
  tool_matches matches;
  /// Servers that the question names, and those never indexed whose name has a word of it; only those that may be used.
  std::vector<std::string> named;
  auto fields() { return std::tie(matches, named); }
};

enum class catalog_operation : uint8_t {
  update,   ///< entries (that of the server), tools; answers reviewed
  search,   ///< query; answers found
  resolve,  ///< server, tool as it was written, allowed; answers tool
  servers,  ///< answers servers
  observed, ///< server, tool; answers schema
  observe,  ///< server, tool, value: one result
  save,     ///< writes what is not on disk yet
  reload,   ///< entries: what is configured from now on
};

/// What a question has come to that takes several turns. It belongs to the catalog.
struct catalog_progress {
  virtual ~catalog_progress() = default;
};

struct catalog_request {
  catalog_operation operation = catalog_operation::save;
  std::string server; ///< configured name
  std::string tool;
  listed_tools tools;
  tool_query query;
  tool_filter allowed;
  document value;
  std::vector<server_entry> entries;
  /// Once it is true, no run waits for the answer; null: the caller does. Of this process only.
  std::shared_ptr<const std::atomic<bool>> is_over;
  std::shared_ptr<catalog_progress> so_far; ///< of the answer that went on; null: this is the first time it is asked
  auto fields() { return std::tie(operation, server, tool, tools, query, allowed, value, entries); }
};

struct catalog_answer {
  fault error;
  catalog_found found;
  reviewed_tools reviewed;
  tool_info tool;
  indexed_servers servers;
  document schema;      ///< a JSON Schema of what the results of a tool looked like; null: there were none
  bool goes_on = false; ///< no answer yet: it takes long, and is to be asked for again
  std::shared_ptr<catalog_progress> so_far; ///< then to be there as well. Of this process only
  auto fields() { return std::tie(error, found, reviewed, tool, servers, schema, goes_on); }
};

} // namespace msg
