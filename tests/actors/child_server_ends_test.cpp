// Calls of one server whose run is over: what waits is never sent, and what was sent keeps its slot for a while.
#include "tests/actors/child_server_fixture.hpp"

using namespace std::literals;
using namespace testing_support;
using msg::errc;

namespace {

constexpr auto slot_is_kept = 5s;

} // namespace

struct child_server_ends : child_server_test {
  std::vector<pending<call_result>> calls;

  void serve_at_once(uint32_t calls_at_once) {
    auto o = options();
    o.limits.calls_at_once = calls_at_once;
    serve(entry("kid"), o);
    start();
  }
  void make(int number, uint64_t run) {
    for (int i = 0; i < number; ++i)
      calls.push_back(call("echo", run));
  }
  void end_run(uint64_t run) {
    self->send(server, msg::finish_atom::value, run);
    settle();
  }
  std::vector<json::object> sent() { return servers.last().take("tools/call"); }
  size_t unsent_of(uint64_t run) {
    auto how = send<msg::server_start>(server, msg::phase_atom::value, run);
    settle();
    return how.get().unsent;
  }
  msg::server_start when_started() {
    auto how = send<msg::server_start>(server, msg::phase_atom::value, uint64_t{1});
    settle();
    return how.get();
  }
  size_t told_cancelled() { return servers.last().take("notifications/cancelled").size(); }
};

TEST_F(child_server_ends, nothing_of_a_run_is_sent_after_its_end) {
  serve_at_once(2);
  make(50, 1);
  EXPECT_EQ(sent().size(), 2u);
  EXPECT_EQ(unsent_of(1), 48u);
  EXPECT_EQ(unsent_of(2), 0u);
  end_run(1);
  EXPECT_EQ(told_cancelled(), 2u);
  advance(1min);
  EXPECT_EQ(sent().size(), 0u);
  for (size_t i = 0; i < calls.size(); ++i) {
    EXPECT_EQ(calls[i].get().error.code, errc::cancelled);
    EXPECT_EQ(calls[i].get().error.message, i < 2 ? msg::run_ended_unanswered : msg::run_ended_unsent);
  }
  EXPECT_EQ(status().calls_in_flight, 0u);
}

TEST_F(child_server_ends, calls_of_other_runs_keep_their_turns) {
  serve_at_once(1);
  make(1, 9);
  for (int i = 0; i < 3; ++i)
    for (auto run : {1, 2, 3})
      make(1, static_cast<uint64_t>(run));
  end_run(2);
  std::string order;
  for (int i = 0; i < 8; ++i) {
    for (auto& request : sent())
      servers.last().answer(request, text_result("ok"));
    settle();
    for (size_t c = 1; c < calls.size(); ++c)
      if (calls[c].count() > 0 && calls[c].get().ok() && order.find(static_cast<char>('0' + c)) == order.npos)
        order += static_cast<char>('0' + c);
  }
  EXPECT_EQ(order, "134679") << "runs 1 and 3 in turn";
}

TEST_F(child_server_ends, what_waits_for_a_start_or_a_back_off_is_dropped) {
  make(3, 1);
  make(1, 2);
  end_run(1);
  EXPECT_EQ(calls[0].get().error.message, msg::run_ended_unsent);
  finish_handshake();
  EXPECT_EQ(sent().size(), 1u);
  die();
  auto patient = make_call("echo");
  patient.patience_ms = 60'000;
  auto waits = send<call_result>(server, msg::call_atom::value, patient);
  settle();
  EXPECT_EQ(waits.count(), 0u);
  end_run(1);
  EXPECT_EQ(waits.get().error.message, msg::run_ended_unsent);
  advance(1min);
  EXPECT_EQ(servers.connections.size(), 1u) << "nobody needs it";
}

TEST_F(child_server_ends, what_is_with_the_worker_is_dropped) {
  put_off worker;
  auto o = options();
  o.offload = worker;
  serve(entry("kid"), o);
  start();
  auto large = make_call("echo");
  large.arguments = msg::document{json::object{{"more", std::string(msg::limits::json_inline_bytes_max, 'x')}}};
  list_again(R"([{"name": "echo", "inputSchema": {"properties": {"text": {"type": "string"}}}}])");
  auto checked = send<call_result>(server, msg::call_atom::value, large);
  settle();
  end_run(1);
  EXPECT_EQ(checked.get().error.message, msg::run_ended_unsent);
  worker.carry_out();
  settle();
  EXPECT_EQ(sent().size(), 0u);
}

TEST_F(child_server_ends, a_call_that_was_sent_keeps_its_slot_until_the_server_answers) {
  serve_at_once(4);
  make(2, 1);
  auto requests = sent();
  end_run(1);
  make(4, 2);
  EXPECT_EQ(sent().size(), 2u) << "the server works on two others";
  servers.last().answer(requests.at(1), text_result("late"));
  settle();
  EXPECT_EQ(sent().size(), 1u);
  servers.last().say(json::object{{"jsonrpc", "2.0"},
                                  {"id", requests.at(0).at("id")},
                                  {"error", json::object{{"code", 0}, {"message", "cancelled"}}}});
  settle();
  EXPECT_EQ(sent().size(), 1u);
}

TEST_F(child_server_ends, half_of_the_slots_and_the_last_one_are_not_kept) {
  for (auto [slots, free] : {std::pair{1u, 1u}, std::pair{2u, 1u}, std::pair{5u, 3u}}) {
    serve_at_once(slots);
    make(slots, 1);
    EXPECT_EQ(sent().size(), slots);
    end_run(1);
    make(slots, 2);
    EXPECT_EQ(sent().size(), free) << slots;
  }
}

TEST_F(child_server_ends, a_server_that_answers_no_cancelled_call_does_not_lock_itself_up) {
  serve_at_once(4);
  make(1, 1);
  advance(1s);
  make(1, 1);
  auto requests = sent();
  end_run(1);
  advance(1s);
  make(4, 2);
  EXPECT_EQ(sent().size(), 2u);
  advance(slot_is_kept - 1s);
  EXPECT_EQ(sent().size(), 2u);
  servers.last().answer(requests.at(0), text_result("too late"));
  settle();
  make(1, 2);
  EXPECT_EQ(sent().size(), 0u) << "its slot was given back already";
}

TEST_F(child_server_ends, slots_are_kept_one_by_one) {
  serve_at_once(4);
  make(1, 1);
  make(1, 2);
  (void)sent();
  end_run(1);
  advance(2s);
  end_run(2);
  make(4, 3);
  EXPECT_EQ(sent().size(), 2u);
  advance(slot_is_kept - 2s);
  EXPECT_EQ(sent().size(), 1u);
  advance(2s);
  EXPECT_EQ(sent().size(), 1u);
}

TEST_F(child_server_ends, a_call_that_took_too_long_keeps_its_slot_too) {
  auto e = entry("kid");
  e.call_timeout_ms = 1'000;
  e.calls_max = 2;
  serve(e, options());
  start();
  make(4, 1);
  EXPECT_EQ(sent().size(), 2u);
  advance(1s);
  EXPECT_EQ(calls[0].get().error.code, errc::call_timeout);
  EXPECT_EQ(sent().size(), 1u);
  advance(1s);
  EXPECT_EQ(calls[2].get().error.code, errc::call_timeout) << "its time begins when it is sent";
}

TEST_F(child_server_ends, a_new_process_has_all_slots) {
  serve_at_once(2);
  make(2, 1);
  end_run(1);
  die();
  advance(msg::limits::child_backoff_max);
  start();
  make(2, 2);
  EXPECT_EQ(sent().size(), 2u);
}

TEST_F(child_server_ends, what_the_server_has_not_begun_to_read_is_taken_back) {
  serve_at_once(4);
  make(1, 1);
  servers.last().reads = false;
  make(3, 1);
  make(5, 2);
  EXPECT_EQ(servers.last().unread.size(), 3u);
  end_run(1);
  EXPECT_EQ(told_cancelled(), 1u) << "of the one that it has got";
  EXPECT_EQ(calls[0].get().error.message, msg::run_ended_unanswered);
  EXPECT_EQ(calls[1].get().error.message, msg::run_ended_unsent);
  EXPECT_EQ(servers.last().unread.size(), 3u) << "their slots are free at once";
  end_run(2);
  EXPECT_EQ(servers.last().unread.size(), 0u);
}

TEST_F(child_server_ends, a_late_call_says_that_the_server_does_not_read) {
  auto e = entry("kid");
  e.call_timeout_ms = 1'000;
  serve(e, options());
  start();
  make(1, 1);
  servers.last().unread_since = 400ms;
  EXPECT_EQ(when_started().unread_ms, 0u) << "any server reads a little later";
  servers.last().unread_since = 900ms;
  EXPECT_EQ(when_started().unread_ms, 900u);
  advance(1s);
  auto message = calls[0].get().error.message;
  EXPECT_NE(message.find("; the server has not read its requests for 0.9 s"), std::string::npos) << message;
}
