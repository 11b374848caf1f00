// No false alarm in what people write: the sources of this project, C and C++ headers and Python modules of Debian.
//
// What is right to be found there, and is found: e-mail addresses (authors, `user@example.com`, key types of SSH such
// as `ssh-rsa-cert-v01@openssh.com`, which have the form of one), a few phone numbers of authors, and examples of
// social security numbers
// (`ssn : 111-22-3333` in pyparsing). Keys, tokens, PEM blocks and card numbers are not in there.
#include "content_filter/filter.hpp"
#include "content_filter/match.hpp"
#include "testing/cpu_time.hpp"
#include "tests/unit/support/places.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>

namespace sampling_ordinary_text_test {

using namespace content_filter;
namespace fs = std::filesystem;

constexpr size_t text_bytes = 2u << 20;
/// Phone numbers and social security numbers in text_bytes of sources, see above. 400 MB of Debian's have 6 phone
/// numbers, and the one example of pyparsing eight times.
constexpr uint32_t personal_numbers_max = 4;

/// Files below a folder, in an order that is the same in every run, as one text of text_bytes or of all there is.
std::string text_of(const fs::path& folder, const std::set<std::string>& kinds,
                    const std::set<std::string>& left_out = {}) {
  std::vector<fs::path> files;
  std::error_code ignored;
  for (fs::recursive_directory_iterator it{folder, fs::directory_options::skip_permission_denied, ignored}, end;
       it != end; it.increment(ignored)) {
    auto name = it->path().filename().string();
    if (it->is_directory(ignored)
        && (name.starts_with('.') || name.starts_with("build") || name == "node_modules" || left_out.contains(name)))
      it.disable_recursion_pending();
    else if (it->is_regular_file(ignored) && kinds.contains(it->path().extension().string()))
      files.push_back(it->path());
  }
  std::sort(files.begin(), files.end());
  std::mt19937 random{1};
  for (size_t i = files.size(); i > 1; --i)
    std::swap(files[i - 1], files[random() % i]);
  std::string out;
  for (auto& file : files) {
    if (out.size() >= text_bytes)
      break;
    std::ifstream in{file, std::ios::binary};
    out.append(std::istreambuf_iterator<char>{in}, {}) += '\n';
  }
  out.resize(std::min(out.size(), text_bytes));
  return out;
}

/// Top-level domains of the addresses that were looked at one by one.
const std::set<std::string> common{"com",  "org",  "net",     "edu",     "gov",    "mil",   "int",         "info",
                                   "name", "test", "example", "invalid", "museum", "local", "localdomain", "internal"};

void expect_real_addresses(std::string_view text) {
  for (size_t at = 0; at < text.size(); ++at) {
    auto s = look_for_email({text, at, true});
    if (s.what != verdict::found)
      continue;
    auto address = std::string{text.substr(at, s.end - at)};
    auto top = address.substr(address.rfind('.') + 1);
    std::transform(top.begin(), top.end(), top.begin(), to_lower);
    EXPECT_TRUE(top.size() == 2 || common.contains(top)) << address;
    at = s.end;
  }
}

/// Where the first of a class is, for the message of a failure.
std::string first_of(std::string_view text, content_class c) {
  content_policy policy;
  policy.actions.fill(content_action::allow);
  policy.set(c, content_action::redact);
  auto clean = filter_content(text, policy).text;
  auto differs = std::mismatch(clean.begin(), clean.end(), text.begin(), text.end()).second - text.begin();
  auto at = static_cast<size_t>(differs);
  return std::string{to_string(c)} + ": " + std::string{text.substr(at < 60 ? 0 : at - 60, 160)};
}

content_counts expect_no_secrets(std::string_view text) {
  auto counts = filter_content(text, {}).counts;
  for (auto c : {content_class::secret, content_class::jwt, content_class::pem, content_class::card})
    EXPECT_EQ(counts.of(c), 0u) << first_of(text, c);
  expect_real_addresses(text);
  return counts;
}

TEST(ordinary_text, of_this_project) {
  // The tests have made-up secrets and addresses in them; the data of bench are questions of users, with phone numbers.
  auto text =
    text_of(test::source(""), {".cpp", ".hpp", ".py", ".ts", ".md", ".json", ".build"}, {"tests", "data", "results"});
  ASSERT_GT(text.size(), 1u << 20);
  auto counts = expect_no_secrets(text);
  EXPECT_LE(counts.of(content_class::ssn) + counts.of(content_class::phone), personal_numbers_max)
    << first_of(text, content_class::ssn) << '\n'
    << first_of(text, content_class::phone);
}

void expect_little(const fs::path& folder, const std::set<std::string>& kinds) {
  auto text = text_of(folder, kinds);
  if (text.size() < text_bytes / 2)
    GTEST_SKIP() << folder << " has only " << text.size() << " bytes of source text";
  auto counts = expect_no_secrets(text);
  EXPECT_LE(counts.of(content_class::ssn) + counts.of(content_class::phone), personal_numbers_max);
}

TEST(ordinary_text, headers_of_debian) { expect_little("/usr/include", {".h", ".hpp", ".ipp", ""}); }
TEST(ordinary_text, python_modules_of_debian) { expect_little("/usr/lib/python3", {".py"}); }
TEST(ordinary_text, the_standard_library_of_python) { expect_little("/usr/lib/python3.11", {".py"}); }

TEST(ordinary_text, takes_no_time) {
  auto text = text_of(test::source(""), {".cpp", ".hpp"});
  auto begin = test::cpu_time();
  (void)filter_content(text, {});
  // 20 ms per megabyte when optimized; not optimized and with sanitizers, on a busy machine, a hundred times that.
  EXPECT_LT(test::cpu_time() - begin, std::chrono::seconds{20});
}

} // namespace sampling_ordinary_text_test
