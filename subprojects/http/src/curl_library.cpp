#include "curl_library.hpp"

#include <dlfcn.h>

namespace http {

namespace {

constexpr auto file = "libcurl.so.4";
/// 7.87: the first that can give up a name that is being looked up.
constexpr unsigned version_min = 0x075700;

template <class Function>
void find(void* library, const char* name, Function& into, std::string& problem) {
  into = reinterpret_cast<Function>(::dlsym(library, name));
  if (!into && problem.empty())
    problem = std::string{file} + " has no " + name;
}

void find_all(void* library, curl_library& into) {
  auto& problem = into.problem;
  find(library, "curl_global_init", into.global_init, problem);
  find(library, "curl_version_info", into.version_info, problem);
  find(library, "curl_easy_init", into.easy_init, problem);
  find(library, "curl_easy_cleanup", into.easy_cleanup, problem);
  find(library, "curl_easy_setopt", into.easy_setopt, problem);
  find(library, "curl_easy_getinfo", into.easy_getinfo, problem);
  find(library, "curl_easy_pause", into.easy_pause, problem);
  find(library, "curl_easy_strerror", into.easy_strerror, problem);
  find(library, "curl_slist_append", into.slist_append, problem);
  find(library, "curl_slist_free_all", into.slist_free_all, problem);
  find(library, "curl_multi_init", into.multi_init, problem);
  find(library, "curl_multi_cleanup", into.multi_cleanup, problem);
  find(library, "curl_multi_setopt", into.multi_setopt, problem);
  find(library, "curl_multi_add_handle", into.multi_add_handle, problem);
  find(library, "curl_multi_remove_handle", into.multi_remove_handle, problem);
  find(library, "curl_multi_socket_action", into.multi_socket_action, problem);
  find(library, "curl_multi_info_read", into.multi_info_read, problem);
}

std::string why_not(const curl_library& curl) {
  if (curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
    return std::string{file} + " can not be initialised";
  auto* about = curl.version_info(CURLVERSION_NOW);
  if (about->version_num < version_min)
    return std::string{file} + " is " + about->version + "; 7.87 or later is needed";
  return {};
}

curl_library load() {
  curl_library out;
  // Never closed: OpenSSL has functions of its own for the end of the process.
  auto* library = ::dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library) {
    auto* why = ::dlerror();
    out.problem =
      std::string{file} + " can not be loaded (Debian: apt install libcurl4): " + (why ? why : "no reason is told");
    return out;
  }
  find_all(library, out);
  if (out.problem.empty())
    out.problem = why_not(out);
  return out;
}

} // namespace

const curl_library& load_curl() {
  static const curl_library library = load();
  return library;
}

} // namespace http
