// The queue in front of the catalog: every request is answered once, in order, also at the end; no tool list is lost.
#include "actors/catalog.hpp"

#include "tests/actors/deterministic.hpp"

using namespace std::literals;
using namespace testing_support;
using msg::catalog_operation;
using msg::errc;
using search_answer = msg::outcome<msg::catalog_found>;

struct catalog_actor_test : deterministic {
  struct piece_of_work {
    msg::catalog_request request;
    std::function<void(msg::catalog_answer)> done;
  };
  std::vector<piece_of_work> work; ///< given to the worker thread so far
  size_t finished = 0;
  msg::catalog_actor catalog = sys.spawn(actors::catalog, options());

  actors::catalog_options options() {
    actors::catalog_options o;
    o.carry_out = [this](msg::catalog_request r, std::function<void(msg::catalog_answer)> done) {
      work.push_back({std::move(r), std::move(done)});
    };
    o.requests_max = 3;
    o.save_delay = 2s;
    return o;
  }
  ~catalog_actor_test() override {
    if (catalog)
      self->send_exit(catalog, caf::exit_reason::user_shutdown);
    catalog = nullptr;
    settle();
    work.clear(); // it holds the actor until the worker is done
  }
  pending<search_answer> search(std::string text) {
    auto p = send<search_answer>(catalog, msg::search_atom::value, msg::tool_query{std::move(text), "", 0, {}});
    settle();
    return p;
  }
  static void tell(const msg::catalog_actor& to, std::string server, std::string tool) {
    msg::server_entry entry;
    entry.name = server;
    caf::anon_send(to, msg::tools_atom::value, std::move(entry),
                   msg::listed_tools{{std::move(server), std::move(tool), "", {}}});
  }
  void tell(std::string server, std::string tool) {
    tell(catalog, std::move(server), std::move(tool));
    settle();
  }
  void finish(msg::catalog_answer result = {}) {
    work.at(finished++).done(std::move(result));
    settle();
  }
  void finish_all() {
    while (finished < work.size())
      finish();
  }
};

TEST_F(catalog_actor_test, requests_are_carried_out_one_after_the_other) {
  tell("s", "a");
  auto a = search("a");
  ASSERT_EQ(work.size(), 1u);
  EXPECT_EQ(work[0].request.operation, catalog_operation::update);
  finish();
  ASSERT_EQ(work.size(), 2u) << "the question comes after what was told before it";
  msg::catalog_answer told;
  told.found.matches.total = 7;
  finish(told);
  EXPECT_EQ(a.get().value.matches.total, 7u);
}

TEST_F(catalog_actor_test, questions_are_answered_while_a_long_list_is_read) {
  msg::server_entry entry;
  entry.name = "s";
  auto told = send<msg::outcome<msg::reviewed_tools>>(catalog, msg::tools_atom::value, entry,
                                                      msg::listed_tools{{"s", "a", "", {}}});
  settle();
  msg::catalog_answer unfinished;
  unfinished.goes_on = true;
  finish(unfinished);
  ASSERT_EQ(work.size(), 2u) << "nothing else waits";
  EXPECT_EQ(work[1].request.tools->size(), 1u);
  auto p = search("a");
  finish(unfinished);
  ASSERT_EQ(work.size(), 3u);
  EXPECT_EQ(work[2].request.operation, catalog_operation::search);
  finish();
  EXPECT_TRUE(p.get().ok());
  EXPECT_EQ(told.count(), 0u);
  ASSERT_EQ(work.size(), 4u);
  EXPECT_EQ(work[3].request.entries.front().name, "s");
  finish();
  EXPECT_TRUE(told.get().ok());
}

TEST_F(catalog_actor_test, a_list_that_is_not_read_to_its_end_gives_way_to_a_newer_one) {
  using told = msg::outcome<msg::reviewed_tools>;
  msg::server_entry entry;
  entry.name = "s";
  auto first = send<told>(catalog, msg::tools_atom::value, entry, msg::listed_tools{{"s", "a", "", {}}});
  settle();
  auto second =
    send<told>(catalog, msg::tools_atom::value, entry, msg::listed_tools{{"s", "b", "", {}}, {"s", "c", "", {}}});
  settle();
  msg::catalog_answer unfinished;
  unfinished.goes_on = true;
  finish(unfinished);
  ASSERT_EQ(work.size(), 2u);
  EXPECT_EQ(work[1].request.tools->size(), 2u);
  finish(unfinished);
  ASSERT_EQ(work.size(), 3u) << "it alone goes on";
  EXPECT_EQ(work[2].request.tools->size(), 2u);
  finish();
  EXPECT_TRUE(first.get().ok());
  EXPECT_TRUE(second.get().ok());
}

TEST_F(catalog_actor_test, each_question_gets_its_part_of_the_answer) {
  auto servers = send<msg::outcome<msg::indexed_servers>>(catalog, msg::servers_atom::value, uint64_t{0});
  auto tool = send<msg::outcome<msg::tool_info>>(catalog, msg::resolve_atom::value, msg::tool_ref{"", "s", "t"},
                                                 msg::tool_filter{});
  auto shape = send<msg::outcome<msg::document>>(catalog, msg::observed_atom::value, msg::tool_ref{"", "s", "t"});
  settle();
  msg::catalog_answer told;
  told.servers = {{"s", {"t"}}};
  told.tool.name = "t";
  told.schema = msg::document{boost::json::value("schema")};
  for (int i = 0; i < 3; ++i)
    finish(told);
  EXPECT_EQ(servers.get().value.front().name, "s");
  EXPECT_EQ(tool.get().value.name, "t");
  EXPECT_EQ(work[1].request.server, "s");
  EXPECT_EQ(work[1].request.tool, "t");
  EXPECT_EQ(shape.get().value.text(), "\"schema\"");
}

TEST_F(catalog_actor_test, a_fault_is_the_answer) {
  auto tool = send<msg::outcome<msg::tool_info>>(catalog, msg::resolve_atom::value, msg::tool_ref{"", "s", "t"},
                                                 msg::tool_filter{});
  settle();
  msg::catalog_answer refused;
  refused.error = {errc::unknown_tool, "no"};
  finish(refused);
  EXPECT_EQ(tool.get().error.code, errc::unknown_tool);
}

TEST_F(catalog_actor_test, knows_why_the_last_search_could_not_be_carried_out) {
  auto search = [this](errc code) {
    auto found = send<msg::outcome<msg::catalog_found>>(catalog, msg::search_atom::value, msg::tool_query{});
    settle();
    msg::catalog_answer ended;
    ended.error = {code, code == errc::none ? "" : "the file is locked"};
    finish(ended);
  };
  auto problem = [this] { return ask<std::string>(catalog, msg::status_atom::value); };
  EXPECT_EQ(problem(), "");
  search(errc::internal);
  EXPECT_EQ(problem(), "the file is locked");
  search(errc::limit_exceeded);
  EXPECT_EQ(problem(), "") << "that is about the question";
  search(errc::internal);
  search(errc::none);
  EXPECT_EQ(problem(), "");
}

TEST_F(catalog_actor_test, what_a_run_has_asked_ends_with_it) {
  auto ask_for = [&](uint64_t run) {
    auto p = send<search_answer>(catalog, msg::search_atom::value, msg::tool_query{"a", "", 0, {}, run});
    settle();
    return p;
  };
  auto at_work = ask_for(7), waiting = ask_for(7), others = ask_for(8);
  self->send(catalog, msg::finish_atom::value, uint64_t{7});
  settle();
  EXPECT_TRUE(*work[0].request.is_over) << "whoever works on it sees that";
  EXPECT_EQ(at_work.count(), 0u);
  EXPECT_EQ(waiting.get().error.code, errc::cancelled);
  msg::catalog_answer ended;
  ended.error = {errc::cancelled, "the run has ended"};
  finish(ended);
  EXPECT_EQ(at_work.get().error.code, errc::cancelled);
  ASSERT_EQ(work.size(), 2u) << "what waited for nobody is not begun";
  EXPECT_EQ(work[1].request.query.run, 8u);
  EXPECT_FALSE(*work[1].request.is_over);
  finish();
  EXPECT_TRUE(others.get().ok());
}

TEST_F(catalog_actor_test, runs_take_turns) {
  auto ask_for = [&](uint64_t run) {
    auto p = send<search_answer>(catalog, msg::search_atom::value, msg::tool_query{"a", "", 0, {}, run});
    settle();
    return p;
  };
  auto first = ask_for(7), second = ask_for(7), other = ask_for(8);
  EXPECT_EQ(ask_for(7).get().error.code, errc::overloaded) << "half of what may wait is for others";
  finish();
  EXPECT_EQ(work.back().request.query.run, 8u) << "asked later, and had none";
  finish();
  finish();
  EXPECT_TRUE(first.get().ok() && second.get().ok() && other.get().ok());
}

TEST_F(catalog_actor_test, a_short_question_waits_for_one_turn_of_long_ones) {
  auto ask_for = [&](uint64_t run) {
    auto p = send<search_answer>(catalog, msg::search_atom::value, msg::tool_query{"a", "", 0, {}, run});
    settle();
    return p;
  };
  msg::catalog_answer unfinished;
  unfinished.goes_on = true;
  unfinished.so_far = std::make_shared<msg::catalog_progress>();
  auto take_turn = [&] {
    sched.clock().current_time += 10ms;
    finish(unfinished);
  };
  auto first = ask_for(7), second = ask_for(8);
  for (int turn = 0; turn < 4; ++turn)
    take_turn();
  EXPECT_EQ(work.back().request.so_far, unfinished.so_far) << "it goes on where it was";
  auto short_one = search("a");
  take_turn();
  EXPECT_EQ(work.back().request.query.run, 0u) << "ahead of the two that had 20 ms each";
  EXPECT_EQ(work.back().request.so_far, nullptr);
  finish();
  EXPECT_TRUE(short_one.get().ok());
  EXPECT_EQ(first.count() + second.count(), 0u);
  finish_all();
  EXPECT_TRUE(first.get().ok() && second.get().ok());
}

TEST_F(catalog_actor_test, what_was_told_before_is_saved) {
  auto at_work = search("a");
  tell("s", "1");
  tell("t", "2");
  auto p = send<bool>(catalog, msg::finish_atom::value);
  settle();
  msg::catalog_answer unfinished;
  unfinished.goes_on = true;
  finish();
  finish(unfinished);
  finish_all();
  ASSERT_EQ(work.size(), 5u);
  EXPECT_EQ(work.back().request.operation, catalog_operation::save);
  EXPECT_TRUE(p.get());
}

TEST_F(catalog_actor_test, another_configuration_comes_before_all_that_waits) {
  auto a = search("a"), b = search("b");
  self->send(catalog, msg::reload_atom::value, msg::server_entries{});
  settle();
  finish();
  EXPECT_EQ(work.back().request.operation, catalog_operation::reload);
  finish_all();
  EXPECT_EQ(a.count() + b.count(), 2u);
}

TEST_F(catalog_actor_test, only_so_many_questions_wait_and_no_list_is_refused) {
  auto a = search("a"), b = search("b"), c = search("c");
  EXPECT_EQ(search("d").get().error.code, errc::overloaded);
  tell("s", "1");
  tell("t", "2");
  tell("s", "3");
  self->send(catalog, msg::observe_atom::value, msg::tool_ref{"", "s", "t"}, msg::document{});
  settle();
  finish_all();
  ASSERT_EQ(work.size(), 5u) << "what was learned of a result is learned again";
  std::vector<std::string> lists;
  for (auto& piece : work)
    if (piece.request.operation == catalog_operation::update)
      lists.push_back(piece.request.tools->front().name);
  EXPECT_EQ(lists, (std::vector<std::string>{"3", "2"})) << "of two lists that wait the later counts";
  EXPECT_EQ(a.count() + b.count() + c.count(), 3u);
}

TEST_F(catalog_actor_test, a_list_at_work_is_not_replaced) {
  tell("s", "1");
  tell("s", "2");
  finish_all();
  ASSERT_EQ(work.size(), 2u);
  EXPECT_EQ(work[0].request.tools->front().name, "1");
  EXPECT_EQ(work[1].request.tools->front().name, "2");
}

TEST_F(catalog_actor_test, changes_are_written_together_after_a_while) {
  tell("s", "1");
  tell("t", "2");
  finish_all();
  EXPECT_EQ(work.size(), 2u);
  advance(2s);
  ASSERT_EQ(work.size(), 3u);
  EXPECT_EQ(work[2].request.operation, catalog_operation::save);
  finish_all();
  advance(1h);
  EXPECT_EQ(work.size(), 3u) << "once";
  tell("s", "3");
  finish_all();
  advance(2s);
  EXPECT_EQ(work.size(), 5u);
  finish_all();
}

TEST_F(catalog_actor_test, who_asks_for_it_hears_when_everything_is_written) {
  tell("s", "1");
  auto written = send<bool>(catalog, msg::finish_atom::value);
  settle();
  EXPECT_EQ(written.count(), 0u);
  finish_all();
  EXPECT_TRUE(written.get());
  auto failed = send<bool>(catalog, msg::finish_atom::value);
  settle();
  msg::catalog_answer full;
  full.error = {errc::internal, "the disk is full"};
  finish(full);
  EXPECT_FALSE(failed.get());
}

TEST_F(catalog_actor_test, the_end_answers_all_of_them_once) {
  auto a = search("a"), b = search("b");
  self->send_exit(catalog, caf::exit_reason::user_shutdown);
  settle();
  EXPECT_EQ(a.get().error.code, errc::shutting_down);
  EXPECT_EQ(b.get().error.code, errc::shutting_down);
  finish(); // the worker was in the middle of it
  EXPECT_EQ(a.count() + b.count(), 2u);
}

/// Any order of requests, lists, answers, time and the end: every request is answered exactly once.
TEST_F(catalog_actor_test, storm) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    rng.seed(seed);
    work.clear();
    finished = 0;
    auto stormy = sys.spawn(actors::catalog, options());
    std::vector<pending<search_answer>> asked;
    std::map<std::string, std::string> told;
    for (int step = 0; step < 40; ++step) {
      auto what = rng() % 6;
      if (what < 2)
        asked.push_back(send<search_answer>(stormy, msg::search_atom::value, msg::tool_query{}));
      else if (what == 2) {
        auto server = std::string(1, static_cast<char>('a' + rng() % 3));
        told[server] = std::to_string(step);
        tell(stormy, server, told[server]);
      } else if (what < 5 && finished < work.size())
        work[finished++].done({});
      else
        advance(1s);
      if (rng() % 4 == 0)
        settle_shuffled();
    }
    bool is_whole = seed % 2 == 0; // else it ends in the middle
    for (settle(); is_whole && finished < work.size(); settle())
      work[finished++].done({});
    std::map<std::string, std::string> known;
    for (auto& w : work)
      if (w.request.operation == catalog_operation::update)
        known[w.request.server] = w.request.tools->front().name;
    if (is_whole) {
      EXPECT_EQ(known, told) << "seed " << seed;
    }
    self->send_exit(stormy, caf::exit_reason::user_shutdown);
    stormy = nullptr;
    settle_shuffled();
    for (; finished < work.size(); ++finished)
      work[finished].done({});
    settle();
    for (auto& p : asked)
      ASSERT_EQ(p.count(), 1u) << "seed " << seed;
  }
}
