#include "http/url.hpp"

#include <gtest/gtest.h>

namespace http_url_test {

TEST(url, what_leads_to_the_same_server_is_told_whole) {
  struct {
    const char *base, *reference, *whole;
  } const cases[] = {
    {"http://h/a/b", "/c?d=1", "http://h/c?d=1"},
    {"http://h/a/b?x", "c", "http://h/a/c"},
    {"http://h/a/b?x=/y/", "c", "http://h/a/c"},
    {"http://h", "c", "http://h/c"},
    {"http://h?x", "c", "http://h/c"},
    {"http://h/a?x", "?y", "http://h/a?y"},
    {"http://h/a?x", "", "http://h/a?x"},
    {"http://h/a", "/c#part", "http://h/c"},
    {"http://h/a", "http://h/c", "http://h/c"},
    {"http://h:80/a", "HTTP://H/c", "http://h:80/c"},
    {"https://h/a", "https://h:443", "https://h/"},
    {"https://[::1]:8/a", "//[::1]:8/c", "https://[::1]:8/c"},
    {"http://user:word@h/a", "http://h/c", "http://user:word@h/c"}, // who we are stays
    {"http://h/a", "http://other@h/c", "http://h/c"},
  };
  for (auto& c : cases)
    EXPECT_EQ(http::same_origin_url(c.base, c.reference), c.whole) << c.base << " " << c.reference;
}

TEST(url, what_leads_elsewhere_is_nothing) {
  struct {
    const char *base, *reference;
  } const cases[] = {
    {"http://h/a", "http://g/a"},
    {"http://h/a", "https://h/a"},
    {"http://h/a", "http://h:81/a"},
    {"http://h/a", "//g/a"},
    {"http://h/a", "javascript:1"},
    {"http://h/a", "file:///etc/passwd"},
    {"http://h/a", "http://h@g/a"},
    {"http://h/a", "http://h\\@g/a"},
    {"http://h/a", "/\\g/a"},
    {"http://h/a", "\\\\g/a"},
    {"http://h/a", "/a\r\nX: y"},
    {"ftp://h/a", "/b"},
    {"http://h/a", "http://"},
    {"h/a", "/b"},
    {"http://[::1]/a", "http://[::2]/a"},
    {"http://h/a", "http://h.g/a"},
    {"http://h/a", "http:///h/a"},
  };
  for (auto& c : cases)
    EXPECT_EQ(http::same_origin_url(c.base, c.reference), "") << c.base << " " << c.reference;
}

} // namespace http_url_test
