#include "process/shortage.hpp"

#include <cerrno>
#include <cstring>

namespace process {

namespace {

/// At its start the server raises the soft limit to the hard one.
const char* advice(int error) {
  switch (error) {
    case EMFILE:
      return "; raise the limit of open files (ulimit -Hn, LimitNOFILE= of a service) of whatever starts "
             "code-executor";
    case ENFILE: return "; all programs of this machine have that many open: raise fs.file-max (sysctl)";
    default: return "";
  }
}

} // namespace

std::string error_text(int error) { return std::string{std::strerror(error)} + advice(error); }

std::string error_text(const std::system_error& failed) {
  return std::string{failed.what()} + advice(failed.code().value());
}

bool is_of_the_moment(int error) {
  return error == EMFILE || error == ENFILE || error == ENOMEM || error == EINTR || error == EAGAIN;
}

} // namespace process
