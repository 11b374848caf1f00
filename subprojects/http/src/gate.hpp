// What stands between a connection and its server: reads the bytes of the client, and lets complete requests through.
//
// It knows neither sockets nor time. The head is read by http_parser, the rules that it does not have are in
// head_rules.hpp; bodies are read here, so that where a request ends is decided in one place.
#pragma once

#include "body_budget.hpp"
#include "chunked_body.hpp"
#include "head_reader.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace http {

struct gate_limits {
  size_t head_bytes_max = 0; ///< more than 80 KiB (http_parser's own limit) are 431 in any case
  size_t body_bytes_max = 0;
  /// Of each body: it does not count in the common budget. Most messages are smaller.
  size_t small_body_bytes = 64u << 10;
};

/// A request that has come, and how its answer has to look.
struct arrival {
  request asked;
  answer_form form;
};

class gate {
public:
  enum class place {
    idle,     ///< nothing of a request has come
    head,     ///< a part of its head
    body,     ///< its head, and a part of its body
    complete, ///< take_arrival() has it
    refused   ///< take_refusal() has the answer, after which the connection has to be closed
  };
  /// Of options.admit: the answer that is given instead of reading the body.
  using admission = std::function<std::optional<response>(const request_head&)>;

  gate(gate_limits limits, std::shared_ptr<body_budget> budget, uint64_t connection, admission admit);
  gate(const gate&) = delete;
  gate& operator=(const gate&) = delete;

  /// How many of the bytes were taken: all, unless a request is complete or refused. What is behind that may be given
  /// again after take_arrival().
  size_t take(std::string_view bytes);
  place at() const { return place_; }

  /// Once per `complete`; the next request may come then.
  arrival take_arrival();
  /// Once; nothing is taken any more.
  response take_refusal();
  /// True once, when the client waits to be told that it may send the body.
  bool owes_continue();

private:
  size_t take_some(std::string_view bytes);
  size_t take_idle(std::string_view bytes);
  size_t take_head(std::string_view bytes);
  size_t take_counted(std::string_view bytes);
  size_t take_chunks(std::string_view bytes);
  void end_head();
  void announce(uint64_t bytes);
  void add(std::string_view part);
  void refuse(response answer);

  gate_limits limits_;
  std::shared_ptr<body_budget> budget_;
  uint64_t connection_;
  admission admit_;
  place place_ = place::idle;
  std::unique_ptr<head_reader> reader_; ///< of place::head
  size_t head_bytes_ = 0;
  judged_head judged_; ///< from place::body on
  chunked_body chunks_;
  uint64_t announced_bytes_ = 0;
  std::string body_;
  std::shared_ptr<body_share> share_;
  std::optional<response> refusal_;
};

} // namespace http
