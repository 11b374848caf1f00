#include "actors/sampling/route_choice.hpp"

#include "tests/unit/actors/sampling/completion_fixture.hpp"

namespace sampling_route_choice_test {

using namespace sampling_tests;
using namespace std::literals;
using sampling::route_choice;

struct route_choice_test : testing::Test {
  sampling::rules rules;
  sampling::route_ptr client;
  msg::fault silent{errc::call_timeout, "no word"};

  route_choice_test() {
    sampling::model_route c;
    c.name = "client";
    client = std::make_shared<const sampling::model_route>(c);
    rules.provider = provider();
    rules.no_provider = "set A_KEY";
  }
};

TEST_F(route_choice_test, the_client_comes_first) {
  EXPECT_EQ((route_choice{rules, client}.current()->name), "client");
  EXPECT_EQ((route_choice{rules, nullptr}.current()->name), "anthropic");
}

TEST_F(route_choice_test, the_provider_is_asked_when_the_client_was_silent) {
  route_choice routes{rules, client};
  EXPECT_TRUE(routes.leave_client(silent));
  EXPECT_EQ(routes.current()->name, "anthropic");
  EXPECT_EQ(routes.silence().code, errc::none);
}

TEST_F(route_choice_test, without_a_provider_there_is_silence_and_it_says_why) {
  rules.provider.reset();
  route_choice routes{rules, client};
  EXPECT_EQ(routes.silence().code, errc::none);
  EXPECT_FALSE(routes.leave_client(silent));
  EXPECT_EQ(routes.silence().code, errc::model_failed);
  EXPECT_EQ(routes.silence().message, "no word. It is not asked again in this run, and nobody else can be: set A_KEY");
  EXPECT_FALSE(routes.leave_client({errc::call_timeout, "of another question"}));
  EXPECT_TRUE(routes.silence().message.starts_with("no word")) << "the first counts";
}

TEST_F(route_choice_test, the_client_has_as_long_as_configured_or_as_the_run_leaves_it) {
  route_choice both{rules, client};
  EXPECT_EQ(both.client_patience(10min), 30s);
  EXPECT_EQ(both.client_patience(10s), 5s) << "the provider has the other half";
  EXPECT_EQ(both.client_patience(-1s), 1ms);
  rules.provider.reset();
  route_choice alone{rules, client};
  EXPECT_EQ(alone.client_patience(10s), 8s);
  EXPECT_EQ(alone.client_patience(31s), 26s) << "five seconds are enough for the program";
}

TEST_F(route_choice_test, its_silence_names_what_to_change) {
  route_choice routes{rules, client};
  EXPECT_EQ(routes.client_timed_out(30s).code, errc::call_timeout);
  EXPECT_EQ(routes.client_timed_out(30s).message,
            "the client's model did not answer within 30000 ms (sampling.clientTimeoutMs)");
  EXPECT_EQ(routes.client_timed_out(5s).message,
            "the client's model did not answer within 5000 ms: the time of this run is too short for the 30000 ms "
            "of sampling.clientTimeoutMs; give it more (timeoutMs)");
}

} // namespace sampling_route_choice_test
