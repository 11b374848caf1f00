// What the record says of the questions of one run.
#pragma once

#include "actors/sampling/completion_request.hpp"
#include "actors/sampling/ledger.hpp"
#include "messages/audit.hpp"
#include "messages/errors.hpp"
#include "messages/run.hpp"
#include "messages/sampling.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace sampling {

class record {
public:
  explicit record(const msg::run_request& run) : run_(run.id), client_(run.client_name) {}

  /// A round has ended: `call` is what the ledger made of it.
  msg::audit_event round(const completion_request& q, const msg::sampling_call& call, const round_answer& answer) const;
  /// No model was asked. None: the rules did permit it, or there are audit_refusals_max of them.
  std::optional<msg::audit_event> refusal(const std::string& route, const std::string& model, const msg::fault& why);

private:
  msg::audit_event event_of(msg::audit_kind kind) const;

  uint64_t run_;
  std::string client_;
  uint32_t refusals_ = 0;
};

} // namespace sampling
