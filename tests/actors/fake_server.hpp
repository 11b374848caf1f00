// MCP servers that live in the test: they record what they are sent and answer what the test says.
#pragma once

#include "actors/child_server.hpp"
#include "mcp/secret_mask.hpp"

#include <boost/json.hpp>

#include <map>
#include <memory>
#include <new>
#include <string>
#include <vector>

namespace testing_support {

namespace json = boost::json;

struct fake_connection final : mcp::connection {
  std::string server;
  msg::child_server_actor owner;
  uint64_t generation = 0;
  std::vector<json::object> sent; ///< every message, in order
  bool stopped = false, killed = false, gone = false;
  bool refuses = false;       ///< send() fails: the queue is full
  bool has_no_memory = false; ///< send() throws

  std::map<uint64_t, json::object> unread;   ///< by key, while it does not read
  bool reads = true;                         ///< false: what is sent now waits, and may be taken back
  std::chrono::milliseconds unread_since{0}; ///< what unread_for() says

  std::string secret; ///< empty: it has none

  mcp::masking mask() const override {
    return [mask = mcp::secret_mask{{secret}}](std::string text) { return mask(std::move(text), false); };
  }
  std::chrono::milliseconds unread_for() override { return unread_since; }
  bool take_back(uint64_t key) override { return unread.erase(key) > 0; }
  bool send(msg::spliced_text message, uint64_t key, mcp::request_labels) override {
    if (has_no_memory)
      throw std::bad_alloc{};
    if (refuses || gone)
      return false;
    auto parsed = json::parse(message.text()).as_object();
    if (reads || key == 0)
      sent.push_back(std::move(parsed));
    else
      unread.emplace(key, std::move(parsed));
    return true;
  }
  void stop() override { stopped = true; }
  void kill() override {
    killed = true;
    end({msg::errc::server_died, "ended with signal 9"});
  }

  /// The process is gone.
  void end(msg::fault why) {
    if (std::exchange(gone, true))
      return;
    caf::anon_send(owner, msg::closed_atom::value, generation, std::move(why));
    owner = nullptr;
  }
  void say(json::value message) {
    if (!gone)
      caf::anon_send(owner, msg::received_atom::value, generation, msg::document{std::move(message)}, uint64_t{0});
  }
  void say_garbage(std::string line) {
    if (!gone)
      caf::anon_send(owner, msg::non_protocol_atom::value, generation, std::move(line));
  }
  void answer(const json::object& request, json::value result) {
    say(json::object{{"jsonrpc", "2.0"}, {"id", request.at("id")}, {"result", std::move(result)}});
  }
  /// Requests of that method that were sent and not yet looked at.
  std::vector<json::object> take(std::string_view method) {
    std::vector<json::object> out;
    std::erase_if(sent, [&](auto& m) {
      bool hit = m.contains("method") && m.at("method").as_string() == method;
      if (hit)
        out.push_back(m);
      return hit;
    });
    return out;
  }
};

/// The machine on which all servers of a test run.
struct fake_servers {
  std::vector<std::shared_ptr<fake_connection>> connections; ///< every one, in order of start
  msg::fault refuse_to_start;
  bool never_read = false; ///< connections whose queue is full from the start

  actors::connection_factory factory() {
    return [this](const msg::server_entry& entry, msg::child_server_actor owner,
                  uint64_t generation) -> msg::outcome<std::shared_ptr<mcp::connection>> {
      if (refuse_to_start.code != msg::errc::none)
        return refuse_to_start;
      auto c = std::make_shared<fake_connection>();
      c->server = entry.name;
      c->owner = std::move(owner);
      c->generation = generation;
      c->refuses = never_read;
      connections.push_back(c);
      return std::shared_ptr<mcp::connection>{c};
    };
  }

  fake_connection& last() { return *connections.back(); }

  static json::array tools(std::vector<std::string> names) {
    json::array out;
    for (auto& n : names)
      out.push_back(
        json::object{{"name", n}, {"description", "does " + n}, {"inputSchema", json::object{{"type", "object"}}}});
    return out;
  }
  /// Answers what a handshake has asked so far; call it again after each settle().
  static void answer_handshake(fake_connection& c, std::vector<std::string> tool_names) {
    for (auto& request : c.take("initialize"))
      c.answer(request, json::object{{"protocolVersion", "2025-11-25"},
                                     {"capabilities", json::object{{"tools", json::object{}}}},
                                     {"serverInfo", json::object{{"name", "fake"}, {"version", "1"}}}});
    for (auto& request : c.take("tools/list"))
      c.answer(request, json::object{{"tools", tools(tool_names)}});
  }
};

inline msg::server_entry entry(std::string name) {
  msg::server_entry e;
  e.name = std::move(name);
  e.command = "fake";
  return e;
}

inline json::object text_result(std::string text) {
  json::array content;
  content.push_back(json::object{{"type", "text"}, {"text", text}});
  return {{"content", std::move(content)}};
}

} // namespace testing_support
