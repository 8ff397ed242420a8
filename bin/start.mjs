// Starts the program where it can run, and says what is missing where it cannot. Read by any Node from 20 on.
import { existsSync } from "node:fs"
import { createRequire } from "node:module"
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
// a package has its types stripped (scripts/pack.mjs), a clone is read as it stands
await import(existsSync(path.join(root, "src", "main.js")) ? "../src/main.js" : "../src/main.ts")
