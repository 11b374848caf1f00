// Numbers that belong to a person, and how they are written.
#pragma once

#include <cstddef>
#include <string_view>

namespace content_filter {

/// The sum over the digits that payment cards are checked by (ISO/IEC 7812). Other characters do not count.
bool has_check_digit(std::string_view number);
/// The beginning of `digits` and their number are those of a brand: Visa, Mastercard, American Express, Discover,
/// Diners Club, JCB, UnionPay, Maestro.
bool is_of_card_brand(std::string_view digits);

/// The beginning is a country calling code that is in use (ITU-T E.164).
bool has_calling_code(std::string_view digits);

} // namespace content_filter
