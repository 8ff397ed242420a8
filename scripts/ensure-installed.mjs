/**
 * Installs the dependencies when they are missing or are not those of the lock file, whoever installed them before: `npm ci`,
 * `npm install` or this program. Runs on any Node from 20 on, without dependencies of its own, and ends in bounded time when
 * the package registry does not answer. An older Node gets a sentence, so Node 12 must be able to read this file: no newer syntax,
 * and no import by a name that its modules do not have.
 */
import { spawnSync } from "node:child_process"
import fs from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"

const { existsSync, readFileSync, rmSync } = fs

/** As `engines` in package.json says. */
const OLDEST_NODE = 20

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..")

/** How npm asks the registry: given up after about a minute and a half, where npm alone would try for a quarter of an hour. */
const FETCH = {
  npm_config_fetch_timeout: "30000",
  npm_config_fetch_retries: "2",
  npm_config_fetch_retry_mintimeout: "1000",
  npm_config_fetch_retry_maxtimeout: "5000"
}
/** For a registry that sends a byte now and then. */
const DEADLINE_MINUTES = 20

const readJson = (...names) => {
  const file = path.join(root, ...names)
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {}
}

const isSame = (wanted, found) =>
  wanted.version === found.version &&
  (wanted.integrity === undefined || found.integrity === undefined || wanted.integrity === found.integrity)

/** The name of a compiled part ends in its C library, which the lock file does not name otherwise. */
const hasLibraryOf = (place) => {
  const isGlibc = process.report.getReport().header.glibcVersionRuntime !== undefined
  return isGlibc ? !/-musl\w*$/.test(place) : !/-gnu\w*$/.test(place)
}

/** Whether an entry of the lock file is a compiled part for this machine. */
const isForThisMachine = (place, { cpu, os }) =>
  os !== undefined &&
  cpu !== undefined &&
  os.includes(process.platform) &&
  cpu.includes(process.arch) &&
  hasLibraryOf(place)

/**
 * Whether `node_modules` has what the lock file names and this platform can have: by npm's own list, which is written when all
 * is there, and by the packages themselves, because `npm install --package-lock-only` writes that list as well.
 */
const isInstalled = () => {
  const { dependencies, devDependencies } = readJson("package.json")
  const wanted = readJson("package-lock.json").packages || {}
  const found = readJson("node_modules", ".package-lock.json").packages || {}
  const isLocked = Object.entries(wanted).every(([place, entry]) => {
    if (!place.startsWith("node_modules/")) return true
    const present = found[place]
    if (present === undefined)
      return (entry.optional === true || entry.devOptional === true) && !isForThisMachine(place, entry)
    return isSame(entry, present) && readJson(place, "package.json").version === entry.version
  })
  const isNamed = Object.entries({ ...dependencies, ...devDependencies }).every(([name, version]) => {
    const present = found[`node_modules/${name}`]
    return present !== undefined && (present.version === version || !/^\d/.test(version))
  })
  return isLocked && isNamed
}

/** The own Node comes by an install script, which `--ignore-scripts` leaves out. */
const hasOwnNode = () => existsSync(path.join(root, "node_modules", ".bin", "node"))

const NETWORK =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|EIDLETIMEOUT|_TIMEOUT|FETCH_ERROR|network/i

const reasonOf = ({ error, signal, stderr }) => {
  const code = error === undefined ? undefined : error.code
  if (code === "ENOENT") return "npm was not found; it comes with Node.js"
  if (code === "ETIMEDOUT" || signal === "SIGTERM") return `npm took more than ${DEADLINE_MINUTES} minutes`
  if (NETWORK.test(stderr)) {
    return "the package registry cannot be reached. Connect this machine to it, or set npm's `registry` or `proxy`, and try again"
  }
  return "npm says why above"
}

/** Ends the program with a sentence when npm fails. `folders` are searched for commands first. */
const npm = (words, folders = []) => {
  const done = spawnSync("npm", [...words, "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: root,
    encoding: "utf8",
    env: { ...FETCH, ...process.env, PATH: [...folders, process.env.PATH].join(path.delimiter) },
    killSignal: "SIGTERM",
    shell: process.platform === "win32",
    stdio: ["ignore", "ignore", "pipe"],
    timeout: DEADLINE_MINUTES * 60_000
  })
  if (done.status === 0) return
  process.stderr.write(`${done.stderr || ""}The dependencies could not be installed: ${reasonOf(done)}.\n`)
  process.exit(done.status || 1)
}

const found = process.versions.node
if (Number.parseInt(found, 10) < OLDEST_NODE) {
  process.stderr.write(
    `Switchyard needs Node.js ${OLDEST_NODE} or newer, and this is Node.js ${found} (${process.execPath}). Install a newer one ` +
      `(https://nodejs.org/en/download), and try again.\n`
  )
  process.exit(1)
}
const install = (...folders) => {
  // without its list npm looks at the packages themselves
  rmSync(path.join(root, "node_modules", ".package-lock.json"), { force: true })
  npm(["install", "--no-save"], folders)
}

if (!isInstalled()) {
  process.stderr.write("Installing dependencies (once, about half a minute) ...\n")
  install()
}
if (!hasOwnNode()) npm(["rebuild", "node", "--ignore-scripts=false"])
// npm leaves out compiled parts that ask for a newer Node than the one that it runs on: now it runs on our own
if (!isInstalled()) install(path.join(root, "node_modules", ".bin"))
