/** Runs the DHCP hook: `node src/dhcp/hookMain.ts commit MAC IP PLATFORM`, or as the sub-command `dhcp-hook`. */
import { runHook } from "./Hook.ts"

const words = process.argv.slice(2)
const args = words[0] === "dhcp-hook" ? words.slice(1) : words

process.exitCode = await runHook({
  args,
  environment: process.env,
  log: (line) => void process.stderr.write(`${new Date().toISOString()} dhcp-hook: ${line}\n`)
})
