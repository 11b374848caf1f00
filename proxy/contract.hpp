// What a tool says it takes and gives: its schemas, compiled at the first use, and checks against them.
#pragma once

#include "messages/errors.hpp"
#include "messages/tool_call.hpp"

#include <memory>
#include <string>

namespace proxy {

/// Of one version of a tool. Both checks may be called in any thread, and at once. A schema that is wrong in parts is
/// followed in the others; one that passes the bounds of the JSON Schema library is not checked, and that is logged.
class contract {
public:
  explicit contract(msg::tool_info tool);
  ~contract();
  contract(const contract&) = delete;
  contract& operator=(const contract&) = delete;

  /// Whether a check of so many bytes of JSON takes less than a millisecond.
  bool is_quick(size_t bytes) const;
  /// errc::none: the tool takes them.
  msg::fault check_arguments(const msg::document& arguments) const;
  /// Whether the tool says what `structuredContent` is.
  bool promises_output() const;
  /// `result` is a CallToolResult. A sentence about what is not as promised; empty: it is, or has no `structuredContent`.
  std::string check_result(const msg::document& result) const;

private:
  struct schemas;
  std::unique_ptr<schemas> schemas_;
};

} // namespace proxy
