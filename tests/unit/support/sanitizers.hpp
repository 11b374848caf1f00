// WITH_ADDRESS_SANITIZER: this build has it. GCC and Clang say so in different ways.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#  define WITH_ADDRESS_SANITIZER
#elif defined(__has_feature)
#  if __has_feature(address_sanitizer)
#    define WITH_ADDRESS_SANITIZER
#  endif
#endif
