// The names of a read schema made fit for printing.
#pragma once

#include "proxy/types/type.hpp"

#include <vector>

namespace types {

/// Of the names from `first` on: what is itself and nothing more (`type A = A | string` is an error in both languages)
/// becomes unknown, and what is short is put in the place of its name, here and in `roots`, which are mere names only
/// if these are recursive.
void settle(std::vector<named_type>& names, size_t first, const std::vector<type*>& roots);

/// The names that are needed to print `roots`, in the order of their first use.
std::vector<uint32_t> names_of(const std::vector<named_type>& names, const std::vector<const type*>& roots);

} // namespace types
