#include "actors/run/notes.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace actors_run_notes_test {

using actors::run::notes;

std::string told(notes n) {
  msg::captured_text stderr_text;
  std::move(n).append_to(stderr_text);
  return stderr_text.head;
}

TEST(notes, are_told_once_each_and_in_order) {
  notes n;
  n.add("b");
  n.add("a");
  n.add("b");
  EXPECT_EQ(told(n), "b\na\n");
  EXPECT_EQ(told(notes{}), "");
}

TEST(notes, of_the_last_search_come_after_all_others) {
  notes n;
  n.set_hint("nothing fits");
  n.set_hint("nothing fits either");
  n.add("a");
  EXPECT_EQ(told(n), "a\nnothing fits either\n");
  n.set_hint("");
  EXPECT_EQ(told(n), "a\n") << "the last search found something";
}

TEST(notes, are_bounded) {
  notes n;
  for (size_t i = 0; i < notes::lines_max + 5; ++i)
    n.add("line " + std::to_string(i));
  n.set_hint("hint");
  auto text = told(n);
  EXPECT_EQ(static_cast<size_t>(std::count(text.begin(), text.end(), '\n')), notes::lines_max);
  EXPECT_EQ(text.find("hint"), std::string::npos);
}

TEST(notes, stand_behind_what_the_program_has_printed) {
  notes n;
  n.add("a");
  msg::captured_text cut{"head ", " tail\n", 10};
  std::move(n).append_to(cut);
  EXPECT_EQ(cut.head, "head ");
  EXPECT_EQ(cut.tail, " tail\na\n");
}

} // namespace actors_run_notes_test
