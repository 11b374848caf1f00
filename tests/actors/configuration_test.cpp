// When files that list servers are read again, and who hears of it.
#include "actors/configuration.hpp"

#include "tests/actors/deterministic.hpp"

using namespace std::literals;
using namespace testing_support;

namespace {

msg::server_entry listed(const std::string& name) {
  msg::server_entry e;
  e.name = name;
  e.command = "run-" + name;
  e.source = "/mcp.json";
  return e;
}

/// What the supervisor is told.
struct told_supervisor {
  std::vector<std::vector<std::string>> names;
  bool answers = true;
};

msg::supervisor_actor::behavior_type supervisor(msg::supervisor_actor::pointer self, told_supervisor* told) {
  return {
    [told](msg::reload_atom, const msg::server_entries& entries) -> caf::result<msg::server_changes> {
      auto& names = told->names.emplace_back();
      for (auto& e : entries)
        names.push_back(e.name);
      if (told->answers)
        return msg::server_changes{};
      return caf::sec::runtime_error;
    },
    [](msg::tick_atom, uint32_t) { ADD_FAILURE() << "is not started by this actor"; },
    [self](msg::stop_atom) {
      self->quit();
      return true;
    },
  };
}

} // namespace

struct configuration : deterministic {
  told_supervisor told;
  msg::supervisor_actor above = sys.spawn(supervisor, &told);
  msg::configuration_actor actor;

  ::config::server_list on_disk{{listed("a")}, {"/mcp.json"}, {}, {}, {}};
  ::config::server_list in_force = on_disk;
  uintmax_t size_on_disk = 1;
  std::vector<std::string> places{"/mcp.json"};
  std::vector<std::string> watched; ///< last
  int reads = 0, prepared = 0, watches = 0, stops = 0;
  bool can_be_watched = true;
  std::string unreadable; ///< not empty: reading throws it
  std::function<void(bool)> when_changed;
  std::vector<std::function<void()>> elsewhere; ///< not begun

  configuration() { start(); }
  ~configuration() override {
    caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
    caf::anon_send_exit(above, caf::exit_reason::user_shutdown);
    settle();
    EXPECT_GE(stops, 1) << "what watches files has to end with the actor";
    actor = nullptr;
    above = nullptr;
    when_changed = nullptr;
    elsewhere.clear();
    settle();
  }

  void start() {
    actors::configuration_options o;
    o.places = [this] { return places; };
    o.settings_file = "/settings.json";
    o.seen_at_start = {places, {stamp("/mcp.json")}};
    o.watch = [this] {
      return actors::file_watching{[this](const std::vector<std::string>& paths) {
                                     return [this, paths] {
                                       watched = paths;
                                       ++watches;
                                       return can_be_watched;
                                     };
                                   },
                                   [this](std::function<void(bool)> then) { when_changed = std::move(then); },
                                   [this] { ++stops; }};
    };
    o.stamp = [this](const std::string& path) { return stamp(path); };
    o.offload = [this](std::function<void()> work, std::function<void(msg::fault)> done) {
      elsewhere.push_back([this, work = std::move(work), done = std::move(done)] {
        if (unreadable.empty())
          work();
        done(unreadable.empty() ? msg::fault{} : msg::fault{msg::errc::internal, unreadable});
      });
    };
    o.read = [this](const ::config::server_list&) { return ++reads, on_disk; };
    o.in_force = [this]() -> const ::config::server_list& { return in_force; };
    o.prepare = [this](const ::config::server_list& now) { return ++prepared, now.entries; };
    o.set_in_force = [this](::config::server_list now) { in_force = std::move(now); };
    o.first_delay = 50ms;
    actor = sys.spawn(actors::configuration, std::move(o), above);
    settle();
  }
  process::file_stamp stamp(const std::string& path) const {
    return {.size = path == "/settings.json" ? 0 : size_on_disk};
  }

  void change(std::vector<msg::server_entry> entries) {
    on_disk.entries = std::move(entries);
    ++size_on_disk;
  }
  void tell_of_change(bool is_known = true) {
    ASSERT_TRUE(when_changed) << "waits for no change";
    std::exchange(when_changed, nullptr)(is_known);
    settle();
  }
  void work_elsewhere() {
    while (!elsewhere.empty())
      work_once();
  }
  void work_once() {
    for (auto& work : std::exchange(elsewhere, {}))
      work();
    settle();
  }
  /// Up to when it waits for a change.
  void begin() {
    advance(50ms);
    work_elsewhere();
    ASSERT_TRUE(when_changed);
  }
};

TEST_F(configuration, does_not_look_before_the_first_answers_and_reads_nothing_that_is_as_it_was) {
  EXPECT_TRUE(elsewhere.empty());
  advance(50ms);
  EXPECT_EQ(watches, 0) << "links of a project may take their time";
  work_elsewhere();
  EXPECT_EQ(watches, 1);
  EXPECT_EQ(watched, (std::vector<std::string>{"/mcp.json", "/settings.json"}));
  EXPECT_EQ(reads, 0);
}

TEST_F(configuration, reads_what_has_changed_since_the_start_without_being_told) {
  change({listed("a"), listed("b")});
  advance(50ms);
  work_elsewhere();
  EXPECT_EQ(told.names, (std::vector<std::vector<std::string>>{{"a", "b"}}));
  EXPECT_EQ(in_force.entries.size(), 2u);
  EXPECT_TRUE(when_changed) << "and goes on";
}

TEST_F(configuration, many_changes_in_short_order_are_read_once) {
  begin();
  change({listed("b")});
  tell_of_change();
  advance(199ms);
  EXPECT_TRUE(elsewhere.empty()) << "editors write in several steps";
  change({listed("c")});
  advance(1ms);
  work_elsewhere();
  EXPECT_EQ(reads, 1);
  EXPECT_EQ(told.names, (std::vector<std::vector<std::string>>{{"c"}}));
}

TEST_F(configuration, what_changes_while_it_is_read_is_read_again) {
  begin();
  change({listed("b")});
  tell_of_change();
  advance(200ms);
  work_once();
  ASSERT_EQ(elsewhere.size(), 1u) << "they are read";
  work_elsewhere();
  change({listed("c")});
  tell_of_change(); // the watch was made before the files were read, and has it
  advance(200ms);
  work_elsewhere();
  EXPECT_EQ(told.names, (std::vector<std::vector<std::string>>{{"b"}, {"c"}}));
}

TEST_F(configuration, the_same_servers_are_told_to_none_but_new_problems_are_kept) {
  begin();
  change({listed("a")});
  on_disk.problems = {"/other.json: broken"};
  tell_of_change();
  advance(200ms);
  work_elsewhere();
  EXPECT_EQ(reads, 1);
  EXPECT_TRUE(told.names.empty());
  EXPECT_EQ(prepared, 0);
  EXPECT_EQ(in_force.problems, on_disk.problems);
}

TEST_F(configuration, what_can_not_be_watched_is_looked_at_every_two_seconds) {
  can_be_watched = false;
  advance(50ms);
  work_elsewhere();
  EXPECT_FALSE(when_changed);
  advance(2s);
  work_elsewhere();
  EXPECT_EQ(reads, 0);
  change({});
  advance(2s);
  work_elsewhere();
  EXPECT_EQ(told.names, (std::vector<std::vector<std::string>>{{}})) << "nothing is allowed any more";
  can_be_watched = true;
  advance(2s);
  work_elsewhere();
  EXPECT_TRUE(when_changed);
}

TEST_F(configuration, a_watch_that_fails_is_replaced_by_looking) {
  begin();
  tell_of_change(false);
  change({listed("b")});
  advance(2s);
  work_elsewhere();
  EXPECT_EQ(told.names, (std::vector<std::vector<std::string>>{{"b"}}));
}

TEST_F(configuration, what_the_watch_does_not_hear_of_is_found_by_looking) {
  begin();
  change({listed("b")});
  advance(10s);
  work_elsewhere();
  EXPECT_EQ(told.names, (std::vector<std::vector<std::string>>{{"b"}}));
  change({listed("c")});
  tell_of_change(); // the first wait goes on
  advance(200ms);
  work_elsewhere();
  EXPECT_EQ(told.names.back(), std::vector<std::string>{"c"});
}

TEST_F(configuration, what_is_found_by_looking_is_watched_from_then_on) {
  begin();
  advance(10s);
  work_elsewhere();
  EXPECT_EQ(watches, 1) << "all is as it was";
  change({listed("b")}); // another folder behind a link, say
  places = {"/mcp.json", "/folder/new.json"};
  advance(10s);
  work_elsewhere();
  EXPECT_EQ(watches, 2);
  EXPECT_EQ(watched, (std::vector<std::string>{"/mcp.json", "/folder/new.json", "/settings.json"}));
  EXPECT_EQ(reads, 1);
}

TEST_F(configuration, a_file_that_has_come_to_a_folder_is_read_and_watched) {
  begin();
  places.emplace_back("/folder/new.json");
  tell_of_change();
  advance(200ms);
  work_elsewhere();
  EXPECT_EQ(watched.at(1), "/folder/new.json");
  EXPECT_EQ(reads, 1);
  places.pop_back();
  advance(10s);
  work_elsewhere();
  EXPECT_EQ(reads, 2) << "and one that has gone";
}

TEST_F(configuration, places_that_can_not_be_looked_at_are_looked_at_again) {
  unreadable = "no memory";
  advance(50ms);
  work_elsewhere();
  EXPECT_EQ(watches, 0);
  unreadable.clear();
  change({listed("b")});
  advance(2s);
  work_elsewhere();
  EXPECT_EQ(told.names, (std::vector<std::vector<std::string>>{{"b"}}));
  EXPECT_EQ(watches, 1);
}

TEST_F(configuration, a_change_that_is_told_while_files_are_read_is_read_afterwards) {
  begin();
  change({listed("b")});
  advance(10s); // found by looking
  work_once();
  ASSERT_EQ(elsewhere.size(), 1u);
  auto first = std::exchange(elsewhere, {});
  change({listed("c")});
  tell_of_change();
  advance(1s);
  EXPECT_TRUE(elsewhere.empty()) << "one reading at a time";
  for (auto& work : first)
    work();
  settle();
  advance(200ms);
  work_elsewhere();
  EXPECT_EQ(told.names.back(), std::vector<std::string>{"c"});
}

TEST_F(configuration, what_could_not_be_read_changes_nothing) {
  begin();
  change({});
  tell_of_change();
  advance(200ms);
  work_once();
  unreadable = "no memory";
  work_elsewhere();
  EXPECT_TRUE(told.names.empty());
  EXPECT_EQ(in_force.entries.size(), 1u);
  unreadable.clear();
  tell_of_change();
  advance(200ms);
  work_elsewhere();
  EXPECT_EQ(told.names, (std::vector<std::vector<std::string>>{{}}));
}

TEST_F(configuration, a_supervisor_that_has_no_connector_has_it_for_the_next_one) {
  told.answers = false;
  begin();
  change({listed("b")});
  tell_of_change();
  advance(200ms);
  work_elsewhere();
  EXPECT_EQ(in_force.entries.front().name, "b");
  EXPECT_TRUE(when_changed) << "and goes on";
}

TEST_F(configuration, one_that_dies_while_it_reads_leaves_the_change_to_the_next) {
  begin();
  change({listed("b")});
  tell_of_change();
  advance(200ms);
  work_once();
  caf::anon_send_exit(actor, caf::exit_reason::kill);
  settle();
  work_elsewhere(); // comes too late for it
  EXPECT_TRUE(told.names.empty());
  --size_on_disk; // as the options remember it: the stamps of the start of the process
  start();
  ++size_on_disk;
  advance(50ms);
  work_elsewhere();
  EXPECT_EQ(told.names, (std::vector<std::vector<std::string>>{{"b"}}));
}
