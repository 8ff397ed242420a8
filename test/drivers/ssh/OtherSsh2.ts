/**
 * The ssh2 of the project loaded once more, separately from the one of the product: unchanged, or a copy with our proposed patch. Neither
 * knows anything of the product's ciphers.
 */
import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, symlinkSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import * as path from "node:path"

export type Ssh2 = typeof import("ssh2")

const load = createRequire(import.meta.url)
const patch = path.resolve(import.meta.dirname, "../../../docs/ssh2-key-objects.patch")

/** Loads the modules of ssh2 anew; modules that are already loaded stay in use by their importers. */
export const unmodified = (): Ssh2 => {
  const root = path.dirname(load.resolve("ssh2/package.json"))
  const loaded = Object.entries(load.cache).filter(([file]) => file.startsWith(root))
  for (const [file] of loaded) delete load.cache[file]
  const found: Ssh2 = load("ssh2")
  for (const file of Object.keys(load.cache)) if (file.startsWith(root)) delete load.cache[file]
  for (const [file, one] of loaded) load.cache[file] = one
  return found
}

/** A copy of ssh2 to which the patch has been applied, in a new folder: that folder, and the copy. Throws when it does not apply. */
export const patched = (): { readonly folder: string; readonly ssh2: Ssh2 } => {
  const folder = mkdtempSync(path.join(tmpdir(), "switchyard-ssh2-"))
  const modules = path.join(folder, "node_modules")
  const root = path.dirname(load.resolve("ssh2/package.json"))
  mkdirSync(modules)
  cpSync(root, path.join(modules, "ssh2"), { recursive: true, dereference: true })
  const fromSsh2 = createRequire(load.resolve("ssh2"))
  for (const name of ["asn1", "bcrypt-pbkdf"]) {
    symlinkSync(path.dirname(fromSsh2.resolve(`${name}/package.json`)), path.join(modules, name))
  }
  execFileSync("git", ["apply", patch], { cwd: path.join(modules, "ssh2"), stdio: "pipe" })
  return { folder, ssh2: createRequire(path.join(folder, "here.js"))("ssh2") }
}
