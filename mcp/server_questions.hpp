// What a server asks us in the middle of a call, and has no answer to yet: requests of one that has shaken hands, and
// what the results of one of 2026-07-28 want to know before they are complete.
#pragma once

#include "mcp/jsonrpc.hpp"
#include "messages/client_abilities.hpp"
#include "messages/document.hpp"
#include "messages/errors.hpp"
#include "messages/server_questions.hpp"

#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace mcp {

/// Of one server at once: as many as it gets calls, each of which asks one thing after the other.
inline constexpr size_t server_questions_max = 64;

/// Of one connection.
class server_questions {
public:
  using answer = msg::outcome<msg::document>;

  /// `ask`: whoever is asked answers by answer(). `withdraw`: nobody waits for that any more.
  struct owner {
    std::function<void(msg::server_question)> ask;
    std::function<void(msg::call_key, uint64_t number)> withdraw;
  };
  server_questions(std::string server, owner owner) : server_(std::move(server)), owner_(std::move(owner)) {}

  /// Which question a request of that method is; nothing: none.
  static std::optional<msg::question_kind> kind_of(std::string_view method, const boost::json::object* params);
  /// `done` hears of it once, later or at once. The number of the question; 0: `done` has been called.
  /// Who asks is told by `call`, `is_sure`, `kind` and `params` of `what`; the rest is filled in here.
  uint64_t ask(msg::server_question what, std::function<void(answer)> done);
  /// Of a question that is not open, nothing happens.
  void answered(uint64_t number, answer said);
  /// Nobody waits for it any more; `done` is not called.
  void withdraw(uint64_t number);
  /// The same for all.
  void withdraw_all();

private:
  struct question {
    msg::call_key call;
    std::function<void(answer)> done;
  };

  std::string server_;
  owner owner_;
  uint64_t last_number_ = 0;
  std::map<uint64_t, question> open_;
};

/// Whether a client that can do that can be asked such a thing.
bool can_be_asked(const msg::client_abilities& abilities, msg::question_kind kind);
/// What the server gets for an answer: an object that says what has been decided. A form or an address that could not
/// be shown counts as declined, one that nobody answered as cancelled; a client that has no roots, has none. Nothing:
/// of a model there is no such answer.
std::optional<boost::json::object> answer_without(msg::question_kind kind, const msg::fault& why);
/// What the person has filled in, with the defaults of what was left out (SEP-1034): a client of an earlier revision
/// does not know of them.
msg::document completed(msg::question_kind kind, const msg::document& params, const msg::document& said);

} // namespace mcp
