#include "deprecation.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace tool_search {

namespace {

/// What stands further behind is not looked at: who deprecates a tool says so early.
constexpr size_t description_bytes_max = 4'096;
/// Before "is deprecated", where "this" must stand.
constexpr size_t subject_bytes_max = 60;

constexpr std::array<std::string_view, 2> words{"deprecated", "obsolete"};
constexpr std::array<std::string_view, 8> advice{"use ",   "in favo",  "please",     "prefer",
                                                 "since ", "replaced", "superseded", "and will be removed"};
constexpr std::array<std::string_view, 6> verbs_of_being{"is", "is now", "now", "has been", "been", "is being"};
constexpr std::string_view decoration = " \t*_`~";

std::string lower_case(std::string_view text) {
  std::string out{text};
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

std::string_view without_end(std::string_view text) { return text.substr(0, text.find_last_not_of(decoration) + 1); }

/// One place where the word stands, in lower case: what goes before it and what follows.
struct mention {
  std::string_view before, after;

  bool is_heading() const {
    auto text = without_end(before);
    bool begins = text.empty() || std::string_view{".!?:;\n\r[(<-|"}.find(text.back()) != std::string_view::npos;
    auto rest = after.substr(std::min(after.find_first_not_of("*_`~"), after.size()));
    bool is_marked = rest.size() < after.size(); // "**Deprecated** Reads."
    bool ends = is_marked || rest.empty() || rest.starts_with(" -")
                || std::string_view{":.,;]!)>-\n\r"}.find(rest.front()) != std::string_view::npos;
    return begins && ends;
  }
  bool is_followed_by_advice() const {
    auto rest = after.substr(std::min(after.find_first_not_of(" \t*_`~:.,;!])>-\n\r"), after.size()));
    return std::any_of(advice.begin(), advice.end(), [&](auto& a) { return rest.starts_with(a); });
  }
  bool is_said_of_this() const {
    auto text = without_end(before);
    if (std::none_of(verbs_of_being.begin(), verbs_of_being.end(), [&](auto& v) { return text.ends_with(v); }))
      return false;
    auto subject = text.substr(text.size() - std::min(text.size(), subject_bytes_max));
    auto sentence = subject.substr(subject.find_last_of(".!?\n") + 1);
    return sentence.find("this") != sentence.npos;
  }
};

} // namespace

bool calls_itself_deprecated(std::string_view description) {
  auto text = lower_case(description.substr(0, description_bytes_max));
  std::string_view all{text};
  for (auto word : words)
    for (auto at = all.find(word); at != all.npos; at = all.find(word, at + word.size())) {
      mention m{all.substr(0, at), all.substr(at + word.size())};
      if (m.is_heading() || m.is_followed_by_advice() || m.is_said_of_this())
        return true;
    }
  return false;
}

} // namespace tool_search
