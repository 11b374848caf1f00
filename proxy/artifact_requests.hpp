// What a guest may ask of the outputs of earlier runs: `output`, checked field by field.
#pragma once

#include "messages/artifacts.hpp"
#include "messages/errors.hpp"

#include <cstdint>

namespace boost::json {
class object;
}

namespace proxy {

struct guest_output_request {
  uint64_t id = 0;
  msg::artifact_query query;
};

/// The parameters of `readOutput`. Whether the handle means anything is for the store to judge.
msg::outcome<msg::artifact_query> parse_output_request(const boost::json::object& params);

} // namespace proxy
