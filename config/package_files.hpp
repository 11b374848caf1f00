// What a package manager runs of a project by a name: the programs of a package that lies in it, or that `node_modules`
// only leads to. Where the look gives up, something is missing.
#pragma once

#include "config/file_look.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace config {

inline constexpr size_t package_programs_max = 64; ///< that it names, in its order; the largest packages have twenty
/// That as many patterns may lead to and are looked at for one name, 50 ms; what is beyond leaves out the
/// `package.json` (file_look::leave_out()).
inline constexpr size_t workspace_folders_max = 1'000;

/// Those that the `package.json` in `folder` names in `bin`, and the folder of `directories.bin`: as it names them,
/// seen from `folder`, there or not. None: it names none, can not be read, or is no JSON.
std::vector<std::filesystem::path> programs_of_package(const std::filesystem::path& folder, file_look& look);

/// What of the package, or program of a package, that `word` names (`my-mcp`, `@scope/my-mcp@1.2`) `node_modules` in
/// `folder` only leads to, by links: its `package.json` and programs_of_package(), as far as they are files. By their
/// names in `node_modules`, so that who keeps them keeps the links on the way, too (sandbox::all_names_of()). Nothing
/// of what lies in that folder itself.
std::vector<std::filesystem::path> files_behind_modules(const std::filesystem::path& folder, std::string_view word,
                                                        file_look& look);

/// What the settings of Yarn in `folder` (`.yarnrc.yml`, `.yarnrc`) say that is run instead of Yarn (`yarnPath`), seen
/// from there, there or not.
std::vector<std::filesystem::path> programs_of_yarn(const std::filesystem::path& folder, file_look& look);

/// Files that Node.js may find in the package in `folder` by that folder or its name: what its `main` and `exports`
/// say, with an ending that they leave out, or as a folder with an `index`, and the `index` of `folder`. Nothing of
/// patterns in `exports`.
std::vector<std::filesystem::path> entries_of_package(const std::filesystem::path& folder, file_look& look);

/// What Node.js finds by the name of a package, or of a file in one (`my-mcp/cli.js`), and `node_modules` in `folder`
/// only leads to; with the `package.json` of such a package. By their names in `node_modules`, as of
/// files_behind_modules().
std::vector<std::filesystem::path> modules_called(const std::filesystem::path& folder, std::string_view word,
                                                  file_look& look);

/// Folders of workspaces with that name in their `package.json`, as patterns of `workspaces` in the `package.json` of
/// `root`, or of its `pnpm-workspace.yaml`, lead to them; without a name all that have a `package.json`; package
/// managers find them there without `node_modules`. A name is that without its scope, too, as pnpm takes it.
std::vector<std::filesystem::path> workspaces_called(const std::filesystem::path& root, std::string_view name,
                                                     file_look& look);

/// Of a package manager: the next word names a workspace, or several (`-w`, `--filter`).
bool is_workspace_option(std::string_view word);
/// `-w NAME`, `-wNAME`, `npm_config_workspace=NAME`: what it says itself. Empty: nothing, or that is no such option.
std::string_view workspace_in(std::string_view option);
/// More than one workspace may be called so.
bool is_workspace_pattern(std::string_view name);

/// The folder of a package that `node_modules` in `folder` holds, or leads to. Empty: there is none, or `word` is no
/// name of a package.
std::filesystem::path folder_of_package(const std::filesystem::path& folder, std::string_view word, file_look& look);

} // namespace config
