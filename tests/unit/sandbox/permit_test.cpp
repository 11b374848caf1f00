#include "sandbox/permit.hpp"

#include "tests/unit/support/folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace sandbox_permit_test {

using msg::language;

class permit_test : public testing::Test {
protected:
  permit_test() { base_.command = {"/runtime/deno", "run", "main.ts"}; }

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
  EXPECT_EQ(made.value.command, (std::vector<std::string>{"/runtime/deno", "run", "--allow-read=" + a + "," + b, "main.ts"}));
}

TEST_F(permit_test, a_comma_would_give_deno_other_paths) {
  auto wanted = msg::permissions{{file("a,b")}, {}, {}};
  auto refused = permit(language::typescript, wanted);
  EXPECT_EQ(refused.error.code, msg::errc::invalid_argument);
  EXPECT_NE(refused.error.message.find("comma"), std::string::npos) << refused.error.message;
  EXPECT_TRUE(permit(language::python, wanted).ok());
}

TEST_F(permit_test, the_network_is_a_proxy) {
  auto made = permit(language::typescript, {{}, {}, {"example.com"}});
  ASSERT_TRUE(made.ok()) << made.error.message;
  EXPECT_TRUE(made.value.egress);
  auto& variables = made.value.environment;
  for (std::string name : {"HTTP_PROXY", "HTTPS_PROXY", "NODE_USE_ENV_PROXY"})
    EXPECT_TRUE(std::any_of(variables.begin(), variables.end(), [&](auto& v) { return v.first == name; })) << name;
}

} // namespace sandbox_permit_test
