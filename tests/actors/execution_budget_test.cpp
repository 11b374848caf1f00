// What is held for one run is counted, and has a limit; work for it that fails is answered.
#include "tests/actors/execution_fixture.hpp"
#include "tests/actors/fake_guests.hpp"

#include <new>

using namespace execution_fakes;

struct execution_budget_test : execution_test {
  static constexpr size_t mebibyte = 1u << 20;

  void call_with(int id, size_t bytes) {
    frame(R"({"type":"request","id":)" + std::to_string(id)
          + R"(,"method":"call","params":{"server":"s","tool":"add","args":{"text":")" + std::string(bytes, 'x')
          + R"("}}})");
  }
  void answer_all(std::string_view envelope) {
    w->envelope = msg::document{json::parse(envelope)};
    self->send(connector, msg::running_atom::value, "s"s, true);
    settle();
  }
};

TEST_F(execution_budget_test, the_sandbox_knows_the_limit) {
  begin();
  EXPECT_EQ(w->held_bytes_max, limits::run_held_bytes_max);
}

TEST_F(execution_budget_test, open_calls_count_until_they_are_answered) {
  begin();
  w->answers_calls = false;
  call(1);
  EXPECT_TRUE(w->held.empty()) << "a small call is not worth a message";
  call_with(2, 3 * mebibyte);
  ASSERT_EQ(w->held.size(), 1u);
  EXPECT_GE(w->held.back(), 3 * mebibyte);
  EXPECT_LT(w->held.back(), 5 * mebibyte);
  answer_all(R"({"content":[]})");
  EXPECT_LT(w->held.back(), mebibyte);
}

TEST_F(execution_budget_test, what_is_displayed_counts_to_the_end) {
  begin();
  frame(R"({"type":"display","block":{"type":"text","text":")" + std::string(2 * mebibyte, 'x') + R"("}})");
  ASSERT_EQ(w->held.size(), 1u);
  EXPECT_GE(w->held.back(), 2 * mebibyte);
}

std::string image(size_t bytes, char of) {
  return R"({"type":"display","block":{"type":"image","mimeType":"image/png","data":")" + std::string(bytes, of)
         + R"("}})";
}

TEST_F(execution_budget_test, a_large_image_is_looked_at_elsewhere_and_the_next_frame_waits) {
  holds_work = true;
  begin();
  auto taken = send<bool>(w->listener, msg::frame_atom::value, msg::document{json::parse(image(mebibyte, 'A'))});
  settle();
  EXPECT_EQ(taken.count(), 0u);
  std::exchange(held, nullptr)();
  settle();
  EXPECT_EQ(taken.count(), 1u);
  frame(R"({"type":"display","block":{"type":"text","text":"after"}})");
  frame(R"({"type":"done"})");
  auto r = report.get();
  ASSERT_EQ(r.displayed.size(), 2u);
  EXPECT_EQ(r.displayed[0].mime_type, "image/png");
}

TEST_F(execution_budget_test, what_comes_during_the_look_keeps_its_order_and_so_does_the_end) {
  holds_work = true;
  begin();
  frame(image(mebibyte, 'A'));
  frame(R"({"type":"display","block":{"type":"text","text":"after"}})");
  auto taken =
    send<bool>(w->listener, msg::frame_atom::value, msg::document{json::parse(R"({"type":"done","result":7})")});
  settle(); // else the end overtakes it
  msg::guest_exit how;
  how.was_ready = true;
  caf::anon_send(w->listener, msg::exit_atom::value, how);
  settle();
  EXPECT_EQ(report.count(), 0u);
  EXPECT_EQ(taken.count(), 0u) << "its credit comes back when it was taken";
  std::exchange(held, nullptr)();
  settle();
  auto r = report.get();
  EXPECT_EQ(r.status, run_status::success);
  ASSERT_EQ(r.displayed.size(), 2u);
  EXPECT_EQ(r.displayed[1].value.value(), "after");
  EXPECT_EQ(taken.count(), 1u);
}

TEST_F(execution_budget_test, an_image_that_is_none_breaks_the_channel_however_large_it_is) {
  for (size_t bytes : {size_t{4}, mebibyte}) {
    begin();
    frame(image(bytes, '*'));
    EXPECT_EQ(report.get().error.code, errc::guest_protocol) << bytes;
  }
}

TEST_F(execution_budget_test, what_is_beyond_the_limit_of_display_is_not_looked_at) {
  begin();
  frame(image(limits::display_bytes_max, 'A'));
  frame(image(mebibyte, '*'));
  frame(R"({"type":"done"})");
  EXPECT_EQ(report.get().status, run_status::success);
  EXPECT_FALSE(held);
}

TEST_F(execution_budget_test, a_run_that_ends_during_the_look_lets_its_reader_go) {
  holds_work = true;
  begin();
  auto taken = send<bool>(w->listener, msg::frame_atom::value, msg::document{json::parse(image(mebibyte, 'A'))});
  settle();
  advance(5s);
  EXPECT_EQ(report.get().status, run_status::timeout);
  EXPECT_EQ(taken.count(), 1u);
}

TEST_F(execution_budget_test, made_up_names_do_not_count_for_much) {
  begin();
  for (int i = 1; i <= 900; ++i)
    frame(R"({"type":"request","id":)" + std::to_string(i) + R"(,"method":"call","params":{"name":"mcp__nobody__)"
          + std::string(800, 'x') + std::to_string(i) + R"(","args":{}}})");
  frame(R"({"type":"done"})");
  EXPECT_LE(report.get().tools.size(), limits::tools_counted_max + 1);
  EXPECT_LE(w->held.size(), 1u);
}

TEST_F(execution_budget_test, a_guest_that_is_ended_for_it_is_an_error_that_says_so) {
  begin();
  msg::guest_exit how;
  how.was_ready = true;
  how.cause = errc::limit_exceeded;
  how.problem = "was ended: the server held more than 256 MiB for this run, which is the limit (runs.maxHeldMb)";
  exit(how);
  EXPECT_EQ(report.get().status, run_status::error);
  EXPECT_EQ(report.get().error.code, errc::limit_exceeded);
  EXPECT_EQ(report.get().error.message, "the program's process " + how.problem);
}

TEST_F(execution_budget_test, a_result_that_can_not_be_unwrapped_is_answered) {
  begin();
  w->answers_calls = false;
  call(1);
  work_fails = {errc::limit_exceeded, "the server has no memory left for it (process.dataMb)"};
  answer_all(R"({"content":[{"type":"text","text":")" + std::string(2 * limits::json_inline_bytes_max, 'x')
             + R"("}]})");
  ASSERT_EQ(w->replies.size(), 1u);
  EXPECT_EQ(w->replies[0].second.error.code, errc::limit_exceeded);
}

TEST_F(execution_budget_test, a_program_that_can_not_be_checked_does_not_run) {
  code = std::string(1u << 17, ' ');
  work_fails = {errc::limit_exceeded, "the server has no memory left for it (process.dataMb)"};
  begin();
  EXPECT_TRUE(w->wishes.empty());
  EXPECT_EQ(report.get().error.code, errc::limit_exceeded);
  EXPECT_NE(report.get().error.message.find("dangerous patterns"), std::string::npos);
}

struct sandbox_budget_test : deterministic {
  fake_guests guests;
  msg::sandbox_actor guest;

  sandbox_budget_test() {
    actors::sandbox_options o;
    o.start = guests.factory();
    guest = sys.spawn(actors::sandbox_guest, std::move(o));
    settle();
  }
  ~sandbox_budget_test() override {
    self->send_exit(guest, caf::exit_reason::user_shutdown);
    guest = nullptr;
    settle();
    guests.all.clear();
  }
};

TEST_F(sandbox_budget_test, the_guest_is_told_the_limit_and_what_is_held_elsewhere) {
  self->send(guest, msg::run_atom::value, msg::guest_program{"1", false, 7, 1'000});
  settle();
  EXPECT_EQ(guests.last().held_max, 1'000u);
  EXPECT_EQ(guests.last().held_elsewhere, 0u);
  self->send(guest, msg::hold_atom::value, uint64_t{600});
  settle();
  EXPECT_EQ(guests.last().held_max, 1'000u);
  EXPECT_EQ(guests.last().held_elsewhere, 600u);
  self->send(guest, msg::run_atom::value, msg::guest_program{"2", false, 8, 2'000});
  settle();
  EXPECT_EQ(guests.last().held_max, 2'000u);
  EXPECT_EQ(guests.last().held_elsewhere, 0u) << "of the run before";
}
