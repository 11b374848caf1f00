#include "cjose_library.hpp"

#include <dlfcn.h>

namespace json_web_token {

namespace {

constexpr auto file = "libcjose.so.0";

template <class Function>
void find(void* library, const char* name, Function& into, std::string& problem) {
  into = reinterpret_cast<Function>(::dlsym(library, name));
  if (!into && problem.empty())
    problem = std::string{file} + " has no " + name;
}

cjose_library load() {
  cjose_library out;
  // Never closed: OpenSSL has functions of its own for the end of the process.
  auto* library = ::dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library) {
    auto* why = ::dlerror();
    out.problem =
      std::string{file} + " can not be loaded (Debian: apt install libcjose0): " + (why ? why : "no reason is told");
    return out;
  }
  find(library, "cjose_jwk_import", out.jwk_import, out.problem);
  find(library, "cjose_jwk_release", out.jwk_release, out.problem);
  find(library, "cjose_jws_import", out.jws_import, out.problem);
  find(library, "cjose_jws_verify", out.jws_verify, out.problem);
  find(library, "cjose_jws_release", out.jws_release, out.problem);
  return out;
}

} // namespace

const cjose_library& load_cjose() {
  static const cjose_library library = load();
  return library;
}

} // namespace json_web_token
