// How much of a schema is read and printed. A schema is a stranger's text: these bound the time and length of all that
// is made of it. Real tools stay far below: of 4,848 looked at, the largest has 60 types.
#pragma once

#include <cstddef>

namespace types::bounds {

/// Of one tool, as the server sent it: 10 MB took half a second.
inline constexpr size_t definition_bytes_max = 512u << 10;
inline constexpr int depth_max = 16;       ///< of types in each other; deeper: unknown
inline constexpr size_t types_max = 2'000; ///< made for one schema, copies included; then: unknown
/// Names, literals and docs of one schema; then: no docs, and objects are open.
inline constexpr size_t text_bytes_max = 24u << 10;
/// Of a property; a longer one is left out, and its object is open.
inline constexpr size_t name_bytes_max = 100;
inline constexpr size_t literal_bytes_max = 200; ///< of one constant; longer: the type that it has
inline constexpr size_t literals_max = 60;       ///< of one enum; more: the types that they have
inline constexpr size_t choices_max = 60;        ///< alternatives of one union; more: unknown
inline constexpr size_t meets_max = 128;         ///< pairs of alternatives of two unions that must both hold
inline constexpr size_t tuple_max = 16;          ///< elements of a tuple; more: a list
/// Elements of a list of fixed length that is printed as a tuple.
inline constexpr size_t fixed_list_max = 4;
inline constexpr size_t reference_bytes_max = 1'000;  ///< of a `$ref`; longer: unknown
inline constexpr size_t indexed_values_max = 100'000; ///< values looked at for `$id` and `$anchor`
inline constexpr size_t required_max = 10'000;        ///< names in one `required`
inline constexpr size_t doc_bytes_max = 300;          ///< of one property
inline constexpr size_t tool_doc_bytes_max = 2'000;   ///< of a tool
/// Of one tool as printed; longer: any parameters, any result.
inline constexpr size_t signature_bytes_max = 64u << 10;
inline constexpr size_t module_bytes_max = 4u << 20; ///< of one server; tools beyond are declared without types
inline constexpr size_t type_name_bytes_max = 60;
/// Of the arguments of an example; parameters beyond are left out.
inline constexpr size_t example_bytes_max = 1'500;
/// Of a tool in a list; the parameters of a larger one are not read for it.
inline constexpr size_t line_definition_bytes_max = 32u << 10;

} // namespace types::bounds
