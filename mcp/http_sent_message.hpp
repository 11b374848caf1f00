// A message on its way to a server over HTTP.
#pragma once

#include "mcp/http_authorization.hpp"
#include "mcp/http_outbox.hpp"
#include "mcp/http_session.hpp"

#include <chrono>
#include <cstdint>
#include <string>

namespace mcp {

/// All others wait until a server has heard that the handshake has ended, but not for one that does not say so.
inline constexpr std::chrono::seconds http_end_of_handshake_max{3};

/// As often a message is sent with another token: those of a server that takes them back after some requests may end
/// before it is carried out, because others are under way.
inline constexpr int http_renewals_max = 3;

/// A message that is being sent.
struct sent_message {
  outgoing_message message;
  std::string text{};
  std::string address{};         ///< where it was redirected to; empty: where all go
  uint64_t session = 0;          ///< its number, of the last try
  bool is_in_session = false;    ///< false: the server had given none
  int tries = 0;                 ///< before this one
  std::string authorization{};   ///< that it had, in the last try
  int renewals = 0;              ///< so often it was refused for who we are, and asked about
  authorization_advice advice{}; ///< of the last try, if it was refused for that

  uint64_t key() const { return message.key; }
  const request_labels& labels() const { return message.labels; }
  said_authorization said() const { return {authorization, renewals > 0}; }
  bool is_labelled() const { return !message.labels.is_empty(); }
  http_purpose purpose() const {
    if (key() == 0)
      return http_purpose::note;
    return labels().is_listen() ? http_purpose::listen : http_purpose::request;
  }
};

} // namespace mcp
