// How the actor of a server begins with one of which nothing is known.
#include "tests/actors/child_server_fixture.hpp"

namespace testing_support {

class child_server_opening : public child_server_test {
protected:
  child_server_opening() {
    auto o = options();
    o.eras = {[this](const msg::server_entry&) { return known; },
              [this](const msg::server_entry&, bool is_modern) { kept = is_modern; }};
    serve(entry("kid"), std::move(o));
  }
  /// Its process is gone.
  void end() {
    servers.last().end({msg::errc::server_died, "ended with exit code 1"});
    settle();
  }

  mcp::opening known = mcp::opening::discover;
  std::optional<bool> kept;
};

TEST_F(child_server_opening, a_process_that_ends_of_the_question_is_started_once_more) {
  auto answer = call("echo");
  EXPECT_EQ(servers.last().take("server/discover").size(), 1u);
  end();
  ASSERT_EQ(servers.connections.size(), 2u);
  EXPECT_EQ(servers.last().take("server/discover").size(), 0u);
  finish_handshake();
  EXPECT_EQ(servers.last().take("tools/call").size(), 1u) << "the call has waited";
  EXPECT_EQ(kept, false);
}

TEST_F(child_server_opening, but_not_again_and_again) {
  auto answer = call("echo");
  end();
  end();
  EXPECT_EQ(servers.connections.size(), 2u);
  EXPECT_EQ(answer.get().error.code, msg::errc::server_start_failed);
}

TEST_F(child_server_opening, one_that_is_stopped_between_two_starts_is_not_started_again) {
  auto answer = call("echo");
  auto stopped = send<bool>(server, msg::stop_atom::value); // who asks runs first: it comes right behind the end
  end();
  for (auto& connection : servers.connections)
    connection->end({msg::errc::server_died, "ended"});
  settle();
  EXPECT_TRUE(stopped.get());
  EXPECT_EQ(servers.connections.size(), 1u);
  EXPECT_EQ(answer.get().error.code, msg::errc::shutting_down);
}

TEST_F(child_server_opening, what_serves_in_the_later_era_is_kept) {
  auto answer = call("echo");
  servers.last().answer(servers.last().take("server/discover").at(0),
                        json::object{{"supportedVersions", json::array{"2026-07-28"}},
                                     {"capabilities", json::object{{"tools", json::object{}}}}});
  settle();
  finish_handshake();
  EXPECT_EQ(kept, true);
  auto sent = servers.last().take("tools/call");
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_TRUE(sent[0].at("params").as_object().contains("_meta"));
}

} // namespace testing_support
