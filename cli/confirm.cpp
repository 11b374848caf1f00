#include "cli/confirm.hpp"

#include "text/ascii.hpp"

#include <iostream>
#include <string>

#include <termios.h>
#include <unistd.h>

namespace cli {

bool is_attended() { return ::isatty(STDIN_FILENO) != 0 && ::isatty(STDOUT_FILENO) != 0; }

bool is_read_elsewhere() { return ::isatty(STDIN_FILENO) != 0 && ::isatty(STDOUT_FILENO) == 0; }

bool person_approves() {
  if (!std::cout) // what was to be read has not been shown
    return false;
  ::tcflush(STDIN_FILENO, TCIFLUSH);
  std::cout << "Approve? [y/N] " << std::flush;
  std::string line;
  if (!std::getline(std::cin, line)) {
    std::cout << "\n";
    return false;
  }
  auto answer = text::in_small_letters(line);
  return answer == "y" || answer == "yes";
}

} // namespace cli
