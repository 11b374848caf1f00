// A result of 2026-07-28 that wants to know something before it is complete (`input_required`, SEP-2322): what it asks,
// what has been answered, and what is sent with the same call once more.
#pragma once

#include "mcp/revision.hpp"
#include "messages/document.hpp"
#include "messages/errors.hpp"
#include "messages/server_questions.hpp"

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mcp {

/// Of one call: a server that always asks once more never answers.
inline constexpr uint32_t input_rounds_max = 10;
/// Of one round.
inline constexpr size_t inputs_max = 16;
/// Its server has it back as it was; it may hold all that the server knows of the call.
inline constexpr size_t request_state_bytes_max = 256u << 10;

struct input_question {
  std::string key; ///< as the server has it
  msg::question_kind kind = msg::question_kind::form;
  msg::document params;
};

class input_round {
public:
  /// Of a result of that kind. The fault says what is wrong with it: the rest of a sentence about the server.
  static msg::outcome<input_round> read(const boost::json::object& result);
  /// The addresses of an error that wants a person to be there first (-32042 of 2025-11-25). Nothing: it names none, or
  /// not as the protocol has it.
  static std::optional<input_round> of_visits(const boost::json::value& error);
  /// Whether the result is of that kind.
  static bool is_one(revision spoken, const boost::json::object& result);

  const std::vector<input_question>& questions() const { return questions_; }
  /// Each key once.
  void answer(const std::string& key, boost::json::value said) { responses_[key] = std::move(said); }
  bool is_answered() const { return responses_.size() == questions_.size(); }
  /// What the same call is sent with.
  boost::json::object parameters() const;

private:
  std::vector<input_question> questions_;
  std::optional<std::string> state_;
  bool is_of_visits_ = false; ///< the server learns by itself what has become of them
  boost::json::object responses_;
};

} // namespace mcp
