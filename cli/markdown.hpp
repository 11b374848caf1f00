// Texts of ours in Markdown: nothing in them begins anything.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cli {

/// As text, in one line; in a table as well. What stands in backticks stays so.
std::string markdown_text(std::string_view text);
/// As it is written, in backticks. `text` has none, and no line end.
std::string markdown_code(std::string_view text);
/// A line of a table, of cells that are Markdown already.
std::string markdown_row(const std::vector<std::string>& cells);
/// The first two lines of a table.
std::string markdown_head(const std::vector<std::string>& titles);

} // namespace cli
