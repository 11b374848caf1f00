#include "actors/run/guest_requests.hpp"

#include "messages/limits.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <gtest/gtest.h>

#include <deque>
#include <map>

namespace actors_run_guest_requests_test {

using namespace actors::run;
using msg::errc;

struct guest_requests_test : testing::Test {
  // What they hold is called while more is put behind it.
  std::deque<std::function<void(msg::outcome<msg::tool_matches>)>> searches;
  std::deque<std::function<void(msg::outcome<msg::tool_info>)>> descriptions;
  std::deque<std::function<void(msg::outcome<std::vector<msg::server_status>>)>> server_lists;
  std::deque<std::function<void(msg::outcome<msg::document>)>> memories, questions, pieces;
  std::deque<std::function<void(msg::outcome<msg::artifact_answer>)>> outputs;
  std::shared_ptr<resilience::shared_turns> turns = std::make_shared<resilience::shared_turns>(3);
  std::vector<uint64_t> left;
  std::function<void()> work;
  msg::fault no_models;
  bool is_sampling = false;
  std::vector<uint64_t> told;
  std::map<uint64_t, msg::outcome<msg::document>> answers;
  held_bytes held{[this](uint64_t bytes) { told.push_back(bytes); }};
  open_requests open{held,
                     [this](uint64_t id, msg::outcome<msg::document> answer) { answers[id] = std::move(answer); }};
  notes lines;
  guest_requests requests{open, lines, routes()};

  request_routes routes() {
    request_routes to;
    to.enter_large = [this](auto begin) { return turns->enter(1, begin); };
    to.search = [this](const msg::tool_query&, auto then) { searches.push_back(then); };
    to.describe = [this](const msg::tool_ref&, auto then) { descriptions.push_back(then); };
    to.list_servers = [this](auto then) { server_lists.push_back(then); };
    to.remember = [this](const msg::memory_request&, auto then) { memories.push_back(then); };
    to.read_output = [this](const msg::artifact_query&, auto then) { outputs.push_back(then); };
    to.begin_sampling = [this] {
      is_sampling = is_sampling || no_models.code == errc::none;
      return no_models;
    };
    to.is_sampling = [this] { return is_sampling; };
    to.ask_model = [this](const msg::sample_request&, auto then) { questions.push_back(then); };
    to.next_piece = [this](uint64_t, auto then) { pieces.push_back(then); };
    to.leave_stream = [this](uint64_t stream) { left.push_back(stream); };
    to.elsewhere = [this](auto make, auto then) { work = [make, then] { then(make()); }; };
    return to;
  }
  static proxy::guest_search search(uint64_t id) {
    proxy::guest_search s;
    s.id = id;
    s.query.text = "x";
    s.query.limit = 10;
    return s;
  }
  static proxy::guest_sample sample(uint64_t id, size_t bytes) {
    proxy::guest_sample s;
    s.id = id;
    s.request.system = std::string(bytes, 'x');
    return s;
  }
};

TEST_F(guest_requests_test, lists_of_all_wait_for_those_of_all_runs) {
  auto all = [](uint64_t id) {
    auto s = search(id);
    s.query.limit = 0;
    return s;
  };
  requests.take(all(1));
  requests.take(all(2));
  requests.take(all(3));
  ASSERT_EQ(searches.size(), 2u) << "one client has half of the places";
  requests.take(search(4));
  EXPECT_EQ(searches.size(), 3u) << "what is small does not wait";
  searches[0](msg::tool_matches{});
  EXPECT_TRUE(answers.contains(1));
  EXPECT_EQ(searches.size(), 4u);
  requests.stop();
  auto turn = turns->enter(1, [this] { left.push_back(1); });
  EXPECT_EQ(left.size(), 1u) << "a run that has ended leaves its places";
}

TEST_F(guest_requests_test, what_is_found_is_held_until_it_is_described) {
  requests.take(search(1));
  msg::tool_matches found;
  found.tools.resize(1'000);
  for (auto& tool : found.tools)
    tool.description = std::string(10'000, 'x');
  searches[0](std::move(found));
  ASSERT_FALSE(told.empty());
  EXPECT_GE(told.back(), 10'000'000u);
  work();
  EXPECT_LT(told.back(), 1'000'000u);
}

TEST_F(guest_requests_test, searches_take_turns) {
  for (uint64_t id = 1; id <= 20; ++id)
    requests.take(search(id));
  EXPECT_EQ(searches.size(), guest_requests::searches_at_once_max);
  searches[0](msg::tool_matches{});
  EXPECT_EQ(searches.size(), guest_requests::searches_at_once_max + 1);
  EXPECT_EQ(answers.size(), 1u);
  requests.stop();
  searches[1](msg::tool_matches{});
  EXPECT_EQ(searches.size(), guest_requests::searches_at_once_max + 1) << "what was not begun is not asked any more";
}

TEST_F(guest_requests_test, many_tools_are_described_on_another_thread_in_the_same_turn) {
  for (uint64_t id = 1; id <= guest_requests::searches_at_once_max + 1; ++id)
    requests.take(search(id));
  msg::tool_matches found;
  found.tools.resize(guest_requests::described_at_once_max + 1);
  searches[0](found);
  EXPECT_TRUE(answers.empty());
  EXPECT_EQ(searches.size(), guest_requests::searches_at_once_max);
  work();
  EXPECT_EQ(answers.at(1).value.value().as_array().size(), guest_requests::described_at_once_max + 1);
  EXPECT_EQ(searches.size(), guest_requests::searches_at_once_max + 1);
}

TEST_F(guest_requests_test, a_search_that_finds_nothing_because_a_server_failed_fails) {
  requests.take(search(1));
  msg::tool_matches found;
  found.failures = {{errc::server_start_failed, "why"}};
  searches[0](found);
  EXPECT_EQ(answers.at(1).error.message, "why");
}

TEST_F(guest_requests_test, a_search_says_that_there_may_be_more_than_it_has_found) {
  requests.take(search(1));
  msg::tool_matches found;
  found.tools.resize(1);
  found.failures = {{errc::server_start_failed, "why"}};
  searches[0](found);
  EXPECT_TRUE(answers.at(1).ok());
  msg::captured_text printed;
  EXPECT_EQ(std::move(lines).append_to(printed), "why\n");
}

TEST_F(guest_requests_test, a_large_definition_is_described_on_another_thread) {
  proxy::guest_schema asked;
  asked.id = 1;
  requests.take(asked);
  asked.id = 2;
  requests.take(asked);
  descriptions[0](msg::tool_info{});
  EXPECT_TRUE(answers.at(1).ok());
  msg::tool_info large;
  boost::json::object definition{{"name", "t"}, {"description", std::string(msg::limits::json_inline_bytes_max, 'x')}};
  large.definition = msg::document{boost::json::value(definition)};
  descriptions[1](large);
  EXPECT_EQ(answers.size(), 1u);
  work();
  EXPECT_TRUE(answers.at(2).ok());
}

TEST_F(guest_requests_test, servers_are_listed_once_at_a_time) {
  requests.take(proxy::guest_servers{1});
  requests.take(proxy::guest_servers{2});
  ASSERT_EQ(server_lists.size(), guest_requests::server_lists_at_once_max);
  server_lists[0](std::vector<msg::server_status>{});
  ASSERT_EQ(server_lists.size(), 2u);
  server_lists[1](msg::fault{errc::internal, "nobody answered"});
  EXPECT_TRUE(answers.at(1).ok());
  EXPECT_EQ(answers.at(2).error.message, "nobody answered");
}

TEST_F(guest_requests_test, the_memory_is_asked_in_turns_and_what_waits_for_it_counts) {
  for (uint64_t id = 1; id <= guest_requests::remembering_at_once_max + 1; ++id) {
    proxy::guest_memory memory;
    memory.id = id;
    memory.request.source = std::string(msg::limits::held_bytes_step, 'x');
    requests.take(std::move(memory));
  }
  EXPECT_EQ(memories.size(), guest_requests::remembering_at_once_max);
  EXPECT_EQ(told.size(), memories.size() + 1);
  memories[0](msg::document{});
  EXPECT_EQ(memories.size(), guest_requests::remembering_at_once_max + 1);
  EXPECT_LT(told.back(), told[told.size() - 2]);
}

TEST_F(guest_requests_test, outputs_are_read) {
  requests.take(proxy::guest_output_request{1, {}});
  outputs[0](msg::artifact_answer{{}, msg::document{boost::json::value(5)}});
  EXPECT_EQ(answers.at(1).value.text(), "5");
}

TEST_F(guest_requests_test, models_are_asked_and_the_question_counts_three_times) {
  requests.take(sample(1, msg::limits::held_bytes_step));
  ASSERT_EQ(questions.size(), 1u);
  EXPECT_EQ(told, (std::vector<uint64_t>{3 * msg::limits::held_bytes_step}));
  questions[0](msg::document{});
  EXPECT_EQ(told.back(), 0u);
  EXPECT_TRUE(answers.at(1).ok());
}

TEST_F(guest_requests_test, models_that_may_not_be_asked_are_refused_before_anything_is_held) {
  no_models = {errc::not_allowed, "no"};
  requests.take(sample(1, 10 * msg::limits::held_bytes_step));
  EXPECT_EQ(answers.at(1).error.code, errc::not_allowed);
  EXPECT_TRUE(told.empty() && questions.empty());
}

TEST_F(guest_requests_test, streams_need_a_question_and_can_be_left) {
  requests.take(proxy::guest_sample_stream{1, 4, false});
  EXPECT_EQ(answers.at(1).error.code, errc::invalid_argument);
  is_sampling = true;
  requests.take(proxy::guest_sample_stream{2, 4, false});
  pieces.at(0)(msg::document{boost::json::value("text")});
  EXPECT_EQ(answers.at(2).value.text(), R"("text")");
  requests.take(proxy::guest_sample_stream{3, 4, true});
  EXPECT_EQ(answers.at(3).value.text(), "{}");
  EXPECT_EQ(left, std::vector<uint64_t>{4});
}

TEST(memory_client, is_the_client_without_the_number_of_its_connection) {
  EXPECT_EQ(memory_client("editor#12"), "editor");
  EXPECT_EQ(memory_client("a#b#3"), "a#b");
  EXPECT_EQ(memory_client(std::string(500, 'x')).size(), msg::limits::memory_client_bytes_max);
}

} // namespace actors_run_guest_requests_test
