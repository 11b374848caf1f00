// What a server asks in the middle of a call: of the client that the call is made for, and of nobody else.
#pragma once

#include "messages/document.hpp"
#include "messages/fields.hpp"

#include <cstdint>
#include <string>
#include <string_view>

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

} // namespace msg
