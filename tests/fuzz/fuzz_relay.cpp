// A client and a server on both sides of a relay that say anything, in any order and in any pair of eras: what is sent
// is JSON, no request is answered twice, and no client of 2026-07-28 is sent a request.
//
// The first byte says how both are connected. Then a line for each message, with its kind first, so that whole
// conversations are found: i initialize, l and m a request of either era ("mtools/call \"name\":\"t\""), a the answer
// to the last question, x gives the last request up, c any text; r and e the server's answer to the last request (R: to
// the handshake), q a question of it, s any text, X gives that up; ! what happens to connections and clocks.
#include "mcp/relay/relay.hpp"
#include "testing/fuzz.hpp"

#include <boost/json/serialize.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace {

namespace json = boost::json;
using mcp::relay::timer;

/// Of one input: what is said in one line is not to be most of all work.
constexpr size_t lines_max = 200;

constexpr std::string_view legacy_hello =
  R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},
  "resources":{"subscribe":true},"logging":{}},"serverInfo":{"name":"s","version":"2"}})";
constexpr std::string_view modern_hello = R"({"resultType":"complete","supportedVersions":["2026-07-28"],
  "capabilities":{"tools":{"listChanged":true},"logging":{}},"ttlMs":5,"cacheScope":"public"})";

json::object parsed(const msg::spliced_text& text) {
  auto document = msg::document::parse(text.text());
  fuzz::require(document.ok(), "sent what is no JSON");
  if (auto* batch = document.value.value().if_array())
    return {{"batch", *batch}};
  fuzz::require(document.value.value().is_object(), "sent what is no message");
  return document.value.value().get_object();
}

bool is_request(const json::object& message) { return message.contains("method") && message.contains("id"); }

/// Answers that may still come, by the text of the id.
class open_ids {
public:
  void asked(const json::value& id) { ++open_[json::serialize(id)]; }
  void answered(const json::value& id, const char* twice) {
    if (!id.is_null()) // of what is no request, or could not be read
      fuzz::require(open_[json::serialize(id)]-- > 0, twice);
  }

private:
  std::map<std::string, int> open_;
};

class recorded_connection final : public mcp::connection {
public:
  recorded_connection(bool is_http, bool is_full, open_ids& questions, std::optional<json::value>& last)
    : is_http_(is_http),
      is_full_(is_full),
      questions_(questions),
      last_(last) {}

  bool send(msg::spliced_text message, uint64_t, mcp::request_labels) override {
    auto said = parsed(message);
    if (is_full_ && ++sent_ % 7 == 0)
      return false;
    if (is_request(said))
      last_ = said.at("id");
    else if (said.contains("id"))
      questions_.answered(said.at("id"), "a question was answered twice");
    return true;
  }
  bool take_back(uint64_t) override { return is_http_; }
  std::chrono::milliseconds unread_for() override { return {}; }
  bool says_labels() const override { return is_http_; }
  mcp::masking mask() const override {
    return [](std::string text) { return text; };
  }
  void stop() override {}
  void kill() override {}

private:
  bool is_http_, is_full_;
  size_t sent_ = 0;
  open_ids& questions_;
  std::optional<json::value>& last_;
};

class conversation {
public:
  explicit conversation(uint8_t how)
    : is_http_(how & 1),
      is_full_(how & 2),
      waits_(how & 4),
      relay_("srv", how & 8 ? mcp::relay::clientele::several : mcp::relay::clientele::one, callbacks()) {}

  void line(std::string_view text) {
    auto kind = text.empty() ? '!' : text.front();
    text.remove_prefix(text.empty() ? 0 : 1);
    switch (kind) {
      case 'i':
        return ask_legacy("initialize", R"("protocolVersion":"2025-11-25","clientInfo":{"name":"c","version":"1"},
        "capabilities":)" + (text.empty() ? std::string{"{}"} : std::string{text}));
      case 'l': return ask_legacy(fuzz::piece(text, ' '), text);
      case 'm': return ask_modern(fuzz::piece(text, ' '), text);
      case 'a': return answer_question(text);
      case 'x':
        return client_says(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)"
                           + std::to_string(last_request_) + "}}");
      case 'c': return client_says(text);
      case 'R': return answer(R"("result":)" + std::string{text.starts_with('m') ? modern_hello : legacy_hello});
      case 'r': return answer(R"("result":)" + std::string{text});
      case 'e': return answer(R"("error":)" + std::string{text});
      case 'q': return server_asks(fuzz::piece(text, ' '), text);
      case 'X':
        return server_says(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"q)"
                           + std::to_string(last_question_) + "\"}}");
      case 's': return server_says(text);
      default: return happen(text);
    }
  }
  void end() {
    relay_.end_subscriptions();
    relay_.disconnected({msg::errc::server_died, "end"});
    relay_.cancel_stream(0);
    for (auto stream = stream_; stream > 0; --stream)
      relay_.cancel_stream(stream);
  }

private:
  mcp::relay::relay_callbacks callbacks() {
    mcp::relay::relay_callbacks c;
    c.send = [this](const mcp::outgoing& message) { sent_to_client(message); };
    c.now = [this] { return now_; };
    c.set_timer = [](timer, std::chrono::microseconds) {};
    c.connect = [this] {
      is_wanted_ = true;
      if (!waits_)
        connect();
    };
    c.over = [](const std::string&) {};
    c.retire = [] {};
    if (is_http_)
      c.said_headers = [](mcp::stream_number) { return nullptr; };
    return c;
  }
  void connect() {
    if (std::exchange(is_wanted_, false))
      relay_.connected(std::make_shared<recorded_connection>(is_http_, is_full_, questions_, asked_last_));
  }
  void sent_to_client(const mcp::outgoing& message) {
    if (message.text.text_bytes() == 0)
      return;
    auto said = parsed(message.text);
    if (auto* batch = said.if_contains("batch")) {
      for (auto& each : batch->get_array())
        one_to_client(each.get_object());
      return;
    }
    one_to_client(said);
  }
  void one_to_client(const json::object& said) {
    if (is_request(said)) {
      fuzz::require(has_shaken_hands_, "a client without a handshake was sent a request");
      question_ = said.at("id");
      return;
    }
    if (said.contains("method"))
      return;
    if (auto* id = said.if_contains("id"))
      requests_.answered(*id, "a request was answered twice");
    auto* result = said.if_contains("result");
    auto* fields = result ? result->if_object() : nullptr;
    if (auto* state = fields ? fields->if_contains("requestState") : nullptr)
      state_ = *state;
  }

  // ---- the client
  void client_says(std::string_view text) {
    auto message = msg::document::parse(text);
    if (!message.ok())
      return relay_.reject(mcp::rpc_error::parse_error, message.error.message, {});
    note(message.value.value());
    relay_.receive(message.value, is_http_ ? ++stream_ : 0);
  }
  void note(const json::value& said) {
    if (auto* batch = said.if_array())
      for (auto& each : *batch)
        note(each);
    auto* fields = said.if_object();
    if (fields && fields->contains("method"))
      has_shaken_hands_ |= fields->at("method") == json::value("initialize");
    if (fields && fields->contains("id"))
      requests_.asked(fields->at("id"));
  }
  void ask_legacy(std::string_view method, std::string_view params) {
    client_says(R"({"jsonrpc":"2.0","id":)" + std::to_string(++last_request_) + R"(,"method":")" + std::string{method}
                + R"(","params":{)" + std::string{params} + "}}");
  }
  void ask_modern(std::string_view method, std::string_view params) {
    call_ = std::string{method} + " " + std::string{params};
    client_says(R"({"jsonrpc":"2.0","id":)" + std::to_string(++last_request_) + R"(,"method":")" + std::string{method}
                + R"(","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                + R"("io.modelcontextprotocol/logLevel":"info",)"
                + R"("io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{},"url":{}},"sampling":{}}})"
                + (params.empty() ? "" : ",") + std::string{params} + "}}");
  }
  /// By a response, or by the same call with the state that came last.
  void answer_question(std::string_view result) {
    if (question_)
      return client_says(R"({"jsonrpc":"2.0","id":)" + json::serialize(*std::exchange(question_, {})) + R"(,"result":)"
                         + std::string{result} + "}");
    auto call = std::string_view{call_};
    auto method = std::string{fuzz::piece(call, ' ')}; // which ask_modern() writes over
    auto params = std::string{call};
    auto kept = call_;
    ask_modern(method, params + (params.empty() ? "" : ",") + R"("inputResponses":{"q1":)" + std::string{result}
                         + R"(},"requestState":)" + json::serialize(state_));
    call_ = std::move(kept);
  }

  // ---- the server
  void server_says(std::string_view text) {
    uint64_t during = 0;
    while (!text.empty() && text.front() >= '0' && text.front() <= '9' && during < 1'000) {
      during = during * 10 + static_cast<uint64_t>(text.front() - '0');
      text.remove_prefix(1);
    }
    auto message = msg::document::parse(text);
    if (!message.ok()) {
      relay_.server_broke(text, "broken");
      return;
    }
    auto* fields = message.value.value().if_object();
    if (fields && fields->contains("id"))
      questions_.asked(fields->at("id"));
    if (auto* batch = message.value.value().if_array())
      for (auto& each : *batch)
        if (auto* one = each.if_object(); one && one->contains("id"))
          questions_.asked(one->at("id"));
    relay_.server_says(message.value, during);
  }
  void answer(const std::string& with) {
    if (asked_last_)
      server_says(R"({"jsonrpc":"2.0","id":)" + json::serialize(*asked_last_) + "," + with + "}");
  }
  void server_asks(std::string_view method, std::string_view params) {
    server_says(R"({"jsonrpc":"2.0","id":"q)" + std::to_string(++last_question_) + R"(","method":")"
                + std::string{method} + R"(","params":{)" + std::string{params} + "}}");
  }

  // ---- time, and the end of connections
  void happen(std::string_view what) {
    static const std::map<char, timer> timers{{'p', timer::parked},    {'k', timer::parking},
                                              {'r', timer::rounds},    {'d', timer::discovery},
                                              {'h', timer::handshake}, {'l', timer::listening}};
    auto which = what.empty() ? 'k' : what.front();
    if (auto due = timers.find(which); due != timers.end())
      return relay_.expired(due->second);
    if (which == 't')
      now_ += std::chrono::minutes{3};
    else if (which == 'u')
      connect();
    else if (which == 'b')
      relay_.disconnected({msg::errc::server_died, "gone"});
    else if (which == 'g')
      relay_.cancel_stream(stream_);
    else if (which == 's')
      relay_.stop_server();
    else if (which == 'e')
      relay_.end_subscriptions();
  }

  bool is_http_, is_full_, waits_;
  bool is_wanted_ = false;        ///< the relay wants a connection
  bool has_shaken_hands_ = false; ///< the client
  std::chrono::steady_clock::time_point now_{std::chrono::hours{1}};
  mcp::stream_number stream_ = 0;
  uint64_t last_request_ = 0, last_question_ = 0;
  open_ids requests_;  ///< of the client
  open_ids questions_; ///< of the server
  std::optional<json::value> asked_last_, question_;
  json::value state_;
  std::string call_;
  mcp::relay::relay relay_;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0)
    return 0;
  auto rest = fuzz::text_of(data + 1, size - 1);
  auto both = std::make_unique<conversation>(data[0]);
  for (size_t lines = 0; !rest.empty() && lines < lines_max; ++lines)
    both->line(fuzz::piece(rest, '\n'));
  both->end();
  return 0;
}
