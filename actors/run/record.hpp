// What a run tells the record: its begin and end, every call, and what it was not permitted.
#pragma once

#include "actors/run/open_call.hpp"
#include "messages/audit.hpp"
#include "messages/errors.hpp"
#include "messages/run.hpp"
#include "messages/server_questions.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace actors::run {

/// As actors::background_work: another thread; empty: there is none.
using worker = std::function<void(std::function<void()> work, std::function<void(msg::fault)> done)>;

/// What is large is digested at once: a run may have many calls open, and their arguments would pile up.
std::shared_ptr<kept_arguments> keep_arguments(const msg::document& arguments, const worker& elsewhere);

/// What is known of the guest when its run has ended.
struct guest_facts {
  uint64_t memory_bytes = 0; ///< 0: not known
  bool was_had = false;      ///< false: the run never had one, so that its refusal is one of the whole run
};

/// Of one run.
class record {
public:
  /// What is told before anything can happen: all that a crash leaves of the run. Nothing: it was told.
  std::optional<msg::audit_event> of_begin(const msg::run_request& request);
  /// Of a call that has no answer yet.
  static msg::audit_event of_open(const msg::run_request& request, const open_call& call);
  /// Of a call that has ended; errc::none: in success. Nothing: it is a refusal, and the run has had
  /// limits::audit_refusals_max lines of these.
  std::optional<msg::audit_event> of_call(const msg::run_request& request, const open_call& call,
                                          const msg::fault& error, std::chrono::microseconds took);
  /// A server, the program or we have asked the client something, and have an answer or none.
  static msg::audit_event of_question(const msg::run_request& request, const msg::server_question& asked,
                                      const msg::outcome<msg::document>& said);
  /// The last one. Takes the code out of the request.
  static msg::audit_event of_run(msg::run_request& request, const msg::run_report& report, const guest_facts& guest);

private:
  bool has_begun_ = false; ///< and that has a line
  uint32_t refusals_ = 0;  ///< that have a line
};

} // namespace actors::run
