// The functions that programs find, declared for editors: from what the guests themselves have.
#pragma once

#include "proxy/editors/wrapper_files.hpp"

#include <string>
#include <string_view>

namespace editors {

/// Of the guest files: what a program in TypeScript is checked against, and the stub of the guest API in Python.
inline constexpr std::string_view typescript_source = "typescript/globals.d.ts",
                                  python_source = "python/code_executor.pyi";

/// `code-executor.d.ts`. `globals`: the text of typescript_source, which takes the servers from another file; editors
/// take them from the wrappers of the servers, as far as there are any. Empty: that is not such a text.
generated_file typescript_api(std::string_view globals);
/// `code_executor.pyi`: what `from code_executor import ...` gives.
generated_file python_api(std::string_view stub);

} // namespace editors
