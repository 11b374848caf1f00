// What the record says of a request of a client that never became a run, or not a whole one.
#pragma once

#include "messages/audit.hpp"
#include "messages/errors.hpp"
#include "messages/run.hpp"

#include <cstdint>
#include <string>

namespace boost::json {
class object;
}

namespace audit {

/// `run`: the number that it would have had.
msg::audit_event refused_request(uint64_t run, std::string client, const msg::fault& why);

/// Of one that may have become a run, which has not told the record of its end. A mistake of ours is the end of a run
/// and no refusal: else the run would look as if the whole process had died.
msg::audit_event unrecorded_run(uint64_t run, std::string client, const msg::fault& why);

/// Of a tool that runs programs, by its arguments, in which everything may be wrong: with the program, if there is one
/// that is not too large.
msg::audit_event refused_program(uint64_t run, std::string client, const msg::fault& why, msg::language language,
                                 const boost::json::object& arguments);

} // namespace audit
