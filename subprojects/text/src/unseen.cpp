#include "text/unseen.hpp"

#include <algorithm>
#include <iterator>

namespace text {

namespace {

struct range {
  uint32_t first, last;
};
constexpr range unseen[] = {{0x00, 0x1F},       {0x7F, 0xA0},       {0xAD, 0xAD},       {0x34F, 0x34F},
                            {0x61C, 0x61C},     {0x115F, 0x1160}, // fillers, as the two of Hangul below
                            {0x1680, 0x1680},   {0x17B4, 0x17B5},   {0x180B, 0x180F},   {0x2000, 0x200F},
                            {0x2028, 0x202F},   {0x205F, 0x206F},   {0x2800, 0x2800}, // Braille without a dot
                            {0x3000, 0x3000},   {0x3164, 0x3164},   {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},
                            {0xFFA0, 0xFFA0},   {0xFDD0, 0xFDEF},   {0xFFF9, 0xFFFB},   {0xFFFE, 0xFFFF},
                            {0x13430, 0x1343F}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF}};

} // namespace

bool is_unseen(uint32_t c) {
  return std::any_of(std::begin(unseen), std::end(unseen), [&](auto& r) { return c >= r.first && c <= r.last; });
}

} // namespace text
