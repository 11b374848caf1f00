// The state of the server as the tool `health`, the health port and Prometheus tell it.
#pragma once

#include "messages/health.hpp"

#include <boost/json/object.hpp>

#include <string>

namespace surface {

/// Programs can be run, and every actor answers.
bool is_healthy(const msg::health_report& now);
/// And one more would find a place, at least in the queue.
bool is_ready(const msg::health_report& now);

/// `owner`: who is told, see msg::run_request::owner.
boost::json::object health_doc(const msg::health_report& now, std::string_view owner = {});

/// Prometheus text format 0.0.4. The only labels with values of others are names of configured servers.
std::string metrics_text(const msg::health_report& now);

} // namespace surface
