#include "config/command_options.hpp"

#include <algorithm>

namespace config {

namespace {

bool has_option_name(std::string_view names, std::string_view name) {
  while (!names.empty()) {
    auto end = std::min(names.find(' '), names.size());
    if (names.substr(0, end) == name)
      return true;
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return false;
}

class option_reader {
public:
  option_reader(const std::vector<std::string>& words, size_t first, const option_table& table)
    : words_(words),
      table_(table) {
    out_.rest = first;
  }

  read_options read() && {
    out_.is_certain = true;
    for (; out_.is_certain && out_.rest < words_.size(); ++out_.rest) {
      std::string_view word = words_[out_.rest];
      if (word == "--" || !word.starts_with('-') || word == "-") {
        out_.rest += word == "--" ? 1 : 0;
        break;
      }
      out_.is_certain = word.starts_with("--") ? take_long(word.substr(2)) : take_letters(word.substr(1));
    }
    out_.is_certain = out_.is_certain && out_.rest <= words_.size(); // else the last one lacks its value
    return std::move(out_);
  }

private:
  bool take_long(std::string_view option) {
    auto equals = option.find('=');
    auto name = std::string{option.substr(0, equals)};
    if (equals != option.npos) {
      out_.given.emplace_back(name, option.substr(equals + 1));
      return true;
    }
    if (has_option_name(table_.long_flags, name)) {
      out_.given.emplace_back(name, "");
      return true;
    }
    return (has_option_name(table_.long_valued, name) || table_.others_are_valued) && take_next(name);
  }

  bool take_letters(std::string_view letters) {
    for (size_t i = 0; i < letters.size(); ++i) {
      auto letter = std::string{letters.substr(i, 1)};
      if (table_.valued.find(letter) != table_.valued.npos && i + 1 == letters.size())
        return take_next(letter);
      if (table_.valued.find(letter) != table_.valued.npos) {
        out_.given.emplace_back(letter, letters.substr(i + 1));
        return true;
      }
      if (table_.flags.find(letter) == table_.flags.npos)
        return false;
      out_.given.emplace_back(letter, "");
    }
    return true;
  }

  bool take_next(const std::string& name) {
    if (++out_.rest >= words_.size())
      return false;
    out_.given.emplace_back(name, words_[out_.rest]);
    return true;
  }

  const std::vector<std::string>& words_;
  const option_table& table_;
  read_options out_;
};

} // namespace

const std::string* read_options::find(std::string_view letter_or_name) const {
  auto found = std::find_if(given.rbegin(), given.rend(), [&](auto& option) { return option.first == letter_or_name; });
  return found == given.rend() ? nullptr : &found->second;
}

read_options read_options_of(const std::vector<std::string>& words, size_t first, const option_table& table) {
  return option_reader{words, first, table}.read();
}

} // namespace config
