#include "sandbox/launch/permit.hpp"

#include "testing/folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace sandbox_permit_test {

using msg::language;

class permit_test : public testing::Test {
protected:
  permit_test() {
    base_.command = {"/runtime/deno", "run", "main.ts"};
    std::filesystem::permissions(folder_.path(), std::filesystem::perms(0755)); // guests of root are nobody
  }

  msg::outcome<sandbox::box> permit(language lang, const msg::permissions& wanted) {
    return sandbox::permit(base_, lang, wanted, {{folder_.path()}, {}, "/"});
  }
  std::string file(const std::string& name) { return folder_.write(name, "x"); }

  test::folder folder_;
  sandbox::box base_;
};

TEST_F(permit_test, deno_hears_of_every_path) {
  auto a = file("a"), b = file("b");
  auto made = permit(language::typescript, {{a, b}, {}, {}});
  ASSERT_TRUE(made.ok()) << made.error.message;
  EXPECT_EQ(made.value.command,
            (std::vector<std::string>{"/runtime/deno", "run", "--allow-read=" + a + "," + b, "main.ts"}));
}

TEST_F(permit_test, a_comma_would_give_deno_other_paths) {
  auto wanted = msg::permissions{{file("a,b")}, {}, {}};
  auto refused = permit(language::typescript, wanted);
  EXPECT_EQ(refused.error.code, msg::errc::invalid_argument);
  EXPECT_NE(refused.error.message.find("comma"), std::string::npos) << refused.error.message;
  EXPECT_TRUE(permit(language::python, wanted).ok());
}

TEST_F(permit_test, a_hidden_folder_is_empty_inside_of_what_is_granted) {
  file("home/.state/audit.head");
  sandbox::path_policy policy{{folder_.path()}, {}, "/"};
  policy.hidden = {folder_.path("home/.state"), folder_.path("home/missing")};
  policy.empty_folder = folder_.path("home/.state/empty");
  auto mounts_of = [&](const std::vector<std::string>& read) {
    auto made = sandbox::permit(base_, language::python, {read, {}, {}}, policy);
    EXPECT_TRUE(made.ok()) << made.error.message;
    return std::move(made.value.mounts);
  };
  auto mounts = mounts_of({folder_.path("home")});
  ASSERT_EQ(mounts.size(), 2u);
  EXPECT_EQ(mounts[1].to, folder_.path("home/.state"));
  EXPECT_TRUE(mounts[1].hides);
  EXPECT_EQ(mounts[1].mode, sandbox::access::read_only);
  EXPECT_EQ(mounts[1].from, policy.empty_folder);
  EXPECT_TRUE(std::filesystem::is_empty(policy.empty_folder));
  EXPECT_EQ(mounts_of({file("other")}).size(), 1u) << "it does not lie in there";
}

TEST_F(permit_test, a_part_of_a_hidden_folder_is_given_where_the_user_has_named_it) {
  auto part = file("home/.state/saved/tool"), home = folder_.path("home");
  sandbox::path_policy policy{{folder_.path()}, {}, "/"};
  policy.hidden = {folder_.path("home/.state")};
  policy.empty_folder = folder_.path("home/.state/empty");
  auto refusal = [&](const std::vector<std::string>& read) {
    return sandbox::permit(base_, language::python, {read, {}, {}}, policy).error.message;
  };
  for (auto& read : {part, folder_.path("home/.state")})
    EXPECT_NE(refusal({read}).find("which is kept from programs"), std::string::npos) << refusal({read});
  policy.read.push_back(folder_.path("home/.state/saved"));
  EXPECT_EQ(refusal({part}), "");
  EXPECT_NE(refusal({part, home}).find("ask for one of the two"), std::string::npos) << refusal({part, home});
  EXPECT_NE(refusal({folder_.path("home/.state")}), "");
}

TEST_F(permit_test, the_network_is_a_proxy) {
  auto made = permit(language::typescript, {{}, {}, {"example.com"}});
  ASSERT_TRUE(made.ok()) << made.error.message;
  EXPECT_TRUE(made.value.egress);
  auto& variables = made.value.environment;
  for (std::string name : {"HTTP_PROXY", "HTTPS_PROXY", "NODE_USE_ENV_PROXY"})
    EXPECT_TRUE(std::any_of(variables.begin(), variables.end(), [&](auto& v) { return v.first == name; })) << name;
}

/// What a box needs itself, by its name there.
TEST_F(permit_test, a_link_in_a_granted_folder_to_what_the_box_needs_stays_a_link) {
  file("w/real/venv/lib");
  std::filesystem::create_symlink("real/venv", folder_.path("w/.venv"));
  std::filesystem::create_symlink("w", folder_.path("near"));
  auto mounts_at = [&](const std::string& needed, const std::vector<std::string>& read) {
    base_.mounts = {{folder_.path(needed), folder_.path(needed)}};
    auto made = permit(language::python, {read, {}, {}});
    std::vector<std::string> places;
    for (auto& m : made.value.mounts)
      if (!m.opened)
        places.push_back(m.to.text().substr(folder_.path().size() + 1));
    return places;
  };
  using names = std::vector<std::string>;
  auto w = folder_.path("w");
  EXPECT_EQ(mounts_at("w/.venv", {}), names{"w/.venv"});
  EXPECT_EQ(mounts_at("w/.venv", {w}), names{"w/real/venv"});
  EXPECT_EQ(mounts_at("w/real/venv", {w}), names{"w/real/venv"});
  EXPECT_EQ(mounts_at("near/.venv", {w}), (names{"w/real/venv", "near/.venv"}));
  EXPECT_EQ(mounts_at("w/.venv", {w + "/real"}), (names{"w/real/venv", "w/.venv"}));
  EXPECT_EQ(mounts_at("w/.venv", {w + "/real/venv/lib"}), names{"w/.venv"});
  EXPECT_EQ(mounts_at("w/real/venv", {folder_.path("near")}), (names{"w/real/venv", "near/real/venv"}));
  std::filesystem::create_directory_symlink(folder_.path("outside"), folder_.path("w/out"));
  file("outside/x");
  EXPECT_EQ(mounts_at("w/out", {w}), names{"outside"});
}

TEST_F(permit_test, a_link_of_the_box_is_no_place_for_a_mount) {
  file("real/file");
  std::filesystem::create_symlink("real", folder_.path("lib"));
  base_.links = {{"real", folder_.path("lib")}};
  auto made = permit(language::python, {{folder_.path("lib"), folder_.path("lib/file")}, {}, {}});
  ASSERT_TRUE(made.ok()) << made.error.message;
  for (auto& m : made.value.mounts)
    EXPECT_TRUE(m.to.text().starts_with(folder_.path("real"))) << m.to.text();
  EXPECT_EQ(made.value.mounts.size(), 2u);
}

} // namespace sandbox_permit_test
