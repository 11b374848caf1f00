#include "corpus.hpp"

namespace corpus {

using content_filter::content_class;
using strings = std::vector<std::string>;

namespace {

/// With the last digit that makes it right.
std::string card_number(std::string_view begin, size_t digits, unsigned seed) {
  auto out = std::string{begin} + made("d" + std::to_string(digits - begin.size() - 1), seed);
  unsigned sum = 0;
  for (size_t i = 0; i < out.size(); ++i) {
    auto value = static_cast<unsigned>(out[out.size() - 1 - i] - '0') * (i % 2 == 0 ? 2 : 1);
    sum += value / 10 + value % 10;
  }
  return out + static_cast<char>('0' + (10 - sum % 10) % 10);
}

std::string grouped(std::string_view digits, std::vector<size_t> sizes, char separator) {
  std::string out;
  for (auto size : sizes) {
    out.append(digits.substr(0, size)) += separator;
    digits.remove_prefix(size);
  }
  out.pop_back();
  return out;
}

strings cards() {
  strings out;
  unsigned seed = 40'000;
  for (auto* begin : {"4", "51", "55", "2221", "2720", "6011", "65", "3528", "62"})
    for (int i = 0; i < 3; ++i) {
      auto number = card_number(begin, 16, seed++);
      out.push_back(number);
      for (auto separator : {' ', '-'})
        out.push_back(grouped(number, {4, 4, 4, 4}, separator));
    }
  for (auto* begin : {"34", "37"})
    for (int i = 0; i < 3; ++i) {
      auto number = card_number(begin, 15, seed++);
      out.push_back(number);
      for (auto separator : {' ', '-'})
        out.push_back(grouped(number, {4, 6, 5}, separator));
    }
  for (auto* begin : {"36", "38"})
    out.push_back(card_number(begin, 14, seed++));
  return out;
}

const strings people{"jane.doe@example.com",
                     "j_doe+news@mail.example.co.uk",
                     "JANE@EXAMPLE.ORG",
                     "a@b.io",
                     "first-last@sub.example.museum",
                     "user%40example.com",
                     "x1@xn--bcher-kva.example",
                     "o.k.1987@uni-example.de"};
const strings ssns{"078-05-1120", "123-45-6789", "899-99-9999", "001-01-0001"};
const strings phones{"+1 415 555 2671",
                     "+1-415-555-2671",
                     "+14155552671",
                     "+1 (415) 555-2671",
                     "(415) 555-2671",
                     "(415)555-2671",
                     "415-555-2671",
                     "1-800-555-0199",
                     "415.555.2671",
                     "415 555-2671",
                     "+44 20 7183 8750",
                     "+44 (0)20 7183 8750",
                     "+442071838750",
                     "+49 30 12345678",
                     "+49 (0) 171 1234567",
                     "+33 1 42 68 53 00",
                     "+33.1.42.68.53.00",
                     "+91 98765 43210",
                     "+86 138 0013 8000",
                     "+81-3-1234-5678",
                     "+353 1 234 5678",
                     "+61 2 9374 4000",
                     "+55 11 91234-5678",
                     "+7 (495) 123-45-67",
                     "+1\xE2\x80\x91"
                     "415\xE2\x80\x91"
                     "555\xE2\x80\x91"
                     "2671",
                     "+41\xC2\xA0"
                     "44\xC2\xA0"
                     "668\xC2\xA0"
                     "18\xC2\xA0"
                     "00"};
const strings around_data{"@@",
                          "Write to @@ today.",
                          "It is @@.",
                          "It is @@, or was; 5 of them.",
                          "(@@)",
                          "<@@>",
                          R"({"value":"@@","n":1})",
                          R"({"text":"first\n@@\nlast"})",
                          "value=@@&n=1",
                          "name,value\nx,@@\ny,1\n",
                          "| x | @@ |",
                          "x\t@@\t1\n",
                          "- @@\n- 2\n"};

} // namespace

std::vector<example> personal_data() {
  std::vector<example> out;
  for (auto& context : around_data) {
    for (auto& person : people)
      add(out, "e-mail", content_class::email, context, person);
    for (auto& number : ssns)
      add(out, "SSN", content_class::ssn, context, number);
    for (auto& number : cards())
      add(out, "card", content_class::card, context, number);
    for (auto& number : phones)
      add(out, "phone", content_class::phone, context, number);
  }
  for (auto* context : {"mailto:@@?subject=x", "contact: \"@@\"", "by A. Person <@@>, 2026"})
    for (auto& person : people)
      add(out, "e-mail", content_class::email, context, person);
  for (auto* context : {"Phone: @@", "tel: @@", "\"phone\": \"@@\"", "phone_number=@@", "Fax @@.", "Mobile: @@\n"})
    for (auto* number :
         {"030 12345678", "0171 1234567", "(030) 123 456 78", "020 7183 8750", "4155552671", "01 42 68 53 00"})
      add(out, "phone, by name", content_class::phone, context, number);
  add(out, "card with code", content_class::card, "Card @@ 123, expires 12/29",
      "4111"
      " 1111"
      " 1111"
      " 1111");
  add(out, "card with date", content_class::card, "@@ 12/29 123",
      "4111"
      "1111"
      "1111"
      "1111");
  return out;
}

} // namespace corpus
