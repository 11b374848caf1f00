// The languages a guest can speak: where their interpreters are on this machine and what box each needs.
#pragma once

#include "messages/errors.hpp"
#include "messages/run.hpp"
#include "sandbox/isolation/box.hpp"
#include "sandbox/runtimes/cache_recipe.hpp"

#include <string>

namespace sandbox {

/// Paths that were configured or found; empty: look in the usual places.
struct runtime_settings {
  std::string deno;        ///< DENO_PATH
  std::string python;      ///< PYTHON_PATH
  std::string search_path; ///< PATH
  std::string home;
  std::string program_folder; ///< where our own executable lies
  /// executors.python.venv: a virtual environment whose packages are to be had.
  std::string venv;
  std::string python_version;                                ///< executors.python.version, such as "3.11"; empty: any
  size_t memory_bytes = msg::limits::guest_memory_bytes_max; ///< of a guest: V8 is told of it, too
};

/// What was found on this machine, once, at start.
struct runtimes {
  msg::outcome<isolation_tools> tools;
  msg::outcome<box> typescript;
  msg::outcome<box> python;  ///< CPython, or what was chosen instead
  msg::outcome<box> pyodide; ///< needs no namespaces
  bool python_is_pyodide = false;

  const msg::outcome<box>& of(msg::language l) const { return l == msg::language::typescript ? typescript : python; }
};

/// Looks only at the file system, starts nothing. Every fault (runtime_missing) says where it looked and what to
/// install.
runtimes find_runtimes(const runtime_settings& settings);

/// The folder of what runs inside of guests; empty: the installation is incomplete.
std::string find_guest_files(const std::string& program_folder);
/// The modules of guest/typescript in one file (meson.build); empty, as above.
std::string find_typescript_guest(const std::string& program_folder);

/// One per language; see their files for what the box holds.
msg::outcome<box> find_deno(const runtime_settings& settings, const std::string& guest_files);
msg::outcome<box> find_cpython(const runtime_settings& settings, const std::string& guest_files);
/// Starts without a snapshot, which takes seconds; see pyodide.hpp.
msg::outcome<box> find_pyodide(const runtime_settings& settings, const std::string& guest_files);

/// Absolute, links followed.
msg::outcome<std::string> find_deno_executable(const runtime_settings& settings);

/// Where a box of Deno has what find_typescript_guest() found.
inline constexpr const char* typescript_guest_path = "/guest/typescript.js";

/// V8 reserves this for code at its start, and the kernel counts it as data (measured with V8 15).
inline constexpr size_t v8_code_range_bytes = 512u << 20;

/// The guest's modules as bytecode. Of the box that find_cpython() makes.
cache_recipe cpython_cache_recipe(const box& cpython);

/// Mounts and links for the shared libraries of this system.
void add_system_libraries(box& to);

} // namespace sandbox
