// Tools and their results where the eras differ: since 2026-07-28 what a tool promises may be any JSON, before that it
// is an object.
#pragma once

#include <boost/json/object.hpp>

namespace mcp::relay {

/// Of a result of `tools/list`: its `tools`, or those in `changes`, if the client could not read them as they are, into
/// `changes`. What is no object is promised as the member `result` of one.
void describe_for_earlier_client(const boost::json::object& list, boost::json::object& changes);
/// Without what that era does not have (`execution`).
void describe_for_later_client(const boost::json::object& list, boost::json::object& changes);
/// Of a result of `tools/call`: the same of `structuredContent`, with its text for those who do not read it.
void tell_earlier_client(const boost::json::object& result, boost::json::object& changes);

} // namespace mcp::relay
