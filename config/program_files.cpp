#include "config/program_files.hpp"

#include "config/code_variables.hpp"
#include "config/command_texts.hpp"
#include "config/command_words.hpp"
#include "config/known_programs.hpp"
#include "config/package_files.hpp"
#include "config/possible_words.hpp"
#include "config/search_path.hpp"
#include "config/seen_words.hpp"
#include "config/shell_programs.hpp"
#include "config/shell_words.hpp"
#include "messages/limits.hpp"
#include "process/inside.hpp"
#include "text/percent.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace config {

namespace fs = std::filesystem;
using process::path_kind;

namespace {

/// A folder that a word names.
struct named_folder {
  fs::path path;
  bool is_in_text = false; ///< in more than one word
  bool is_before = false;  ///< no manager stands in front of it
};

class file_finder {
public:
  explicit file_finder(file_look& look) : look_(look) { look_.begin_entry(); }

  program_places find(command_line line) && {
    usual_path_ = line.usual_path.empty() ? line.path : line.usual_path;
    for (int i = 0; i <= wrappers_max; ++i) {
      read(line);
      auto inner = inner_command(line);
      if (!inner)
        break;
      line = std::move(*inner);
    }
    go_on_from_new_folders();
    for (auto& word : words_)
      add_files(word, folders_);
    for (auto& word : words_in_json_)
      add_files(word, starts_);
    for (auto& word : words_)
      add_searched(word);
    add_interpreters();
    place_named_folders();
    add_those_of_managers();
    add_those_that_files_say();
    add_interpreters(); // of what has come
    if (look_.is_lost())
      std::erase_if(out_, [this](auto& file) { return look_.is_unknown(file); });
    return {std::move(out_), closed_folders()};
  }

private:
  std::vector<closed_folder> closed_folders() const {
    std::vector<closed_folder> out;
    auto close = [&](const fs::path& folder, const std::string& file, const std::string& why) {
      auto path = (folder.has_filename() ? folder : folder.parent_path()).string(); // else it ends with a slash
      if (std::none_of(out.begin(), out.end(), [&](auto& closed) { return closed.path == path; }))
        out.push_back({std::move(path), file, why});
    };
    for (auto& [file, why] : look_.unread())
      close(fs::path{file}.parent_path(), file, why);
    for (auto folder = goals_.begin(); !doubt_.empty() && folder != goals_.end(); ++folder)
      close(*folder, {}, doubt_);
    for (auto* folders : {&starts_, &folders_, &beyond_})
      for (auto folder = folders->begin(); (look_.is_lost() || is_cut_) && folder != folders->end(); ++folder)
        close(*folder, {}, {});
    return out;
  }

  void read(const command_line& line) {
    home_ = line.home;
    search_path_ = line.path;
    add_folder(line.cwd);
    add_start(line.cwd);
    add_to(goals_, line.cwd);
    add_search_path(line.path, line.cwd);
    auto& program = line.words.at(0);
    bool is_searched = program.find('/') == program.npos;
    if (program != unread_word && !program.empty())
      add_file(is_searched ? searched(program, line.path, line.cwd, look_) : fs::path{line.cwd} / program);
    read_words(line.words);
    for (auto& [name, value] : line.variables)
      if (is_expanded_by_shell(name, value))
        doubt_ = "'" + name + "' is a text that a shell expands";
      else
        read_words(words_naming_code(name, value));
    auto class_path = line.variables.find(class_path_variable);
    add_class_folders(line.words, class_path == line.variables.end() ? "" : class_path->second);
    read_texts(line);
    for (auto& word : line.words)
      if (word.size() <= msg::limits::argument_bytes_max && word.find_first_of(word_ends) != word.npos) {
        auto strings = strings_in_json(word);
        is_in_json_ = strings.has_value();
        is_in_text_ = true;
        for (auto& text : strings ? *strings : std::set{word}) {
          if (strings)
            read_words({text});
          read_words(split_script(text)); // with quotes and escapes
        }
        read_words(pieces_of(word));
        is_in_json_ = is_in_text_ = false;
      }
  }

  /// A new file in one of its folders is started instead of what is found behind that, or as what starts a script.
  void add_search_path(const std::string& value, const fs::path& cwd) {
    searches_.emplace_back(value, cwd);
    auto parts = search_folders(value, usual_path_);
    is_cut_ = is_cut_ || parts.size() > search_folders_max;
    for (size_t i = 0; i < parts.size() && i < search_folders_max; ++i)
      add_code_folder(seen_from(cwd, parts[i], home_), "'PATH'");
  }

  void add_code_folder(const fs::path& named, const std::string& by) {
    auto folder = (named / "").lexically_normal().parent_path();
    if (std::any_of(goals_.begin(), goals_.end(), [&](auto& goal) { return process::inside(goal, folder); }))
      doubt_ = by + " has the folder in it that it is started in, or one above";
    else
      add(folder);
  }

  /// With quotes in quotes, and what is known of variables.
  void read_texts(const command_line& line) {
    text_scope scope{line.home, repository_above(line.cwd, look_), line.variables};
    scope.variables.try_emplace("PATH", line.path);
    scope.cwd = (fs::path{line.cwd} / "").lexically_normal().parent_path().string();
    auto texts = texts_among(line.words, scope);
    has_text_ = has_text_ || texts.is_any;
    doubt_ = doubt_.empty() ? texts.doubt : doubt_;
    is_in_text_ = true;
    read_words(texts.words);
    is_in_text_ = false;
    add_class_folders(texts.words, {});
    for (auto& word : texts.words) {
      if (word.find_first_of(word_ends) != word.npos)
        read_words(pieces_of(word));
      if (word.starts_with(path_assignment))
        add_search_path(word.substr(path_assignment.size()), line.cwd);
    }
  }

  void read_words(const std::vector<std::string>& words) {
    auto start = start_kind::none;
    bool is_workspace = false; // the next one
    for (auto& text : words) {
      auto word = bare(text);
      what_.note(fs::path{word}.filename().string());
      auto value = std::string{value_in(word)};
      auto of_value = start_behind(word);
      take_spellings(word, start);
      take_spellings(value, of_value);
      if (is_workspace)
        take_workspace(word);
      take_workspace(std::string{workspace_in(word)});
      auto name = word.substr(0, word.find('='));
      what_.is_each_workspace = what_.is_each_workspace || is_among(name, all_workspaces);
      what_.is_each_of_pnpm = what_.is_each_of_pnpm || is_among(name, pnpm_all_workspaces);
      what_.is_pnpm = what_.is_pnpm || word.starts_with("@pnpm/"); // `npx @pnpm/exe`
      what_.is_package = what_.is_package || name == "--run";      // Node.js runs a script of package.json
      start = word.find('=') == word.npos && value.empty() ? of_value : start_kind::none;
      is_workspace = is_workspace_option(word);
    }
  }

  void take_workspace(const std::string& name) {
    if (name.empty() || name.find('\0') != name.npos
        || std::find(workspaces_.begin(), workspaces_.end(), name) != workspaces_.end())
      return;
    is_cut_ = is_cut_ || workspaces_.size() >= folders_read_max;
    if (workspaces_.size() >= folders_read_max)
      return;
    workspaces_.push_back(name);
    what_.is_each_workspace = what_.is_each_workspace || is_workspace_pattern(name);
  }

  /// As it is, and as it names a file in a URL, whole or without what stands in front.
  void take_spellings(const std::string& word, start_kind start) {
    take(word, start);
    if (word.find('%') != word.npos)
      take(text::percent_decoded(word), start);
    if (auto path = path_in_url(word); !path.empty())
      take(path, start);
    for (auto& other : other_spellings(word))
      take(other, start);
  }

  /// `start`: if it names a folder.
  void take(const std::string& word, start_kind start) {
    if (word.empty() || word == unread_word || word.find('\0') != word.npos)
      return;
    auto& words = is_in_json_ ? words_in_json_ : words_;
    if (!is_in_json_ && seen_words_.has({word, start, is_in_text_}, folders_.size()))
      return;
    if (std::find(words.begin(), words.end(), word) != words.end())
      return take_folders(word, start);
    if (words_.size() + words_in_json_.size() >= words_read_max)
      return close_beyond(word);
    words.push_back(word);
    take_folders(word, start);
  }

  void take_folders(const std::string& word, start_kind start) {
    if (is_in_json_ || look_.is_exhausted())
      return;
    for (size_t i = 0, known = folders_.size(); i < known; ++i)
      for (auto& path : ways_to(seen_from(folders_[i], word, home_), look_)) {
        if (!is_kind(path, path_kind::folder))
          continue;
        add_folder(path);
        if (start == start_kind::all) {
          add_start(path);
          add_to(goals_, path);
        }
        add_named(path);
      }
  }

  /// `cd "$2" && cd "$1"`: what a word names may be seen from a folder that a later one names.
  void go_on_from_new_folders() {
    is_in_text_ = true;
    for (size_t known = 0; has_text_ && known != folders_.size();) {
      known = folders_.size();
      for (auto& [seen, folders] : seen_words_.all())
        take_folders(seen.word, seen.start);
    }
    is_in_text_ = false;
  }

  /// What more words than are looked for in all folders lead to is not known: where such a word leads to is closed, as
  /// it is seen from the first folder; the look has a bound of its own.
  void close_beyond(const std::string& word) {
    is_cut_ = true;
    if (words_beyond_left_ == 0)
      return;
    --words_beyond_left_;
    auto path = seen_from(folders_.front(), word, home_).lexically_normal();
    auto kind = look_.kind_of(path.string());
    auto folder = kind == path_kind::file ? path.parent_path() : path;
    if ((kind == path_kind::file || kind == path_kind::folder)
        && std::find(beyond_.begin(), beyond_.end(), folder) == beyond_.end())
      beyond_.push_back(std::move(folder));
  }

  void add_to(std::vector<fs::path>& folders, const fs::path& folder) {
    if (std::find(folders.begin(), folders.end(), folder) != folders.end())
      return;
    is_cut_ = is_cut_ || folders.size() >= folders_read_max;
    (folders.size() < folders_read_max ? folders : beyond_).push_back(folder);
  }

  void add_folder(const fs::path& folder) {
    for (auto& way : ways_to(folder, look_))
      add_to(folders_, way);
  }

  /// It is known later whether something is started there.
  void add_named(const fs::path& path) {
    auto known = std::find_if(named_.begin(), named_.end(), [&](auto& named) { return named.path == path; });
    bool is_before = !what_.is_any();
    if (known == named_.end())
      known = named_.insert(known, {path, is_in_text_, is_before});
    known->is_in_text = known->is_in_text || is_in_text_;
    known->is_before = known->is_before || is_before;
  }

  /// What stands in front of a manager, or in a text for a shell, may be where it is started. What it is given as an
  /// argument is a folder of what it starts, mostly.
  void place_named_folders() {
    for (auto& named : named_)
      if (what_.is_any() && (has_text_ || named.is_in_text || named.is_before))
        add_start(named.path);
      else
        add_to(told_, named.path);
  }

  void add_those_that_files_say() {
    for (size_t i = 0, known = out_.size(); i < known; ++i) {
      for (auto& word : words_naming_code_in(out_[i], look_))
        add_files(word, folders_);
      if (auto environment = environment_of(out_[i], look_); !environment.empty())
        add(environment);
    }
  }

  void add_class_folders(const std::vector<std::string>& words, std::string_view class_path) {
    for (auto& folder : class_folders(words, class_path, folders_, home_, look_))
      add_code_folder(folder, "the class path");
  }

  /// Also as the kernel calls it: what lies above it there.
  void add_start(const fs::path& folder) {
    auto ways = ways_to(folder, look_);
    for (auto& way : ways)
      add_to(starts_, way);
    if (ways.size() > 1)
      add_to(starts_, look_.end_of(folder.string()).real);
  }

  void add_files(std::string_view word, const std::vector<fs::path>& folders) {
    if (look_.is_exhausted())
      return;
    for (auto& folder : folders)
      for (auto& path : ways_to(seen_from(folder, word, home_), look_)) {
        add_file(path);
        if (is_kind(path, path_kind::folder))
          add_files_of_folder(path);
        else if (!word.starts_with('-') && is_kind(path, path_kind::nothing))
          for (auto* ending : endings_of_scripts)
            add_file(path.string() + ending);
      }
    for (auto& file : files_of_module(word)) // behind whatever option, `uvicorn pkg.main:app`
      for (auto& folder : folders)
        add_file(folder / file);
  }

  void add_files_of_folder(const fs::path& folder) {
    for (auto* name : scripts_of_folders)
      add_file(folder / name);
    if (what_.is_node)
      for (auto& entry : entries_of_package(folder, look_))
        add_file(entry);
    if (!what_.is_package)
      return;
    std::vector<manager_place> programs; // `npx ./FOLDER`
    add_programs_of(folder, look_, programs);
    add_found(programs);
  }

  bool is_kind(const fs::path& path, path_kind kind) { return look_.kind_of(path.string()) == kind; }

  /// It may be a program that another one starts (`xargs NAME`), or a shell does.
  void add_searched(const std::string& word) {
    if (word.find('/') == word.npos && !word.starts_with('-') && !look_.is_exhausted())
      for (auto& [search_path, cwd] : searches_)
        add_file(searched(word, search_path, cwd, look_));
  }

  void add_file(const fs::path& path) {
    if (path.empty())
      return;
    for (auto& way : ways_to(path, look_))
      if (auto end = look_.end_of(way.string()); end.kind == path_kind::file) {
        what_.note(fs::path{end.real}.filename().string());
        add(way);
      }
  }

  /// Its first line says what runs a script.
  void add_interpreters() {
    for (; looked_into_ < out_.size() && looked_into_ < files_looked_into_max; ++looked_into_)
      for (auto& word : look_.interpreter_in(std::string{out_[looked_into_]}))
        add_file(word.find('/') == word.npos ? searched(word, search_path_, "/", look_) : fs::path{word});
  }

  void add(const fs::path& path) {
    if (std::find(out_.begin(), out_.end(), path.string()) == out_.end())
      out_.push_back(path.string());
  }

  void add_found(const std::vector<manager_place>& places) {
    for (auto& place : places)
      place.is_file ? add_file(place.path) : add(place.path);
  }

  void add_those_of_managers() {
    auto found = files_for_managers({what_, starts_, told_, words_, workspaces_, home_}, look_);
    add_found(found.places);
    starts_ = std::move(found.starts);
    is_cut_ = is_cut_ || found.is_cut;
  }

  file_look& look_;
  std::string home_;
  std::string usual_path_;         ///< whose folders are kept anyway
  std::string search_path_;        ///< of the innermost program
  std::vector<std::string> words_; ///< that may name files
  /// That may, too, as seen from starts_; a text has many of them.
  std::vector<std::string> words_in_json_;
  seen_words seen_words_;
  std::vector<fs::path> folders_; ///< where such names may begin
  std::vector<fs::path> starts_;  ///< those in which something is started
  std::vector<named_folder> named_;
  std::vector<fs::path> told_;          ///< those that words name beside
  std::vector<fs::path> goals_;         ///< that an option or a text goes to, and that the programs are started in
  std::vector<fs::path> beyond_;        ///< that words beyond the bounds name, or lead into
  std::vector<std::string> workspaces_; ///< names, or folders
  /// Values of PATH, each with the folder that it is seen from.
  std::vector<std::pair<std::string, std::string>> searches_;
  known_managers what_;
  std::string doubt_;                            ///< why it is not known what a text for a shell starts
  bool is_in_json_ = false, is_in_text_ = false; ///< what is read now
  bool has_text_ = false;                        ///< for a shell
  bool is_cut_ = false;                          ///< there was more than is looked for
  size_t words_beyond_left_ = words_beyond_max;
  size_t looked_into_ = 0; ///< of what follows
  std::vector<std::string> out_;
};

} // namespace

program_places program_files(command_line line, file_look& look) { return file_finder{look}.find(std::move(line)); }

} // namespace config
