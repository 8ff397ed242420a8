/** The program `switchyard`: only its sub-commands. The DHCP hook is a shell program, which `bin/switchyard` runs without Node. */
import { spawnSync } from "node:child_process"
import * as path from "node:path"

const words = process.argv.slice(2)
if (words[0] === "dhcp-hook") {
  const hook = path.resolve(import.meta.dirname, "../deploy/dhcp/switchyard-lease")
  process.exitCode = spawnSync("sh", [hook, ...words], { stdio: "inherit" }).status ?? 1
} else await import("./cli.ts")
