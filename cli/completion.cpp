#include "cli/completion.hpp"

#include "text/printable.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <utility>

namespace cli {

namespace {

const option_words* option_of(const verb_words& verb, std::string_view spelling) {
  for (auto& option : verb.options)
    if (std::find(option.spellings.begin(), option.spellings.end(), spelling) != option.spellings.end())
      return &option;
  return nullptr;
}

/// Where in the tree a line has come to.
class place {
public:
  explicit place(const verb_words& root) : verb_(&root) {}

  void go_on(const std::string& word) {
    if (wants_value_) {
      wants_value_ = nullptr;
    } else if (!is_all_positional_ && word == "--") {
      is_all_positional_ = true;
    } else if (!is_all_positional_ && word.starts_with('-') && word.size() > 1) {
      auto* option = option_of(*verb_, word); // with `=`, it has its value
      wants_value_ = option && option->value != value_kind::none && !option->may_lack_value ? option : nullptr;
    } else if (auto* verb = given_.empty() ? verb_of(word) : nullptr) {
      verb_ = verb;
    } else {
      given_.push_back(word);
    }
  }

  const verb_words& verb() const { return *verb_; }
  const option_words* wants_value() const { return wants_value_; }
  bool may_have_options() const { return !is_all_positional_; }
  const std::vector<std::string>& given() const { return given_; }

  /// Of the next one; null: there is none.
  const option_words* positional() const {
    auto& all = verb_->positionals;
    if (given_.size() < all.size())
      return &all[given_.size()];
    return !all.empty() && all.back().may_repeat ? &all.back() : nullptr;
  }

private:
  const verb_words* verb_of(const std::string& word) const {
    for (auto& verb : verb_->verbs)
      if (verb.name == word)
        return &verb;
    return nullptr;
  }

  const verb_words* verb_;
  const option_words* wants_value_ = nullptr;
  bool is_all_positional_ = false;
  std::vector<std::string> given_;
};

class offering {
public:
  offering(const place& at, const std::string& typed, const name_source& names)
    : at_(at),
      typed_(typed),
      names_(names) {}

  offer run() {
    auto equals = typed_.find('=');
    if (at_.wants_value()) {
      values(*at_.wants_value(), {});
    } else if (at_.may_have_options() && typed_.starts_with("--") && equals != typed_.npos) {
      if (auto* option = option_of(at_.verb(), typed_.substr(0, equals)); option)
        values(*option, typed_.substr(0, equals + 1));
    } else if (at_.may_have_options() && typed_.starts_with('-')) {
      options();
    } else {
      if (at_.given().empty())
        for (auto& verb : at_.verb().verbs)
          add(verb.name, verb.about);
      auto* next = at_.positional();
      if (next)
        values(*next, {});
      bool is_open = !next || (next->value == value_kind::text && next->choices.empty());
      if (is_open && out_.candidates.empty() && typed_.empty() && at_.may_have_options())
        options();
    }
    return std::move(out_);
  }

private:
  void options() {
    for (auto& option : at_.verb().options)
      for (auto& spelling : option.spellings)
        add(spelling, option.about);
  }

  void values(const option_words& of, const std::string& before) {
    for (auto& choice : of.choices)
      add(before + choice, {});
    auto& given = at_.given();
    switch (of.value) {
      case value_kind::none:
      case value_kind::text: break;
      case value_kind::file: out_.kind = offer_kind::files; break;
      case value_kind::folder: out_.kind = offer_kind::folders; break;
      case value_kind::server:
        if (names_.servers)
          add_names(names_.servers(), before);
        break;
      case value_kind::tool:
        if (names_.tools && !given.empty())
          add_names(names_.tools(given[0]), before);
        break;
      case value_kind::argument:
        if (names_.parameters && given.size() >= 2 && typed_.find('=') == typed_.npos) {
          for (auto& name : names_.parameters(given[0], given[1]))
            add(name + "=", {});
          out_.kind = out_.candidates.empty() ? offer_kind::words : offer_kind::beginnings;
        }
        break;
    }
  }

  void add_names(const std::vector<std::string>& names, const std::string& before) {
    for (auto& name : names)
      add(before + name, {});
  }

  void add(const std::string& word, const std::string& about) {
    if (out_.candidates.size() < candidates_max && word.starts_with(typed_) && text::printable(word) == word)
      out_.candidates.push_back({word, text::printable(about)});
  }

  const place& at_;
  const std::string& typed_;
  const name_source& names_;
  offer out_;
};

bool is_plain(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || static_cast<unsigned char>(c) >= 0x80
         || std::strchr("_-./=:@,+%", c);
}

} // namespace

offer complete(const verb_words& root, const std::vector<std::string>& words, const name_source& names) {
  place at{root};
  for (size_t i = 0; i + 1 < words.size(); ++i)
    at.go_on(words[i]);
  static const std::string nothing;
  return offering{at, words.empty() ? nothing : words.back(), names}.run();
}

typed_line read_line(std::string_view line) {
  typed_line out;
  std::string word;
  bool is_in_word = false;
  for (size_t i = 0; i < line.size(); ++i) {
    char c = line[i];
    if (!out.quote && std::isspace(static_cast<unsigned char>(c))) {
      if (std::exchange(is_in_word, false))
        out.words.push_back(std::exchange(word, {}));
      out.replaced_from = 0;
      continue;
    }
    is_in_word = true;
    if (c == out.quote) {
      out.quote = 0;
    } else if (!out.quote && (c == '\'' || c == '"')) {
      out.quote = c;
      out.replaced_from = word.size();
    } else if (c == '\\' && out.quote != '\'' && i + 1 < line.size()) {
      word += line[++i];
    } else {
      word += c;
      if (!out.quote && (c == '=' || c == ':' || c == '@'))
        out.replaced_from = word.size();
    }
  }
  out.words.push_back(word);
  if (!out.words.empty())
    out.words.erase(out.words.begin()); // the program
  return out;
}

std::string for_bash(const std::string& candidate, const typed_line& line) {
  auto rest = candidate.substr(std::min(line.replaced_from, candidate.size()));
  if (line.quote == '"'
      && rest.find('!') != rest.npos) // which means a line of the history there, whatever is before it
    return {};
  std::string out;
  for (char c : rest) {
    if (line.quote == '\'') {
      out += c == '\'' ? std::string{"'\\''"} : std::string{c};
      continue;
    }
    if (line.quote == '"' ? std::strchr("\"\\$`", c) != nullptr : !is_plain(c))
      out += '\\';
    out += c;
  }
  return out;
}

} // namespace cli
