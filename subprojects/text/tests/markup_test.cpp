#include "text/markup.hpp"

#include <gtest/gtest.h>

TEST(markup, what_means_something_is_written_out) {
  EXPECT_EQ(text::escape_markup("<a b=\"c\">&'"), "&lt;a b=&quot;c&quot;&gt;&amp;&#39;");
}

TEST(markup, what_no_xml_may_hold_is_replaced) {
  EXPECT_EQ(text::escape_markup("a\xEF\xBF\xBE"
                                "b\xEF\xBF\xBF"),
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD");
  EXPECT_EQ(text::escape_markup("\xEF\xBF\xBC\xEF\xBF"), "\xEF\xBF\xBC\xEF\xBF") << "others stay";
}
