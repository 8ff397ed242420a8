// Starts the program where it can run, and says what is missing where it cannot. Node 12 must be able to read this file, so that it
// can say so: no newer syntax, such as an await here.
import { existsSync, lstatSync, mkdirSync, readdirSync, statSync } from "node:fs"
import module, { createRequire } from "node:module"
import os from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"

const OLDEST = 24
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..")
const version = process.versions.node

const refuse = (sentence) => {
  process.stderr.write(`${sentence}\n`)
  process.exit(1)
}

/** Packages of a clone are in it; those of an installed package may as well be beside it. */
const hasPackages = () =>
  createRequire(import.meta.url)
    .resolve.paths("effect")
    .some((folder) => existsSync(path.join(folder, "effect")))

if (!hasPackages()) refuse(`The packages of Switchyard are missing: run "npm install" in ${root}.`)
if (Number.parseInt(version, 10) < OLDEST) {
  refuse(
    `Switchyard runs on Node ${OLDEST}, this is ${version}. "npm install" in ${root} brings its own Node, which ` +
      `${path.join(root, "bin", "switchyard")} takes; without development packages install Node ${OLDEST} yourself, or the package ` +
      `node@${OLDEST} beside it.`
  )
}

const timeOf = (file) => statSync(file).mtimeMs

/** Whether a file or folder of the source was changed after that time; a folder is when a file of it comes or goes. */
const isChangedSince = (time, folder) =>
  timeOf(folder) > time ||
  readdirSync(folder, { withFileTypes: true }).some((entry) => {
    const file = path.join(folder, entry.name)
    return entry.isDirectory() ? isChangedSince(time, file) : entry.name.endsWith(".ts") && timeOf(file) > time
  })

/** Whether there is a bundle (scripts/build-server.mjs), and of these sources; in a package it always is. */
const hasBundle = () => {
  const stamp = path.join(root, "build", ".made-of")
  if (existsSync(path.join(root, "src", "main.js"))) return existsSync(path.join(root, "build", "main.js"))
  if (!existsSync(stamp)) return false
  const time = timeOf(stamp)
  const others = ["package-lock.json", "scripts/build-server.mjs"].map((name) => path.join(root, name))
  return (
    !others.some((file) => existsSync(file) && timeOf(file) > time) &&
    !["machines", "src"].some((folder) => isChangedSince(time, path.join(root, folder)))
  )
}

/**
 * Lets Node keep compiled code where nobody else can write, because it is run unread. Without such a folder everything works, and
 * starts a little later. NODE_COMPILE_CACHE names another.
 */
const keepCompiledCode = () => {
  if (process.env.NODE_COMPILE_CACHE) return
  try {
    const { homedir, uid } = os.userInfo()
    const folder = path.join(process.env.XDG_CACHE_HOME || path.join(homedir, ".cache"), "switchyard")
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const found = lstatSync(folder)
    if (found.isDirectory() && found.uid === uid && (found.mode & 0o022) === 0) module.enableCompileCache(folder)
  } catch {
    // it has no home, or one that it may not write to
  }
}

keepCompiledCode()
// from the source in a clone without a bundle; a package has its types stripped (scripts/pack.mjs)
const entry = hasBundle()
  ? "build/main.js"
  : ["src/main.js", "src/main.ts"].find((name) => existsSync(path.join(root, name)))
import(`../${entry}`)
