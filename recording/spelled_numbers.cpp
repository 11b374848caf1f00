#include "recording/spelled_numbers.hpp"

#include "text/json_parse.hpp"
#include "text/json_text.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <vector>

namespace recording {

namespace json = boost::json;

namespace {

/// All of a JSON text, in their order.
std::vector<std::string_view> numbers_in(std::string_view text) {
  std::vector<std::string_view> out;
  for (size_t i = 0; i < text.size();) {
    if (text[i] == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i)
        i += text[i] == '\\' ? 1 : 0;
      ++i;
    } else if (text[i] == '-' || (text[i] >= '0' && text[i] <= '9')) {
      auto end = std::min(text.find_first_not_of("0123456789+-.eE", i), text.size());
      out.push_back(text.substr(i, end - i));
      i = end;
    } else {
      ++i;
    }
  }
  return out;
}

bool says(std::string_view text, const json::value& number) {
  json::value parsed;
  return text::parse_json(text, text::json_dialect::strict, parsed).what.empty() && parsed == number;
}

class writer {
public:
  writer(std::string& to, const std::vector<std::string_view>& numbers) : to_(to), numbers_(numbers) {}

  /// False: the numbers are not those of the value.
  bool write(const json::value& shown, const json::value& real) {
    auto *object = real.if_object(), *shown_object = shown.if_object();
    auto *list = real.if_array(), *shown_list = shown.if_array();
    if (object && shown_object && object->size() == shown_object->size())
      return write_members(*shown_object, *object);
    if (list && shown_list && list->size() == shown_list->size())
      return write_items(*shown_list, *list);
    if (!real.is_number()) {
      to_ += text::to_text(shown);
      return !real.is_structured();
    }
    if (next_ == numbers_.size() || !says(numbers_[next_], real))
      return false;
    shown.is_number() ? to_.append(numbers_[next_]) : to_.append(text::to_text(shown));
    ++next_;
    return true;
  }

  bool has_all() const { return next_ == numbers_.size(); }

private:
  bool write_members(const json::object& shown, const json::object& real) {
    auto beside = real.begin();
    to_ += '{';
    for (auto& [name, member] : shown) {
      to_ += beside == real.begin() ? "" : ",";
      to_.append(text::to_text(json::value(name))).append(":");
      if (!write(member, (beside++)->value()))
        return false;
    }
    to_ += '}';
    return true;
  }

  bool write_items(const json::array& shown, const json::array& real) {
    to_ += '[';
    for (size_t i = 0; i < real.size(); ++i) {
      to_ += i == 0 ? "" : ",";
      if (!write(shown[i], real[i]))
        return false;
    }
    to_ += ']';
    return true;
  }

  std::string& to_;
  const std::vector<std::string_view>& numbers_;
  size_t next_ = 0;
};

} // namespace

std::string with_numbers_of(const json::value& shown, const json::value& real, std::string_view text) {
  std::string out;
  auto numbers = numbers_in(text);
  writer all{out, numbers};
  return all.write(shown, real) && all.has_all() ? out : text::to_text(shown);
}

} // namespace recording
