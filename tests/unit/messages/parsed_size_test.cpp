#include "text/parsed_size.hpp"

#include "messages/document.hpp"

#include <gtest/gtest.h>

#include <string>

namespace messages_parsed_size_test {

std::string list_of(const std::string& element) {
  std::string out = "[" + element;
  for (int i = 0; i < 10'000; ++i)
    out += "," + element;
  return out + "]";
}

TEST(parsed_size, is_about_what_a_document_holds) {
  for (auto* element :
       {"1", "[]", "[[[1]]]", R"({"":0})", R"({"id":1,"name":"a"})", R"("a text of a few words, and no more")"}) {
    auto text = list_of(element);
    auto held = msg::document::parse(text).value.held_bytes();
    auto guessed = text::parsed_size(text);
    EXPECT_GE(guessed * 5, held * 4) << element;
    EXPECT_LE(guessed, held * 3) << element;
  }
}

TEST(parsed_size, of_a_text_is_its_own) {
  std::string text = "\"" + std::string(1'000'000, '[') + "\\\",,,{\"";
  EXPECT_LT(text::parsed_size(text), 1'000'200u);
}

} // namespace messages_parsed_size_test
