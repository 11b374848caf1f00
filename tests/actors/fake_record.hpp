// A record that keeps what it hears.
#pragma once

#include "messages/actors.hpp"
#include "tests/actors/unexpected.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <memory>
#include <vector>

namespace testing_support {

using heard_events = std::shared_ptr<std::vector<msg::audit_event>>;

inline msg::audit_log_actor::behavior_type fake_record(msg::audit_log_actor::pointer, heard_events heard) {
  return {
    [heard](msg::audit_atom, const msg::audit_event& event) { heard->push_back(event); },
    [](msg::status_atom) { return msg::audit_status{}; },
    [](msg::finish_atom) { return unexpected("finish", true); },
    [](msg::reply_atom, uint64_t, const std::string&) { unexpected("reply"); },
    [](msg::tick_atom) { unexpected("tick"); },
  };
}

} // namespace testing_support
