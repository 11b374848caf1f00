#include "actors/run/server_questions.hpp"

#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace actors_run_server_questions_test {

using msg::errc;
using msg::fault;
using test::doc;
using answer = msg::outcome<msg::document>;

class server_questions_test : public testing::Test {
protected:
  actors::run::question_routes routes() {
    actors::run::question_routes to;
    to.ask = [this](uint64_t number, const msg::server_question&, auto then) { open_[number] = then; };
    to.withdraw = [this](uint64_t number) { withdrawn_.push_back(number); };
    to.finish = [this](uint64_t number, bool is_there) { finished_.emplace_back(number, is_there); };
    to.stop_clock = [this] { clock_ += "|"; };
    to.start_clock = [this] { clock_ += ">"; };
    to.record = [this](const msg::server_question& asked, const answer& said) {
      EXPECT_TRUE(asked.params.value().is_null()) << "what was asked is not kept";
      recorded_.push_back(said.error.code);
    };
    return to;
  }
  void take(uint64_t call, uint64_t question) {
    questions_.take({{7, call}, is_sure_, question, msg::question_kind::form, "git", "create", doc("{}")},
                    [this](answer said) { answers_.push_back(std::move(said)); });
  }
  std::string notes() {
    msg::captured_text text;
    std::move(notes_).append_to(text);
    return text.head;
  }

  actors::run::notes notes_;
  std::map<uint64_t, std::function<void(answer)>> open_;
  std::vector<uint64_t> withdrawn_;
  std::vector<std::pair<uint64_t, bool>> finished_;
  std::string clock_;
  std::vector<errc> recorded_;
  std::vector<answer> answers_;
  bool is_sure_ = true;
  actors::run::server_questions questions_{notes_, routes()};
};

TEST_F(server_questions_test, the_clock_stands_still_from_the_first_to_the_last) {
  take(1, 1);
  take(2, 1);
  EXPECT_EQ(clock_, "|");
  open_[1](doc(R"({"action":"accept"})"));
  EXPECT_EQ(clock_, "|");
  open_[2](doc(R"({"action":"decline"})"));
  EXPECT_EQ(clock_, "|>");
  open_[2](doc("{}")); // again
  EXPECT_EQ(answers_.size(), 2u);
  EXPECT_EQ(recorded_, (std::vector{errc::none, errc::none}));
  EXPECT_EQ(notes(), "");
}

TEST_F(server_questions_test, who_got_no_answer_is_told) {
  take(1, 1);
  open_[1](fault{errc::call_timeout, "late"});
  EXPECT_EQ(answers_.at(0).error.code, errc::call_timeout);
  EXPECT_EQ(notes(),
            "Warning: server 'git' wanted to ask something in the middle of 'create' (elicitation/create), and "
            "got no answer: late.\n");
}

TEST_F(server_questions_test, of_a_program_no_server_ends_any_and_no_note_tells) {
  msg::server_question asked;
  asked.call.run = 7;
  asked.is_sure = false;
  asked.asker = msg::question_asker::program;
  questions_.take(asked, [this](answer said) { answers_.push_back(std::move(said)); });
  questions_.call_ended(0);
  questions_.withdraw({7, 1}, 0);
  EXPECT_TRUE(answers_.empty());
  open_[1](fault{errc::call_timeout, "late"});
  EXPECT_EQ(answers_.at(0).error.code, errc::call_timeout);
  EXPECT_EQ(notes(), "");
}

TEST_F(server_questions_test, nobody_waits_any_more) {
  take(1, 1);
  take(1, 2);
  take(2, 1);
  questions_.withdraw({7, 1}, 2);
  EXPECT_EQ(withdrawn_, (std::vector<uint64_t>{2}));
  questions_.call_ended(1);
  EXPECT_EQ(withdrawn_, (std::vector<uint64_t>{2, 1}));
  questions_.end_all();
  EXPECT_EQ(withdrawn_, (std::vector<uint64_t>{2, 1, 3}));
  EXPECT_EQ(answers_.size(), 3u);
  EXPECT_EQ(answers_[2].error.code, errc::cancelled);
  EXPECT_EQ(clock_, "|>");
  EXPECT_EQ(notes(), "");
}

TEST_F(server_questions_test, one_of_several_calls_outlives_any_of_them) {
  is_sure_ = false;
  take(1, 1);
  questions_.call_ended(1);
  EXPECT_TRUE(answers_.empty());
  open_[1](doc(R"({"action":"accept"})"));
  EXPECT_TRUE(answers_.at(0).ok());
}

TEST_F(server_questions_test, a_login_is_over_when_that_is_told) {
  auto ask = [this](const std::string& server, bool is_asked_elsewhere) {
    questions_.take({{7, 0},
                     true,
                     1,
                     msg::question_kind::login,
                     server,
                     "",
                     doc("{}"),
                     msg::question_asker::server,
                     is_asked_elsewhere},
                    [this](answer said) { answers_.push_back(std::move(said)); });
  };
  ask("far", false);
  ask("near", false);
  ask("near", true);
  questions_.call_ended(1);
  questions_.login_over("near", true);
  using finished = std::vector<std::pair<uint64_t, bool>>;
  EXPECT_EQ(finished_, (finished{{2, true}, {3, true}}));
  EXPECT_TRUE(answers_.empty()) << "the client has yet to hear of it";
  open_[3](doc(R"({"action":"accept"})"));
  EXPECT_TRUE(recorded_.empty()) << "the run that was asked tells";
  open_[2](fault{errc::call_timeout, "late"});
  EXPECT_EQ(recorded_, std::vector{errc::call_timeout});
  EXPECT_EQ(notes(), "") << "the call says it";
  EXPECT_EQ(clock_, "|");
  questions_.end_all();
  EXPECT_EQ(clock_, "|>");
}

TEST_F(server_questions_test, they_are_bounded) {
  for (size_t i = 0; i < actors::run::questions_open_max; ++i)
    take(1, i);
  EXPECT_TRUE(answers_.empty());
  take(1, 99);
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_EQ(answers_[0].error.code, errc::limit_exceeded);
  questions_.end_all();
  for (uint32_t i = 0; i < actors::run::questions_max; ++i) {
    take(2, i);
    questions_.call_ended(2);
  }
  EXPECT_EQ(answers_.back().error.code, errc::limit_exceeded);
  EXPECT_EQ(open_.size(), actors::run::questions_max);
}

} // namespace actors_run_server_questions_test
