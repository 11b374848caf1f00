// Where the sources and the helper programs of this build are. Only places.cpp is compiled with these paths: in every
// command they would keep the compilers' cache from knowing a source again in another folder.
#pragma once

#include <string>

namespace test {

/// A file or folder of the sources; "": their root, without a slash at its end.
std::string source(const std::string& path);
std::string guest_init();
std::string guest_exec();

} // namespace test
