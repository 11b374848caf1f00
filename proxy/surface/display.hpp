// What a run shows beside its text: displayed blocks as MCP content blocks, and the note on its session.
#pragma once

#include "messages/run.hpp"
#include "proxy/surface/large.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <string>

namespace surface {

/// In the order of display. Text and JSON in a size that a model can take.
boost::json::array content_blocks(const std::vector<msg::display_block>& displayed, const kept_artifacts& kept);

/// {name, state, reason?}
boost::json::object session_object(const msg::session_note& note);

/// One line for the reader; empty: the run had no session.
std::string session_line(const msg::session_note& note);

} // namespace surface
