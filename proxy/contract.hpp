// What a tool says it takes and gives: its schemas, compiled at the first use, and checks against them.
#pragma once

#include "messages/errors.hpp"
#include "messages/tool_call.hpp"

#include <memory>
#include <optional>
#include <string>

namespace proxy {

/// What a tool is sent in place of what a program gave.
struct taken_arguments {
  std::optional<msg::document> value; ///< nothing: what was given
  std::string note;                   ///< what is different, in one sentence
};

/// Of one version of a tool. All may be called in any thread, and at once. A schema that is wrong in parts is
/// followed in the others; one that passes the bounds of the JSON Schema library is not checked, and that is logged.
class contract {
public:
  explicit contract(msg::tool_info tool);
  ~contract();
  contract(const contract&) = delete;
  contract& operator=(const contract&) = delete;

  /// Whether it is known at once, in less than a millisecond, that the tool takes them. False says nothing: the schema
  /// is not compiled yet, it or they are large, or something is wrong.
  bool takes_at_once(const msg::document& arguments) const;
  /// The same of a result and what is promised of it.
  bool keeps_at_once(const msg::document& result) const;
  /// What the compiled schemas take, about. 0: they have not been needed yet.
  size_t memory_bytes() const;

  // Take their time: a schema is a stranger's, and compiled by the first check.

  /// errc::none: the tool takes them, or what `taken` holds in their place.
  msg::fault check_arguments(const msg::document& arguments, taken_arguments& taken) const;
  /// `result` is a CallToolResult. A sentence about what is not as promised; empty: it is, or has no
  /// `structuredContent`.
  std::string check_result(const msg::document& result) const;

private:
  struct schemas;
  std::unique_ptr<schemas> schemas_;
};

} // namespace proxy
