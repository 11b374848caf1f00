// Names of tools and servers as identifiers of TypeScript and Python.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace text {

/// The two identifier-safe spellings of a name, as TypeScript and Python would write it: `read-file` gives `readFile`
/// and `read_file`. A leading digit and a keyword of either language are made safe with `_`.
struct aliases {
  std::string camel;
  std::string snake;
};
aliases aliases_of(std::string_view name);

/// The aliases of all tools of a server, in the order of `names`, each different from all others and from the name of
/// every other tool: where two tools would share one, the first keeps it and later ones get a number (`readFile2`,
/// `read_file_2`). The guests count likewise (sandbox/guest/python/aliases.py).
std::vector<aliases> unique_aliases(const std::vector<std::string_view>& names);

} // namespace text
