// What an editor reads of the tools of all servers: `wrappers/typescript/<server>.ts` and
// `wrappers/python/<server>.pyi`, and what belongs to them. The same tools give the same bytes.
#pragma once

#include "messages/tool_call.hpp"
#include "text/aliases.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace editors {

/// How the first line of every file of ours begins, behind the sign of a comment; the name of the file follows, and
/// " by". What begins otherwise, or is called otherwise, is the user's.
inline constexpr std::string_view generated_mark = "code-executor:generated ";
/// `path`: of the file, below any folder.
std::string marked_line(std::string_view comment, std::string_view path, std::string_view rest);
inline constexpr std::string_view typescript_folder = "wrappers/typescript", python_folder = "wrappers/python";
/// For who tells a checker to look there: the modules `mcp_<server>` and `mcp.servers.<server>`. Its name begins with a
/// dot, because a checker that walks over the whole project would take `mcp` there for the package of that name.
inline constexpr std::string_view stubs_folder = "wrappers/.stubs", server_stubs_folder = "wrappers/.stubs/mcp/servers";

/// A file of ours, by its path below a folder of the user's choice.
struct generated_file {
  std::string path;
  std::string text;
};

/// A configured server, and where its files are.
struct placed_server {
  std::string name;
  text::aliases aliases;       ///< among all servers
  std::string typescript_stem; ///< of its file: no path, no end
  std::string python_stem;
};

/// `names`: of all configured servers, in the order of the configuration. Gives them in the order of their names.
std::vector<placed_server> place_servers(const std::vector<std::string>& names);

/// The files of one server. `aliases`: of the tools, among all that the server lists.
std::vector<generated_file> files_of_server(const std::vector<placed_server>& all, const placed_server& server,
                                            const msg::tool_list& tools, const std::vector<text::aliases>& aliases);
std::string typescript_path(const placed_server& server);
/// Of all files of the server.
std::vector<std::string> paths_of(const placed_server& server);

std::string index_path();
/// The files that belong to those of all these servers.
std::vector<generated_file> files_of_all(const std::vector<placed_server>& servers);

} // namespace editors
