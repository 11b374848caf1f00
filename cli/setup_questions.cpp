#include "cli/setup_questions.hpp"

#include "cli/setup_report.hpp"
#include "text/ascii.hpp"

#include <iostream>

#include <termios.h>
#include <unistd.h>

namespace cli {

using setup::own_entry_wish;
using setup::servers_wish;

namespace {

std::string counted(size_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

/// Nothing: it was left.
std::optional<own_entry_wish> ask_of_entry(const setup::client_look& look, own_entry_wish proposed) {
  bool is_remove = proposed == own_entry_wish::remove;
  if (is_remove == look.own_names.empty())
    return own_entry_wish::leave;
  std::string label = look.of->label;
  auto question = is_remove                ? "Take code-executor out of " + label + "?"
                  : look.has_other_program ? "Replace what 'code-executor' starts in " + label + "?"
                                           : "Add code-executor to " + label + "?";
  auto answer = ask(question, usual_answer::yes);
  if (!answer)
    return std::nullopt;
  return *answer ? proposed : own_entry_wish::leave;
}

std::optional<servers_wish> ask_of_servers(const setup::client_look& look, servers_wish proposed) {
  auto count = setup::movable(look);
  if (count == 0)
    return servers_wish::stay;
  auto answer = ask("Put " + counted(count, "server") + " of " + look.of->label
                      + " behind code-executor, so that it has code-executor instead?",
                    proposed == servers_wish::move ? usual_answer::yes : usual_answer::no);
  if (!answer)
    return std::nullopt;
  return *answer ? servers_wish::move : servers_wish::stay;
}

} // namespace

std::optional<std::string> ask_text(const std::string& question) {
  if (!std::cout) // what was to be read has not been shown
    return std::nullopt;
  ::tcflush(STDIN_FILENO, TCIFLUSH); // what was typed before the question is no answer to it
  print_wrapped(question);
  std::cout << "> " << std::flush;
  std::string line;
  if (std::getline(std::cin, line))
    return line;
  std::cout << "\n";
  return std::nullopt;
}

std::optional<bool> ask(const std::string& question, usual_answer usual) {
  for (int i = 0; i < answers_max; ++i) {
    auto line = ask_text(question + (usual == usual_answer::yes ? " [Y/n]" : " [y/N]"));
    if (!line)
      return std::nullopt;
    auto answer = text::in_small_letters(*line);
    if (answer.empty())
      return usual == usual_answer::yes;
    if (answer == "y" || answer == "yes" || answer == "n" || answer == "no")
      return answer.front() == 'y';
    std::cout << "Please answer y or n.\n";
  }
  return std::nullopt;
}

std::optional<std::vector<setup::client_choice>> ask_of_clients(const std::vector<setup::client_look>& looks,
                                                                own_entry_wish entry, servers_wish servers) {
  std::vector<setup::client_choice> out;
  for (auto& look : looks) {
    setup::client_choice choice{&look, own_entry_wish::leave, servers_wish::stay};
    if (look.problem.empty()) {
      auto of_entry = ask_of_entry(look, entry);
      if (!of_entry)
        return std::nullopt;
      choice.entry = *of_entry;
      bool has_us = choice.entry == own_entry_wish::put || !look.own_names.empty();
      if (entry == own_entry_wish::put && has_us) {
        auto of_servers = ask_of_servers(look, servers);
        if (!of_servers)
          return std::nullopt;
        choice.servers = *of_servers;
      }
    }
    out.push_back(choice);
  }
  return out;
}

} // namespace cli
