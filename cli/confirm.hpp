// The question to the person at the terminal, before something is approved.
#pragma once

namespace cli {

/// Whether somebody sees what is printed and can answer: stdin and stdout are both a terminal.
bool is_attended();

/// Asks on stdout, behind all that was printed. Only `y` and `yes`, in capitals too, are a yes; the end of stdin is none. What was typed or pasted
/// before the question is no answer to it, and is lost.
bool person_approves();

} // namespace cli
