#include "config/command_texts.hpp"

#include "config/command_words.hpp"
#include "config/home_goers.hpp"
#include "config/known_programs.hpp"
#include "config/shell_doubts.hpp"
#include "config/shell_words.hpp"
#include "config/text_order.hpp"
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

/// But for what `ssh -o ProxyCommand=...` starts here.
bool goes_elsewhere(const std::vector<text_word>& words) {
  return !words.empty() && is_remote(words[0].text) && std::none_of(words.begin(), words.end(), [](auto& word) {
    return word.text.find("Command") != word.text.npos;
  });
}

/// What stands in front may come behind.
bool repeats(const text_command& command) {
  constexpr std::string_view loops[] = {"while", "until", "for", "select", "function"};
  return std::any_of(command.words.begin(), command.words.end(),
                     [&](auto& word) { return is_among(word.text, loops); });
}

class text_finder {
public:
  explicit text_finder(const text_scope& scope) : scope_(scope) {}

  command_texts find(const std::vector<std::string>& words) && {
    text_command whole;
    whole.words.reserve(words.size());
    for (auto& word : words)
      whole.words.push_back({word == unread_word ? std::string{} : word});
    doubt(doubt_in(whole));
    follow_home(whole.words);
    if (std::any_of(words.begin(), words.end(), [](auto& word) { return word.find_first_of(beginnings) != word.npos; }))
      scope_.mentions = std::make_shared<const variable_mentions>(words);
    look_at(whole.words, 0);
    return std::move(out_);
  }

private:
  void look_at(const std::vector<text_word>& words, size_t depth) {
    auto uses = uses_of(words);
    bool was_remote = std::exchange(is_remote_, is_remote_ || goes_elsewhere(words));
    for (size_t i = 0; i < words.size(); ++i)
      if (words[i].is_known()) {
        read(words[i].text, uses[i], depth);
        read(std::string{attached_text(words, i)}, {shell_kind::posix}, depth);
      }
    is_remote_ = was_remote;
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
      if (!is_remote_ && is_sure)
        doubt(order_.doubt_at(command, read.functions));
      follow_home(command.words);
      take(command.words);
      take(command.inputs);
      look_at(command.words, depth + 1);
    }
    bool may_repeat = !read.functions.empty() || std::any_of(read.commands.begin(), read.commands.end(), repeats);
    if (!is_remote_ && is_sure && may_repeat)
      for (auto& command : read.commands)
        doubt(order_.doubt_at(command, read.functions));
    for (auto& output : read.outputs)
      if (!output.empty() && std::find(out_.words.begin(), out_.words.end(), output) != out_.words.end())
        doubt("it goes on with a file that it writes itself");
  }

  /// As if the text said it.
  void follow_home(const std::vector<text_word>& words) {
    auto goal = goes_home(words, scope_.home);
    if (goal == home_goal::none || is_remote_)
      return;
    if (scope_.home.empty() || goal == home_goal::other)
      doubt("it goes to the home folder of another user, or one that is not known");
    out_.words.insert(out_.words.end(), {"cd", scope_.home});
  }

  void take(const std::vector<text_word>& words) {
    for (auto& word : words)
      if (word.is_known() && !word.text.empty())
        out_.words.push_back(word.text);
  }

  /// What another machine starts, or a container, is no file of this one.
  void doubt(const std::string& why) { out_.doubt = out_.doubt.empty() && !is_remote_ ? why : out_.doubt; }

  text_scope scope_;
  text_order order_{scope_};
  bool is_remote_ = false; ///< what is read now
  size_t left_ = text_words_max;
  command_texts out_;
};

} // namespace

command_texts texts_among(const std::vector<std::string>& words, const text_scope& scope) {
  return text_finder{scope}.find(words);
}

} // namespace config
