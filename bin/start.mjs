// Starts the program where it can run, and says what is missing where it cannot. Read by any Node from 20 on.
import { existsSync } from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"

const OLDEST = 24
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..")
const version = process.versions.node

const refuse = (sentence) => {
  process.stderr.write(`${sentence}\n`)
  process.exit(1)
}

if (!existsSync(path.join(root, "node_modules", "effect"))) {
  refuse(`The packages of Switchyard are missing: run "npm install" in ${root}.`)
}
if (Number.parseInt(version, 10) < OLDEST) {
  refuse(
    `Switchyard runs on Node ${OLDEST}, this is ${version}. "npm install" in ${root} brings its own Node, which ` +
      `${path.join(root, "bin", "switchyard")} takes; without development packages install Node ${OLDEST} yourself.`
  )
}
await import("../src/main.ts")
