// Every message crosses a wire unchanged: sandboxes will run on other machines.
#include "messages/actors.hpp"
#include "messages/artifacts.hpp"
#include "messages/document.hpp"
#include "messages/guest.hpp"
#include "messages/memory.hpp"
#include "messages/run.hpp"
#include "messages/servers.hpp"
#include "messages/tool_call.hpp"
#include "tests/unit/support/values.hpp"

#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>
#include <gtest/gtest.h>

namespace messages_inspect_test {

using test::doc;

// ---- equality of messages: all fields, documents by text ---------------------------------------

template <class T>
bool same(T& a, T& b);

bool same_list(const msg::tool_list& a, const msg::tool_list& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](msg::tool_info one, msg::tool_info other) { return same(one, other); });
}

template <class T>
bool same_value(T& a, T& b) {
  if constexpr (std::is_same_v<T, msg::document>)
    return a.text() == b.text();
  else if constexpr (std::is_same_v<T, msg::listed_tools>)
    return same_list(*a, *b);
  else if constexpr (msg::has_fields<T>)
    return same(a, b);
  else
    return a == b;
}

template <class T>
bool same_value(std::vector<T>& a, std::vector<T>& b) {
  if (a.size() != b.size())
    return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (!same_value(a[i], b[i]))
      return false;
  return true;
}

template <class T>
bool same(T& a, T& b) {
  auto left = a.fields(), right = b.fields();
  return [&]<size_t... I>(std::index_sequence<I...>) {
    return (same_value(std::get<I>(left), std::get<I>(right)) && ...);
  }(std::make_index_sequence<std::tuple_size_v<decltype(left)>>{});
}

template <class T>
void expect_round_trip(T original) {
  std::vector<char> wire;
  caf::binary_serializer out{nullptr, wire};
  ASSERT_FALSE(out(original)) << typeid(T).name();
  T copy{};
  caf::binary_deserializer in{nullptr, wire};
  ASSERT_FALSE(in(copy)) << typeid(T).name();
  EXPECT_EQ(in.remaining(), 0u) << typeid(T).name();
  EXPECT_TRUE(same_value(original, copy)) << typeid(T).name();
  T other{};
  EXPECT_FALSE(same_value(original, other)) << typeid(T).name() << ": this test compares nothing";
}

msg::fault some_fault() {
  msg::fault f{msg::errc::server_unavailable, "it failed\0 a moment ago é"};
  f.server = "fs";
  f.tool = "read";
  f.suggestions = {"reed", "", "ré"};
  f.retry_after_ms = 4'000'000'000;
  return f;
}

msg::tool_info some_tool() {
  return {"my server", "read-file", "Reads.\n", doc(R"({"name":"read-file","inputSchema":{"type":"object"}})")};
}

msg::captured_text some_text(const std::string& head) {
  msg::captured_text t;
  t.head = head + std::string("\0\xff", 2); // what a guest prints is bytes
  t.tail = "tail";
  t.dropped_bytes = 1ull << 40;
  return t;
}

TEST(messages, a_document_keeps_its_value) {
  for (auto* text : {"null", "[]", R"({"a":[1,2.5,"é\u0000",null,true,{"b":{}}]})"}) {
    auto original = doc(text);
    std::vector<char> wire;
    caf::binary_serializer out{nullptr, wire};
    ASSERT_FALSE(out(original));
    msg::document copy;
    caf::binary_deserializer in{nullptr, wire};
    ASSERT_FALSE(in(copy));
    EXPECT_EQ(copy.text(), original.text());
  }
}

TEST(messages, a_document_that_is_no_json_is_an_error) {
  std::string broken = "{\"a\":";
  std::vector<char> wire;
  caf::binary_serializer out{nullptr, wire};
  ASSERT_FALSE(out(broken));
  msg::document copy;
  caf::binary_deserializer in{nullptr, wire};
  EXPECT_TRUE(in(copy)) << "it became " << copy.text();
}

TEST(messages, of_tools_and_calls_round_trip) {
  expect_round_trip(some_fault());
  expect_round_trip(msg::tool_ref{"mcp__a__b", "a", "b"});
  expect_round_trip(some_tool());
  expect_round_trip(msg::tool_list{some_tool(), some_tool()});
  expect_round_trip(msg::listed_tools{some_tool(), some_tool()});
  expect_round_trip(msg::call_key{UINT64_MAX, 2});
  expect_round_trip(msg::tool_call{{1, 2}, "a", "b", doc(R"({"x":[1]})"), true});
  expect_round_trip(msg::tool_progress{{1, 2}, 0.5, 1e300, "half"});
  expect_round_trip(msg::server_log{{1, 2}, false, msg::log_level::emergency, "kid/é", doc(R"({"x":[1]})")});
  expect_round_trip(msg::call_asker{3, {.samples = true}, {msg::log_level::notice, true}});
  expect_round_trip(msg::tool_filter{false, {"mcp__*", "*"}});
  expect_round_trip(msg::tool_query{"text", "server", 10, {false, {"*"}}});
  expect_round_trip(
    msg::tool_matches{{some_tool()}, 7, {"a"}, {"b", "c"}, {some_fault()}, {{"d", "e"}}, msg::search_fit::poor});
}

TEST(messages, of_runs_round_trip) {
  expect_round_trip(
    msg::run_request{1, 2, msg::language::python, "print('é')\0", 30'000, {false, {"*"}}, {}, "notes", true, true});
  expect_round_trip(msg::program_error{msg::errc::tool_failed, "TypeError", "x is not a function", 3, 5, "at line 3"});
  expect_round_trip(msg::tool_stats{"mcp__a__b", 3, 2, 1, 1'000'000'000'000, "no"});
  expect_round_trip(some_text("head"));
  msg::run_report report;
  report.status = msg::run_status::cancelled;
  report.has_result = true;
  report.result = doc("[1,{\"a\":2}]");
  report.error = {msg::errc::internal, "n", "m", 1, 2, "s"};
  report.output = some_text("out");
  report.diagnostics = some_text("err");
  report.exit_code = -9;
  report.duration_us = 123;
  report.tools = {{"mcp__a__b", 3, 2, 1, 10, "no"}};
  expect_round_trip(report);
  expect_round_trip(msg::run_progress{1, 2, 3, "going on"});
}

TEST(messages, of_guests_and_servers_round_trip) {
  expect_round_trip(
    msg::guest_exit{true, -11, "broken frame", msg::errc::guest_protocol, true, true, true, true, true, 512});
  expect_round_trip(msg::guest_output{some_text("a"), some_text("b")});
  expect_round_trip(
    msg::memory_request{msg::memory_operation::tool_save, "k", doc("[1]"), doc("{}"), true, 5, "def k(): pass", "d"});
  expect_round_trip(msg::catalog_request{
    msg::catalog_operation::observe, "s", "t", {some_tool()}, {"q", "s", 3, {}}, {false, {"*"}}, doc("[1]")});
  msg::catalog_answer answer;
  answer.error = some_fault();
  answer.found = {{{some_tool()}, 1, {}, {}, {}, {}, {}}, {"a"}};
  answer.reviewed = {{some_tool()}, 2};
  answer.tool = some_tool();
  answer.servers = {{"s", {"t"}, {"t"}}};
  answer.schema = doc("{}");
  expect_round_trip(answer);
  msg::server_entry entry;
  entry.name = "n";
  entry.command = "c";
  entry.args = {"a", ""};
  entry.env = entry.headers = {{"K", "V"}};
  entry.transport = msg::transport_kind::sse;
  entry.syntax = msg::variable_syntax::gemini;
  entry.disabled = entry.eager = true;
  entry.trust = msg::trust_level::changed;
  entry.unusable = "no command";
  entry.shadows = {"/g.json"};
  entry.tools = {false, {"a*"}, {"b"}};
  entry.rate = {3, 1'000};
  expect_round_trip(entry);
  expect_round_trip(msg::server_changes{{"a"}, {"b"}, {"c", "d"}});
  expect_round_trip(msg::rate_claims{{"bucket", {1, 2}, "whose", "key"}});
  expect_round_trip(
    msg::server_status{"n", msg::server_state::backing_off, 1, {"t"}, 2, 3, "e", true, "/f.json", {"/g.json"}});
  expect_round_trip(
    msg::server_list{{"n", msg::server_state::ready, 1, {"t"}, 2, 3, "e", true, "/f.json", {"/g.json"}}});
  expect_round_trip(msg::admission_status{1, 2, 1ull << 60});
  expect_round_trip(msg::login_request{7, "s", {3, {.opens_urls = true}}});
  expect_round_trip(msg::login_page{"https://a/authorize?state=x", "Log in"});
}

TEST(messages, of_the_record_and_health_round_trip) {
  msg::audit_event event;
  event.kind = msg::audit_kind::refusal;
  event.run = 7;
  event.arguments = doc("{}");
  event.tools_called = {"a", "b"};
  event.success = false;
  expect_round_trip(event);
  expect_round_trip(msg::audit_status{true, "/logs", 1, 2, 3, "full", {1, 2, 3, 4, 5, 6, 7, 8, 9}});
  msg::health_report health;
  health.uptime_ms = 1;
  health.machine = {1, 2, 9, 3, "/state", 4, 5};
  health.silent = {"connector"};
  health.start.config_files = {"/a.json"};
  expect_round_trip(health);
  expect_round_trip(msg::trace_context{"4b", 7, 0, "a=1", "b=2"});
}

TEST(messages, of_outputs_round_trip) {
  msg::large_artifact large{"out_abcdefghij", msg::artifact_part::display, 3, some_text("out"), doc("[1]")};
  expect_round_trip(large);
  expect_round_trip(msg::kept_artifact{"out_abcdefghij", msg::artifact_part::result, 1, 2, true, 3});
  expect_round_trip(msg::artifact_query{"out_abcdefghij", "items[3]", 1, 2});
  expect_round_trip(msg::artifact_request{msg::artifact_operation::keep, {large}, {"h", "p", 1, 2}});
  expect_round_trip(msg::artifact_answer{{{"h", msg::artifact_part::result, 1, 2, true, 3}}, doc("[1]")});
}

TEST(messages, outcomes_keep_value_and_fault) {
  expect_round_trip(msg::outcome<msg::document>{doc("{\"a\":1}")});
  expect_round_trip(msg::outcome<msg::document>{some_fault()});
  expect_round_trip(msg::outcome<msg::tool_list>{msg::tool_list{some_tool()}});
  expect_round_trip(msg::outcome<msg::tool_info>{some_tool()});
  expect_round_trip(msg::outcome<msg::tool_matches>{msg::tool_matches{{some_tool()}, 7, {}, {}, {}}});
}

TEST(messages, broken_bytes_are_an_error_and_no_crash) {
  std::vector<char> wire;
  caf::binary_serializer out{nullptr, wire};
  auto original = some_tool();
  ASSERT_FALSE(out(original));
  for (size_t n = 0; n < wire.size(); ++n) {
    msg::tool_info copy;
    caf::binary_deserializer in{nullptr, wire.data(), n};
    EXPECT_TRUE(in(copy)) << "cut at " << n;
  }
}

TEST(errors, every_code_has_a_name_of_its_own) {
  std::set<std::string_view> names;
  for (int c = 0; c <= static_cast<int>(msg::errc::internal); ++c) {
    auto name = to_string(static_cast<msg::errc>(c));
    EXPECT_FALSE(name.empty());
    EXPECT_TRUE(names.insert(name).second) << name;
  }
}

TEST(errors, an_outcome_is_ok_without_a_fault) {
  EXPECT_TRUE(msg::outcome<int>{1}.ok());
  EXPECT_TRUE(msg::outcome<int>{}.ok());
  EXPECT_FALSE((msg::outcome<int>{msg::fault{msg::errc::internal, "x"}}.ok()));
  auto f = msg::fault{msg::errc::tool_failed, "no"}.at("s", "t");
  EXPECT_EQ(f.server + "/" + f.tool + "/" + f.message, "s/t/no");
}

} // namespace messages_inspect_test
