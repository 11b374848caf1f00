#include "sandbox/launch/spelling.hpp"

#include <algorithm>
#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <iterator>
#include <linux/magic.h>
#include <string_view>
#include <sys/stat.h>
#include <sys/vfs.h>

namespace sandbox {

using process::descriptor;

namespace {

// Of drivers that <linux/magic.h> does not list.
constexpr uint64_t ntfs_magic = 0x5346544e, ntfs3_magic = 0x7366746e, hfs_magic = 0x4244, hfs_plus_magic = 0x482b,
                   apfs_magic = 0x4253584e;
constexpr uint64_t shared_by_virtualbox = 0x786f4256, shared_by_vmware = 0xbacbacbc, shared_by_parallels = 0x7c7c6673;

/// Each tells upper from lower case for some names or settings, and has short names (`GIT~1`), or takes two spellings
/// of an accent for one, all the same. V9FS: the disks of Windows in WSL (/mnt/c). FUSE, virtiofs among it, is not one
/// of them: what is behind it may be anything.
constexpr uint64_t with_several_names[] = {
  MSDOS_SUPER_MAGIC, EXFAT_SUPER_MAGIC, ntfs_magic,      ntfs3_magic,      SMB_SUPER_MAGIC,     CIFS_SUPER_MAGIC,
  SMB2_SUPER_MAGIC,  V9FS_MAGIC,        hfs_magic,       hfs_plus_magic,   apfs_magic,          HPFS_SUPER_MAGIC,
  AFFS_SUPER_MAGIC,  ADFS_SUPER_MAGIC,  NCP_SUPER_MAGIC, shared_by_vmware, shared_by_parallels, shared_by_virtualbox};

/// Of all letters from A to Z.
std::string with_case_swapped(std::string name) {
  constexpr char between_cases = 'a' - 'A';
  for (auto& c : name)
    if (c >= 'a' && c <= 'z')
      c = static_cast<char>(c - between_cases);
    else if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c + between_cases);
  return name;
}

uint64_t type_by_system(const descriptor& folder) {
  struct statfs s {};
  constexpr uint64_t bits_used = 0xffffffff; // the field is signed on some machines
  return ::fstatfs(folder.get(), &s) == 0 ? static_cast<uint64_t>(s.f_type) & bits_used : 0;
}

std::optional<file_identity> find_by_system(const descriptor& folder, const std::string& name) {
  struct stat s {};
  if (::fstatat(folder.get(), name.c_str(), &s, AT_SYMLINK_NOFOLLOW) == 0)
    return file_identity{s.st_dev, s.st_ino};
  return errno == ENOENT ? std::nullopt : std::optional{file_identity{}};
}

bool is_listed_by_system(const descriptor& folder, const std::string& name) {
  descriptor again{::openat(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  auto* entries = again ? ::fdopendir(again.get()) : nullptr;
  if (!entries)
    return false;
  again.release();
  bool is_listed = false;
  while (auto* entry = ::readdir(entries))
    is_listed = is_listed || std::string_view{static_cast<const char*>(entry->d_name)} == name;
  ::closedir(entries);
  return is_listed;
}

std::optional<file_identity> identity_of(const descriptor& opened) {
  struct stat s {};
  return ::fstat(opened.get(), &s) == 0 ? std::optional{file_identity{s.st_dev, s.st_ino}} : std::nullopt;
}

} // namespace

folder_questions asked_of_the_system() { return {type_by_system, find_by_system, is_listed_by_system}; }

bool spellings::are_several(const descriptor& folder, const std::string& name) {
  auto which = identity_of(folder);
  if (auto known = which ? known_.find(*which) : known_.end(); known != known_.end())
    return known->second;
  auto type = ask_.type_of_file_system(folder);
  bool several =
    std::find(std::begin(with_several_names), std::end(with_several_names), type) != std::end(with_several_names);
  if (!several) {
    auto otherwise = with_case_swapped(name);
    auto there = ask_.find(folder, name);
    if (otherwise == name || !there)
      return false; // the next name may tell
    several = is_found_otherwise(folder, name, otherwise, *there);
  }
  if (which)
    known_.emplace(*which, several);
  return several;
}

/// Another file of that spelling is none of ours. By its number it is another one also in some FUSE file systems that
/// number names and not files: there, one of the two is found and is not in the list.
bool spellings::is_found_otherwise(const descriptor& folder, const std::string& name, const std::string& otherwise,
                                   const file_identity& there) const {
  auto found = ask_.find(folder, otherwise);
  return found && (found == there || !ask_.lists(folder, otherwise) || !ask_.lists(folder, name));
}

} // namespace sandbox
