#include "synonyms.hpp"

#include "tool_search/words.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace tool_search {

namespace {

// A group a line: all words of a group count for each other, less than the word itself.
constexpr std::string_view groups[] = {
  "list show get display read retrieve fetch view",
  "open read load",
  "find search locate lookup query",
  "delete remove drop erase destroy",
  "create add new make insert register generate build",
  "append add attach",
  "write save store",
  "update edit change modify set alter",
  "replace substitute",
  "rename move",
  "copy duplicate clone",
  "run execute invoke launch start",
  "stop cancel end terminate kill",
  "send post publish submit",
  "upload import",
  "download fetch export",
  "calculate compute",
  "convert translate transform",
  "compare diff difference",
  "describe explain detail info information metadata",
  "check validate verify test",
  "analyze examine inspect",
  "summarize summary",
  "book reserve reservation",
  "buy purchase order",
  "folder directory",
  "file document",
  "database db",
  "repository repo",
  "image picture photo",
  "webpage website site url web",
  "email mail message",
  "user person people member",
  "price cost",
  "weather forecast",
  "history log",
  "link connection relation relationship",
  "task todo issue ticket",
  "movie film",
  "car vehicle",
  "phone telephone",
  "job position",
  "country nation",
  "stock share",
  "song music track",
};

using table = std::unordered_map<std::string, std::vector<std::string>>;

table by_stem() {
  stemmer s;
  table out;
  for (auto group : groups) {
    std::vector<std::string> stems;
    for (auto& w : words_of(group))
      stems.push_back(s.stem(w.text));
    for (auto& from : stems)
      for (auto& to : stems)
        if (auto& known = out[from]; from != to && std::find(known.begin(), known.end(), to) == known.end())
          known.push_back(to);
  }
  return out;
}

} // namespace

const std::vector<std::string>& synonyms_of(const std::string& stem) {
  static const table known = by_stem();
  static const std::vector<std::string> none;
  auto at = known.find(stem);
  return at == known.end() ? none : at->second;
}

} // namespace tool_search
