/** Plugin `filewriter`: writes one line per event to a file (variable `logfile`). */
import * as fs from "node:fs/promises"
import type { Delivery, MakePlugin, Plugin } from "../PluginModule.ts"
import { text } from "./HttpJson.ts"

const isWritten = async (logfile: string, id: string): Promise<boolean> => {
  const known = await fs.readFile(logfile, "utf8").catch(() => "")
  return known.split("\n").some((line) => line.startsWith(`${id} `))
}

const make: MakePlugin = ({ vars }): Plugin => {
  const logfile = text(vars, "logfile")
  const writer =
    (hook: string) =>
    async (event: object, { again, id }: Delivery) => {
      if (again && (await isWritten(logfile, id))) return
      const fields = Object.entries(event).map(([name, value]) => `${name}=${value}`)
      await fs.appendFile(logfile, `${id} ${hook}: ${fields.join(", ")}\n`)
    }
  return {
    selftest: async () => {
      await (await fs.open(logfile, "a")).close()
      return true
    },
    new_managed_device: writer("new_managed_device"),
    allocated_ipv4: writer("allocated_ipv4"),
    upgrade_reboot_starting: writer("upgrade_reboot_starting"),
    upgrade_reboot_completed: writer("upgrade_reboot_completed"),
    removed_device: writer("removed_device")
  }
}

export default make
