// The program itself: native.tar.br, unpacked once into native/ of this package.
//
// Compressed apart from the package's own gzip, which knows 32 KiB back only: 7 MB instead of 10.
"use strict";

const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const zlib = require("node:zlib");
const { createRequire } = require("node:module");
const { StartError } = require("./errors.cjs");

const PACKAGE = path.dirname(__dirname);
const ARCHIVE = path.join(PACKAGE, "native.tar.br");
const PROGRAM = path.join("bin", "code-executor");
// What is unpacked has 26 MB; an archive that says more is not ours.
const UNPACKED_BYTES_MAX = 256 * 1024 * 1024;
const TAR_BLOCK = 512;

/** The C library that the program is built against (packaging/products/npm_package.py writes it, and the next three). */
const GLIBC_NEEDED = "2.36";
/** The digest of what is in the archive. */
const BUILD = "0";
/** The machine that it is built for, as Node says it and for people. */
const ARCHITECTURE = "x64";
const MACHINE = "Linux on x86-64";

function isOlder(version, than) {
  const [major, minor] = version.split(".").map(Number);
  const [neededMajor, neededMinor] = than.split(".").map(Number);
  return major < neededMajor || (major === neededMajor && minor < neededMinor);
}

/** Why the program can not run on this machine; undefined: it can. */
function platformProblem() {
  if (process.platform !== "linux" || process.arch !== ARCHITECTURE)
    return `this package has a program for ${MACHINE}, and this is ${process.platform} on ${process.arch}`;
  const wasNetworkLeftOut = process.report.excludeNetwork;
  process.report.excludeNetwork = true; // else it looks up the names of all that Node is connected to
  const found = process.report.getReport().header.glibcVersionRuntime;
  process.report.excludeNetwork = wasNetworkLeftOut;
  if (!found)
    return `the program needs glibc ${GLIBC_NEEDED} or newer, and Node runs on another C library (musl?)`;
  if (isOlder(found, GLIBC_NEEDED))
    return `the program needs glibc ${GLIBC_NEEDED} or newer (Debian 12, Ubuntu 23.04, Fedora 37), and this machine has ${found}`;
  return undefined;
}

const textOf = (block, from, length) => block.toString("latin1", from, from + length).replace(/\0.*$/s, "");

/** Regular files alone: packaging/products/npm_package.py writes no others. */
function* filesOf(tar) {
  for (let at = 0; at + TAR_BLOCK <= tar.length && tar[at] !== 0;) {
    const head = tar.subarray(at, at + TAR_BLOCK);
    const prefix = textOf(head, 345, 155);
    const size = parseInt(textOf(head, 124, 12), 8);
    at += TAR_BLOCK;
    yield {
      name: (prefix ? prefix + "/" : "") + textOf(head, 0, 100),
      mode: parseInt(textOf(head, 100, 8), 8),
      content: tar.subarray(at, at + size),
    };
    at += Math.ceil(size / TAR_BLOCK) * TAR_BLOCK;
  }
}

function unpackInto(folder) {
  let tar;
  try {
    tar = zlib.brotliDecompressSync(fs.readFileSync(ARCHIVE), { maxOutputLength: UNPACKED_BYTES_MAX });
  } catch (error) {
    throw new StartError(`${ARCHIVE} can not be read: ${error.message}; install the package code-executor again`);
  }
  for (const file of filesOf(tar)) {
    const to = path.join(folder, file.name);
    fs.mkdirSync(path.dirname(to), { recursive: true });
    fs.writeFileSync(to, file.content, { mode: file.mode });
  }
}

/** The folder of a package that `from` depends on; undefined: it is not installed. */
function folderOf(name, from) {
  try {
    return path.dirname(createRequire(from).resolve(`${name}/package.json`));
  } catch {
    return folderByName(name, from);
  }
}

/** Packages may hide their package.json (`exports`). */
function folderByName(name, from) {
  for (let folder = path.dirname(from); ; folder = path.dirname(folder)) {
    const candidate = path.join(folder, "node_modules", name);
    if (fs.existsSync(path.join(candidate, "package.json"))) return fs.realpathSync(candidate);
    if (folder === path.dirname(folder)) return undefined;
  }
}

/** What the program looks for beside itself. Without them it looks elsewhere, and `code-executor doctor` says where. */
function linkRuntimes(begun, folder) {
  const bin = path.join(fs.realpathSync(path.dirname(folder)), path.basename(folder), "bin"); // relative: a tree that is moved as a whole stays whole
  const deno = folderOf("deno", __filename);
  const platform = deno && folderOf(`@deno/linux-${ARCHITECTURE}-glibc`, path.join(deno, "package.json"));
  const wanted = { deno: platform && path.join(platform, "deno"), pyodide: folderOf("pyodide", __filename) };
  for (const [name, target] of Object.entries(wanted))
    if (target) fs.symlinkSync(path.relative(bin, target), path.join(begun, "bin", name));
}

/** Makes `folder` whole or not at all; somebody else may do the same now. */
function make(folder) {
  fs.mkdirSync(path.dirname(folder), { recursive: true, mode: 0o700 });
  const begun = fs.mkdtempSync(folder + ".");
  try {
    fs.chmodSync(begun, 0o755);
    unpackInto(begun);
    linkRuntimes(begun, folder);
    fs.renameSync(begun, folder);
  } catch (error) {
    fs.rmSync(begun, { recursive: true, force: true });
    if (!fs.existsSync(path.join(folder, PROGRAM))) throw error;
  }
}

/** Where it goes if this package's folder is not ours to write: of this user, and of this very build. */
function folderOfUser() {
  const cache = process.env.XDG_CACHE_HOME || path.join(os.homedir(), ".cache");
  return path.join(cache, "code-executor", BUILD, "native");
}

/** The program's path; unpacks it if that was not done. Throws StartError. */
function programPath() {
  const problem = platformProblem();
  if (problem) throw new StartError(`${problem}. Build it from source, or use the container image.`);
  const folders = [path.join(PACKAGE, "native")];
  let reason;
  for (let i = 0; i < folders.length; i++) {
    const program = path.join(folders[i], PROGRAM);
    if (fs.existsSync(program)) return program;
    try {
      make(folders[i]);
      return program;
    } catch (error) {
      reason = error;
      if (i === 0 && ["EACCES", "EPERM", "EROFS"].includes(error.code)) folders.push(folderOfUser());
    }
  }
  if (reason instanceof StartError) throw reason;
  throw new StartError(`the program could not be unpacked: ${reason.message}; make room or rights there, then install the package again`);
}

module.exports = { PACKAGE, platformProblem, programPath };
