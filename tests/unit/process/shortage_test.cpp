#include "process/shortage.hpp"

#include <gtest/gtest.h>

#include <cerrno>

namespace process_shortage_test {

TEST(shortage, of_descriptors_says_what_to_do) {
  EXPECT_EQ(process::error_text(EMFILE), "Too many open files; raise the limit of open files (ulimit -Hn, LimitNOFILE= "
                                         "of a service) of whatever starts code-executor");
  EXPECT_NE(process::error_text(ENFILE).find("fs.file-max"), std::string::npos);
}

TEST(shortage, another_error_is_what_the_system_says) { EXPECT_EQ(process::error_text(EACCES), "Permission denied"); }

TEST(shortage, an_exception_says_what_it_was_about) {
  EXPECT_TRUE(process::error_text(std::system_error{EMFILE, std::generic_category(), "pipe2"})
                .starts_with("pipe2: Too many open files; raise the limit"));
  EXPECT_EQ(process::error_text(std::system_error{EPERM, std::generic_category(), "pipe2"}),
            "pipe2: Operation not permitted");
}

TEST(shortage, may_be_over_in_a_moment) {
  for (auto error : {EMFILE, ENFILE, ENOMEM, EINTR, EAGAIN})
    EXPECT_TRUE(process::is_of_the_moment(error)) << error;
  for (auto error : {0, EACCES, ENOENT, EROFS, EBUSY})
    EXPECT_FALSE(process::is_of_the_moment(error)) << error;
}

} // namespace process_shortage_test
