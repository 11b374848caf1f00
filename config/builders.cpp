#include "config/builders.hpp"

#include "config/known_programs.hpp"
#include "config/shell_programs.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

namespace config {

namespace {

constexpr std::string_view builders[] = {
  "cargo", "cargo-watch", "rustc",   "maturin",  "wasm-pack", "swift",   "swiftc",    "mvn",      "mvnw",
  "mvnd",  "gradle",      "gradlew", "ant",      "sbt",       "mill",    "scala-cli", "javac",    "kotlinc",
  "jbang", "stack",       "cabal",   "ghc",      "zig",       "bazel",   "buck2",     "bazelisk", "pants",
  "mix",   "rebar3",      "gleam",   "lein",     "clojure",   "clj",     "pixi",      "tsc",      "tsc-watch",
  "tspc",  "vue-tsc",     "nx",      "turbo",    "lerna",     "moon",    "rush",      "esbuild",  "swc",
  "vite",  "webpack",     "rollup",  "rolldown", "rspack",    "parcel",  "tsup",      "tsdown",   "unbuild",
  "ncc",   "cmake",       "ninja",   "meson",    "scons",     "xmake",   "dune",      "dart",     "flutter",
  "gcc",   "g++",         "clang",   "clang++",  "nim",       "crystal", "shards",    "devenv"};

/// Only with one of these verbs.
struct building_verb {
  std::string_view program, verb;
};
constexpr building_verb building_verbs[] = {
  {"dotnet", "run"},     {"dotnet", "watch"}, {"dotnet", "test"},   {"dotnet", "build"}, {"dotnet", "publish"},
  {"dotnet", "msbuild"}, {"dotnet", "pack"},  {"dotnet", "script"}, {"bun", "build"},    {"deno", "compile"},
  {"deno", "bundle"},    {"nim", "r"},        {"wrangler", "dev"}};

constexpr std::string_view verbs_of_go[] = {"run", "build", "install", "test", "generate", "tool"};
constexpr std::string_view verbs_of_nix[] = {"run", "develop", "shell", "build", "print-dev-env"};
/// Of `nix`: what they name lies here, whatever it is.
constexpr std::string_view local_options_of_nix[] = {"-f", "--file", "--expr", "-E"};
/// Behind them comes what is started.
constexpr std::string_view ends_of_nix[] = {"--", "-c", "--command", "--run"};

/// Of one command; what is beyond them lies here.
constexpr size_t builder_words_max = 200;

enum class source_place : uint8_t { here, elsewhere, unclear };

bool is_path(std::string_view word) {
  return word.starts_with('.') || word.starts_with('/') || word.starts_with('~') || word.starts_with("$PWD");
}

/// `.`, `path:x`, `.#x`; `github:a/b`, `nixpkgs#x`; or a value of an option.
source_place place_for_nix(std::string_view word, bool is_behind_option) {
  constexpr std::string_view local_schemes[] = {"path:", "git+file:", "file:", "tarball+file:", "#", "?"};
  for (auto scheme : local_schemes)
    if (word.starts_with(scheme))
      return source_place::here;
  if (is_path(word))
    return source_place::here;
  bool is_certain = word.find_first_of(":#") != word.npos || !is_behind_option;
  return is_certain ? source_place::elsewhere : source_place::unclear;
}

/// A name is one of this module, or of Go; with a version it is fetched.
source_place place_for_go(std::string_view word, bool is_behind_option) {
  if (word.ends_with(".go") || word.find('@') != word.npos)
    return source_place::elsewhere;
  return is_path(word) || !is_behind_option ? source_place::here : source_place::unclear;
}

/// Of the operands from `first` on; without any it is here. `is_one`: what follows the first is only told to it.
bool is_built_here(const std::vector<text_word>& words, size_t first, auto place_of, bool is_one) {
  bool is_elsewhere = false;
  for (auto i = first; i < words.size() && !is_among(words[i].text, ends_of_nix); ++i) {
    if (i - first > builder_words_max)
      return true;
    auto& before = words[i - 1].text;
    if (is_among(words[i].text, local_options_of_nix))
      return true;
    if (is_option_word(words[i]) || before == "-o")
      continue;
    auto place = place_of(words[i].text, is_option_word(words[i - 1]));
    if (place == source_place::here)
      return true;
    is_elsewhere = is_elsewhere || place == source_place::elsewhere;
    if (is_elsewhere && is_one)
      return false;
  }
  return !is_elsewhere;
}

/// Where the first of these verbs stands; as many as there are words: nowhere.
size_t verb_at(const std::vector<text_word>& words, size_t program, const auto& verbs) {
  auto at = program + 1;
  auto end = std::min(words.size(), program + builder_words_max);
  while (at < end && !is_among(words[at].text, verbs))
    ++at;
  return at < end ? at : words.size();
}

bool is_nix_shell_here(const std::vector<text_word>& words, size_t program) {
  auto end = std::min(words.size(), program + builder_words_max);
  for (auto i = program + 1; i < end && !is_among(words[i].text, ends_of_nix); ++i)
    if (words[i].text == "-p" || words[i].text == "--packages")
      return false;
  return true;
}

} // namespace

bool builds_from_sources(const std::vector<text_word>& words, size_t at) {
  auto name = program_called(words[at].text);
  auto verb = at + 1 < words.size() ? std::string_view{words[at + 1].text} : std::string_view{};
  for (auto& known : building_verbs)
    if (known.program == name && known.verb == verb)
      return true;
  if (name == "nix-shell")
    return is_nix_shell_here(words, at);
  if (name == "nix") {
    auto first = verb_at(words, at, verbs_of_nix);
    bool is_one = first < words.size() && words[first].text == "run";
    return first < words.size() && is_built_here(words, first + 1, place_for_nix, is_one);
  }
  if (name == "go") {
    auto first = verb_at(words, at, verbs_of_go);
    bool is_one = first < words.size() && words[first].text == "run";
    return first < words.size() && is_built_here(words, first + 1, place_for_go, is_one);
  }
  return is_among(name, builders);
}

} // namespace config
