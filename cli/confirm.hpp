// The question to the person at the terminal, before something is approved.
#pragma once

namespace cli {

/// Whether a user sees what is printed and can answer: stdin and stdout are both a terminal.
bool is_attended();

/// A user is there (stdin is a terminal), and does not see what is printed: it goes into a pipe or a file. Then nothing
/// is approved.
bool is_read_elsewhere();
inline constexpr auto read_elsewhere = "nothing is approved: what is shown goes to another program or file, and the "
                                       "question could not be asked behind it; look at it "
                                       "with --show, and run this again with nothing behind it";

/// Asks on stdout, behind all that was printed. Only `y` and `yes`, in capitals too, are a yes; the end of stdin is
/// none. What was typed or pasted before the question is no answer to it, and is lost.
bool person_approves();

} // namespace cli
