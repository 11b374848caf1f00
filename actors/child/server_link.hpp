// A connection to a server with the protocol on it: what goes to its process, and what comes from there, without the
// server's own secrets.
#pragma once

#include "actors/child/non_protocol_lines.hpp"
#include "mcp/client_protocol.hpp"
#include "mcp/connection.hpp"
#include "mcp/log_allowance.hpp"
#include "mcp/tool_page.hpp"
#include "messages/document.hpp"
#include "messages/errors.hpp"
#include "messages/server_questions.hpp"
#include "messages/tool_call.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace child {

/// What is heard of the server, from within the calls below. All must be set.
struct link_events {
  /// The handshake, or a later listing, has ended.
  std::function<void(msg::outcome<msg::listed_tools>)> listed;
  std::function<void(msg::call_key, msg::outcome<msg::document>)> answered; ///< the raw result
  std::function<void(msg::tool_progress)> progressed;
  std::function<void(msg::server_log)> logged; ///< in the middle of a call, what its client wants to hear
  /// It asks something in the middle of that call; answered by answer().
  std::function<void(msg::server_question)> asked;
  /// It does not wait for the answer to that question of that call any more.
  std::function<void(msg::call_key, uint64_t question)> withdrawn;
  std::function<void(std::chrono::milliseconds)> paused; ///< it wants time: go_on() is to be called then
  std::function<void(msg::call_key)> done_with;          ///< a call that was cancelled has been answered
  std::function<void()> tools_changed;
  std::function<void()> listening_ended;                            ///< it says no more when they change
  std::function<void(msg::tool_list)> dropped;                      ///< the server's actor does not need that list
  std::function<void(msg::call_key, mcp::item_pages)> items_listed; ///< the answer to a listing of resources or prompts
  std::function<void(mcp::item_pages)> items_dropped;               ///< nobody needs them
};

/// Of one server: one connection after the other.
class server_link {
public:
  server_link(std::string server, link_events events);
  ~server_link();
  server_link(const server_link&) = delete;
  server_link& operator=(const server_link&) = delete;

  // ---- the connection
  /// Begins the handshake. `abilities`: what it is told that it may ask.
  void open(std::shared_ptr<mcp::connection> connection, mcp::opening first = mcp::opening::initialize,
            const msg::client_abilities& abilities = {});
  /// Whether it has read anything of what it was sent, as far as we know. Also when it is closed.
  bool was_heard() const { return connection_ ? connection_->was_heard() : was_heard_; }
  /// It has had time enough to say which revision it speaks.
  void stop_waiting_for_discovery();
  /// It is to say again when its tools change.
  void listen_again();
  bool is_open() const { return connection_ != nullptr; }
  /// Of the last connection: what came of it, or still comes, can be read. Null: there was none.
  const mcp::client_protocol* protocol() const { return protocol_.get(); }
  /// Why a person has to log in there, as it has refused us last: a sentence. Empty: nobody has to.
  std::string login_wanted() const { return connection_ ? connection_->login_wanted() : std::string{}; }
  /// Ends it in order.
  void stop();
  /// Ends it at once. It is closed then.
  void kill();
  /// It has ended. Calls stay open until fail_all().
  void closed() {
    was_heard_ = was_heard();
    connection_.reset();
  }

  // ---- to the server
  /// What programs ask of it; while it is open.
  mcp::client_calls& calls() { return protocol_->calls(); }
  /// Of a question that it has withdrawn, nothing happens.
  void answer(uint64_t question, msg::outcome<msg::document> said) { protocol_->answer(question, std::move(said)); }
  /// Reads its tools again, unless they are being read.
  void list_tools() { protocol_->list_tools(); }
  bool is_listing() const { return protocol_->listing(); }
  /// It does not answer that.
  void give_up_listing(msg::fault why) { protocol_->give_up_listing(std::move(why)); }
  /// Every open call is answered with that.
  void fail_all(const msg::fault& why);
  /// That it has read nothing of what it was sent, as msg::server_start has it: 0 if it reads, as far as any server
  /// reads at once.
  uint32_t unread_ms() const;

  // ---- from the server
  /// `during`: see mcp::connection_events.
  void receive(const msg::document& message, uint64_t during = 0);
  /// Whether that is a page of tools that takes long to read, and is to be read elsewhere for take_page(). It counts as
  /// received.
  bool receives_long_page(const msg::document& message);
  void take_page(mcp::tool_page page);
  /// True: it is the first since the last message.
  bool receive_non_protocol_line(std::string_view line);
  non_protocol_lines& lines() { return lines_; }

private:
  mcp::client_callbacks callbacks();
  std::string masked(std::string text) const;

  std::string server_;
  link_events events_;
  non_protocol_lines lines_;
  mcp::log_allowance allowance_;
  std::shared_ptr<mcp::connection> connection_;
  bool was_heard_ = false;                         ///< the last connection that was closed
  std::unique_ptr<mcp::client_protocol> protocol_; ///< replaced only by open(): its callbacks end up here
};

} // namespace child
