// What a client can be asked in the middle of a call, and for which one a call is made.
#pragma once

#include "messages/fields.hpp"
#include "messages/log_level.hpp"

#include <cstdint>

namespace msg {

/// What a client can be asked for.
struct client_abilities {
  bool samples = false;            ///< sampling/createMessage
  bool samples_with_tools = false; ///< with `tools`, since 2025-11-25
  bool fills_forms = false;        ///< elicitation/create
  bool opens_urls = false;         ///< with `mode: "url"`, since 2025-11-25
  bool has_roots = false;          ///< roots/list
  auto fields() { return std::tie(samples, samples_with_tools, fills_forms, opens_urls, has_roots); }
  bool operator==(const client_abilities&) const = default;
};

inline client_abilities operator|(const client_abilities& a, const client_abilities& b) {
  return {a.samples || b.samples, a.samples_with_tools || b.samples_with_tools, a.fills_forms || b.fills_forms,
          a.opens_urls || b.opens_urls, a.has_roots || b.has_roots};
}

/// For whom a call is made.
struct call_asker {
  uint64_t client = 0; ///< number of it; 0: of nobody
  client_abilities abilities = {};
  log_wish log = {}; ///< what it hears of the log of servers
  auto fields() { return std::tie(client, abilities, log); }
};

} // namespace msg
