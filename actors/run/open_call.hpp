// A tool call of a run that has no answer yet.
#pragma once

#include "messages/document.hpp"
#include "messages/tool_call.hpp"
#include "proxy/names.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace actors::run {

using time_point = std::chrono::steady_clock::time_point;

/// For the record: of large arguments only the digest, as soon as there is one.
struct kept_arguments {
  msg::document value;
  std::string digest;
};

struct open_call {
  std::string full_name; ///< as the program has written it, until it is known which tool is meant
  std::string server;    ///< empty: that is not known
  time_point begun{};
  std::shared_ptr<kept_arguments> arguments; ///< null: nothing is recorded
  msg::tool_ref ref;                         ///< as the program has written it
  uint64_t arguments_hash = 0;               ///< see proxy::failing_calls
  msg::document sent;                        ///< its arguments, if it may be made once more; else null
  bool may_be_repeated = false;              ///< after a login
  msg::consent agreed;                       ///< of a person, with which it has been made again
  bool waits_for_person = false;             ///< no server has it, nor gets it, unless a person agrees or logs in

  /// Raw name of the tool, where it is known.
  std::string tool() const { return full_name.substr(proxy::full_name(server, "").size()); }
};

} // namespace actors::run
