// Files of certificates and keys that are there, wrong, or not there.
#include "tls_context.hpp"
#include "tls_files_made.hpp"
#include "tls_identity.hpp"

#include <gtest/gtest.h>

#include <sys/stat.h>

namespace http_server_test {

struct tls_files_test : ::testing::Test {
  tls_folder folder;
  http::tls_files files = folder.usual();

  std::string problem() {
    auto opened = http::open_tls(files);
    EXPECT_EQ(opened.value == nullptr, !opened.problem.empty());
    return opened.problem;
  }
  static void expect(const std::string& got, std::initializer_list<std::string_view> words) {
    for (auto each : words)
      EXPECT_NE(got.find(each), got.npos) << got;
    EXPECT_FALSE(got.ends_with('.')) << got;
  }
};

TEST_F(tls_files_test, that_are_good) {
  auto opened = http::open_tls(files);
  EXPECT_TRUE(opened.value) << opened.problem;
  EXPECT_EQ(opened.warning, "");
}

TEST_F(tls_files_test, may_be_one) {
  auto key = new_key();
  files.certificate_file = files.key_file = folder.file("both.pem", pem_of(key.get()) + certificate_of(key.get()));
  EXPECT_EQ(problem(), "");
}

TEST_F(tls_files_test, have_a_whole_chain) {
  auto key = new_key();
  auto above = new_key();
  files.key_file = folder.file("key.pem", pem_of(key.get()));
  files.certificate_file =
    folder.file("chain.pem", "words\n" + certificate_of(key.get()) + certificate_of(above.get()));
  EXPECT_EQ(problem(), "");
  EXPECT_EQ(http::read_identity(files).chain.size(), 2u);
  files.key_file = folder.file("key.pem", pem_of(above.get()));
  expect(problem(), {files.key_file, "not that of the first certificate in", files.certificate_file});
}

TEST_F(tls_files_test, that_are_missing) {
  files.certificate_file = folder.path("none");
  expect(problem(), {"certificate", files.certificate_file, "No such file"});
  files = folder.usual();
  files.key_file = folder.path("none");
  expect(problem(), {"key", files.key_file, "No such file"});
  files.key_file = "";
  expect(problem(), {"No such file"});
}

TEST_F(tls_files_test, that_are_no_files) {
  files.certificate_file = folder.path(".");
  expect(problem(), {files.certificate_file, "no file"});
  files.certificate_file = folder.path("pipe");
  ASSERT_EQ(::mkfifo(files.certificate_file.c_str(), 0600), 0);
  expect(problem(), {"no file"});
}

TEST_F(tls_files_test, that_may_not_be_read) {
  if (::geteuid() == 0)
    GTEST_SKIP() << "who runs this may read everything";
  ::chmod(files.key_file.c_str(), 0);
  expect(problem(), {files.key_file, "Permission denied"});
}

TEST_F(tls_files_test, that_are_too_large) {
  files.key_file = folder.file("large", std::string(http::pem_file_bytes_max + 1, 'x'));
  expect(problem(), {files.key_file, "256 KiB"});
}

TEST_F(tls_files_test, that_have_something_else) {
  auto key = files.key_file;
  files.key_file = files.certificate_file;
  expect(problem(), {files.key_file, "has no key in PEM form"});
  files.certificate_file = key;
  expect(problem(), {files.certificate_file, "has no certificate in PEM form"});
  files.certificate_file = folder.file("empty", "");
  expect(problem(), {files.certificate_file, "has no certificate in PEM form"});
}

TEST_F(tls_files_test, that_are_damaged) {
  auto key = new_key();
  auto pem = pem_of(key.get());
  auto secret = pem.substr(40, 40);
  pem[60] = pem[60] == 'A' ? 'B' : 'A';
  pem.erase(90, 1);
  files.key_file = folder.file("damaged.pem", pem);
  expect(problem(), {"the key in", files.key_file, "damaged"});
  EXPECT_EQ(problem().find(secret.substr(0, 8)), std::string::npos);
  files = folder.usual();
  auto chain = certificate_of(key.get()) + certificate_of(key.get()).replace(200, 4, "!!!!");
  files.certificate_file = folder.file("damaged.pem", chain);
  expect(problem(), {"certificate 2 in", files.certificate_file, "damaged"});
}

TEST_F(tls_files_test, that_do_not_belong_together) {
  files.key_file = folder.file("other.pem", pem_of(new_key().get()));
  expect(problem(), {files.key_file, "is not that of", files.certificate_file});
}

TEST_F(tls_files_test, with_a_passphrase_ask_nobody) {
  files.key_file = folder.file("encrypted.pem", pem_of(new_key().get(), "secret"));
  expect(problem(), {files.key_file, "encrypted", "passphrase"});
}

TEST_F(tls_files_test, that_are_weak) {
  made_ptr<EVP_PKEY> key{EVP_RSA_gen(512)};
  ASSERT_TRUE(key);
  files = {folder.file("weak.pem", certificate_of(key.get())), folder.file("weak.key", pem_of(key.get()))};
  expect(problem(), {files.certificate_file, "key too small"});
}

TEST_F(tls_files_test, of_another_time_are_told_of) {
  auto key = new_key();
  files.key_file = folder.file("key.pem", pem_of(key.get()));
  files.certificate_file = folder.file("old.pem", certificate_of(key.get(), -20, -10));
  auto opened = http::open_tls(files);
  EXPECT_TRUE(opened.value);
  expect(opened.warning, {files.certificate_file, "has expired: it was good until 2", " UTC"});
  files.certificate_file = folder.file("new.pem", certificate_of(key.get(), 10, 20));
  opened = http::open_tls(files);
  EXPECT_TRUE(opened.value);
  expect(opened.warning, {files.certificate_file, "not good yet", " UTC"});
}

} // namespace http_server_test
