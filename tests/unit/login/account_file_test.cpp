#include "tests/unit/login/fake_web.hpp"

#include <filesystem>
#include <sys/stat.h>

namespace account_file_test {

namespace fs = std::filesystem;
using namespace std::literals;

struct account_file_test : login_test::fake_web {
  static unsigned mode_of(const std::string& path) {
    struct stat about {};
    EXPECT_EQ(::stat(path.c_str(), &about), 0) << path;
    return about.st_mode & 0777;
  }
};

TEST_F(account_file_test, is_read_as_it_was_written) {
  auto what = some_account();
  what.client.identity.secret = "s0";
  what.client.identity.how = oauth::client_authentication::post;
  what.client.redirect_uri = "http://127.0.0.1:1/callback";
  what.missing_scopes = {"read", "write"};
  store(what);
  auto got = stored();
  EXPECT_EQ(login::account_text(got), login::account_text(what));
  EXPECT_EQ(got.client.identity.secret, "s0");
  EXPECT_EQ(got.missing_scopes, what.missing_scopes);
  EXPECT_EQ(mode_of(file().path()), 0600u);
  EXPECT_EQ(mode_of(folder.path("tokens")), 0700u);
  EXPECT_FALSE(fs::exists(file().path() + ".new"));
}

TEST_F(account_file_test, does_not_keep_the_secret_of_an_entry) {
  auto what = some_account();
  what.client.origin = login::client_origin::configured;
  what.client.identity.secret = "of-the-entry";
  store(what);
  EXPECT_EQ(test::read(file().path()).find("of-the-entry"), std::string::npos);
  EXPECT_EQ(login::identity_of(stored(), "registered-1", "new").secret, "new");
  EXPECT_EQ(login::identity_of(stored(), "another", "new").secret, "");
}

TEST_F(account_file_test, that_is_not_there_is_no_problem) {
  auto got = test::run(io, file().read());
  EXPECT_FALSE(got.value);
  EXPECT_EQ(got.problem, "");
  EXPECT_EQ(got.stamp, login::file_stamp{});
}

TEST_F(account_file_test, that_is_broken_is_told_and_put_aside) {
  store(some_account());
  auto path = file().path();
  auto whole = test::read(path);
  for (auto& text :
       {"{"s, whole.substr(0, 50), "[]"s, "{}"s, whole + "x", std::string(300'000, ' '), ""s, R"({"version":2})"s,
        whole.substr(0, whole.find("a0")) + "a 0" + whole.substr(whole.find("a0") + 2)}) {
    folder.write(fs::relative(path, folder.path()).string(), text);
    auto got = test::run(io, file().read());
    EXPECT_FALSE(got.value) << text.substr(0, 100);
    EXPECT_NE(got.problem.find(path), std::string::npos) << got.problem;
    EXPECT_EQ(got.problem.find("r0"), std::string::npos);
  }
  store(some_account());
  EXPECT_TRUE(fs::exists(path + ".broken"));
  EXPECT_EQ(stored().access_token, "a0");
}

TEST_F(account_file_test, of_another_server_or_behind_a_link_does_not_count) {
  auto other = some_account();
  other.url = "https://other.example/";
  store(some_account());
  auto path = file().path();
  folder.write(fs::relative(path, folder.path()).string(), login::account_text(other));
  EXPECT_FALSE(test::run(io, file().read()).value);
  auto elsewhere = folder.write("elsewhere", login::account_text(some_account()));
  fs::remove(path);
  fs::create_symlink(elsewhere, path);
  EXPECT_FALSE(test::run(io, file().read()).value);
  store(some_account());
  EXPECT_FALSE(fs::is_symlink(path));
}

TEST_F(account_file_test, open_to_others_is_closed) {
  store(some_account());
  fs::permissions(file().path(), fs::perms{0644});
  EXPECT_EQ(stored().access_token, "a0");
  EXPECT_EQ(mode_of(file().path()), 0600u);
}

TEST_F(account_file_test, is_seen_to_have_changed) {
  store(some_account());
  auto before = file().look();
  EXPECT_EQ(before, test::run(io, file().read()).stamp);
  store(some_account());
  EXPECT_NE(file().look(), before);
}

TEST_F(account_file_test, is_locked_for_one_at_a_time) {
  auto first = test::run(io, file().lock());
  ASSERT_TRUE(first.value);
  bool has_second = false;
  auto wait = [](login::account_file of, bool* has) -> asio::awaitable<void> {
    auto got = co_await of.lock();
    *has = got.ok() && got.value;
  };
  asio::co_spawn(io, wait(file(), &has_second), asio::detached);
  run_for(200ms);
  EXPECT_FALSE(has_second);
  first.value.reset();
  EXPECT_TRUE(test::run_until(io, [&] { return has_second; }));
}

TEST_F(account_file_test, is_removed) {
  store(some_account());
  auto lock = test::run(io, file().lock());
  EXPECT_EQ(test::run(io, file().remove(lock.value)).code, msg::errc::none);
  EXPECT_FALSE(fs::exists(file().path()));
  EXPECT_EQ(test::run(io, file().remove(lock.value)).code, msg::errc::none) << "twice";
}

TEST_F(account_file_test, that_can_not_be_written_is_told) {
  environment.state_folder = folder.path("not-there/at-all");
  auto got = test::run(io, file().lock());
  EXPECT_FALSE(got.ok());
  EXPECT_NE(got.error.message.find("not-there/at-all/tokens can not be made"), std::string::npos) << got.error.message;
}

} // namespace account_file_test
