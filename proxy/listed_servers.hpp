// How much of what is configured an answer tells. A project that was cloned says how many servers it names and how many
// things are wrong with them, and nobody has approved any of it: that does not make answers of megabytes.
#pragma once

#include "messages/servers.hpp"

#include <boost/json/array.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace proxy {

/// Servers in one answer: of all, and of those that wait for an approval or were refused one.
inline constexpr size_t listed_servers_max = 1'000, listed_waiting_max = 50;
/// Files that are named with the number of their other servers.
inline constexpr size_t listed_files_max = 20;
/// Problems, files of a configuration, and files with an entry of the same name.
inline constexpr size_t listed_problems_max = 50, listed_sources_max = 100, listed_shadows_max = 10;
/// Of one problem.
inline constexpr size_t listed_problem_bytes_max = 1'000;

struct listed_servers {
  std::vector<const msg::server_status*> told; ///< in the order of the list, which they point into
  std::map<std::string, size_t> more;          ///< how many of a file are not told
};

/// What stands first; the user's servers do not make room for those that nobody has approved.
listed_servers listed(const std::vector<msg::server_status>& servers);

/// `[{file, more: N}, ...]`, for all files that are too many to be named `{more: N}`. Empty: all servers are told.
boost::json::array more_doc(const listed_servers& servers);

/// The first of these texts, each bounded, and for the others `and N more WHAT`.
boost::json::array first_of(const std::vector<std::string>& texts, size_t texts_max, std::string_view what);

/// A problem, cut where it is too long.
std::string problem_text(const std::string& problem);

} // namespace proxy
