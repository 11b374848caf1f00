#include "proxy/listed_servers.hpp"

#include "text/utf8.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>

namespace proxy {

namespace json = boost::json;
using msg::server_state;

namespace {

bool is_waiting(const msg::server_status& s) {
  return s.state == server_state::unapproved || s.state == server_state::rejected;
}

} // namespace

listed_servers listed(const std::vector<msg::server_status>& servers) {
  auto waiting = static_cast<size_t>(std::count_if(servers.begin(), servers.end(), is_waiting));
  auto waiting_room = std::min(waiting, listed_waiting_max);
  auto room = listed_servers_max - waiting_room;
  listed_servers out;
  for (auto& s : servers) {
    auto& left = is_waiting(s) ? waiting_room : room;
    if (left > 0) {
      --left;
      out.told.push_back(&s);
    } else {
      ++out.more[s.source];
    }
  }
  return out;
}

json::array more_doc(const listed_servers& servers) {
  json::array out;
  size_t others = 0;
  for (auto& [file, count] : servers.more)
    if (out.size() < listed_files_max)
      out.push_back(json::object{{"file", file}, {"more", count}});
    else
      others += count;
  if (others > 0)
    out.push_back(json::object{{"more", others}});
  return out;
}

json::array first_of(const std::vector<std::string>& texts, size_t texts_max, std::string_view what) {
  json::array out;
  for (size_t i = 0; i < std::min(texts.size(), texts_max); ++i)
    out.push_back(json::string{problem_text(texts[i])});
  if (texts.size() > texts_max)
    out.push_back(json::string{"and " + std::to_string(texts.size() - texts_max) + " more " + std::string{what}});
  return out;
}

std::string problem_text(const std::string& problem) {
  return problem.size() <= listed_problem_bytes_max ? problem : text::excerpt(problem, listed_problem_bytes_max);
}

} // namespace proxy
