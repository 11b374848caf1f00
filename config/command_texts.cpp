#include "config/command_texts.hpp"

#include "config/command_words.hpp"
#include "config/shell_doubts.hpp"
#include "config/shell_words.hpp"
#include "messages/limits.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

namespace config {

namespace {

/// Of what a shell puts something in for.
constexpr std::string_view beginnings = "$`";

class text_finder {
public:
  explicit text_finder(const text_scope& scope) : scope_(scope) {}

  command_texts find(const std::vector<std::string>& words) && {
    text_command whole;
    whole.words.reserve(words.size());
    for (auto& word : words)
      whole.words.push_back({word == unread_word ? std::string{} : word});
    doubt(doubt_in(whole));
    if (std::any_of(words.begin(), words.end(), [](auto& word) { return word.find_first_of(beginnings) != word.npos; }))
      scope_.mentions = std::make_shared<const variable_mentions>(words);
    look_at(whole.words, 0);
    return std::move(out_);
  }

private:
  void look_at(const std::vector<text_word>& words, size_t depth) {
    auto uses = uses_of(words);
    for (size_t i = 0; i < words.size(); ++i)
      if (words[i].is_known())
        read(words[i].text, uses[i], depth);
  }

  void read(const std::string& text, word_use use, size_t depth) {
    bool is_sure = use.shell != shell_kind::none;
    bool is_text = text.find_first_of(" \t\n;&|") != text.npos && !use.is_code;
    if (text.empty() || !(is_sure || is_text) || text.size() > msg::limits::argument_bytes_max
        || (!is_sure && strings_in_json(text)))
      return;
    if (depth >= nested_texts_max || left_ == 0)
      return doubt(is_sure ? "it holds more texts in one another than are looked at" : "");
    --left_;
    auto read = read_shell_text(text, scope_);
    if (!is_sure && !is_like_text(read))
      return;
    out_.is_any = true;
    doubt(is_plain_for(use.shell, text) ? "" : "it holds what means something else in this shell than in sh");
    doubt(read.doubt.empty() ? "" : "it holds " + read.doubt);
    for (auto& command : read.commands) {
      doubt(doubt_in(command));
      take(command.words);
      take(command.inputs);
      look_at(command.words, depth + 1);
    }
  }

  void take(const std::vector<text_word>& words) {
    for (auto& word : words)
      if (word.is_known() && !word.text.empty())
        out_.words.push_back(word.text);
  }

  void doubt(const std::string& why) { out_.doubt = out_.doubt.empty() ? why : out_.doubt; }

  text_scope scope_;
  size_t left_ = text_words_max;
  command_texts out_;
};

} // namespace

command_texts texts_among(const std::vector<std::string>& words, const text_scope& scope) {
  return text_finder{scope}.find(words);
}

} // namespace config
