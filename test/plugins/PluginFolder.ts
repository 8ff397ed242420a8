/** Folders with plugins for tests: each is written as its author would write it. */
import { Effect } from "effect"
import * as fs from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { pathToFileURL } from "node:url"
import * as PluginProcess from "../../src/plugins/PluginProcess.ts"
import { seconds } from "../support/Patience.ts"

/** A folder that is removed with the scope. */
export const folder = Effect.acquireRelease(
  Effect.promise(() => fs.mkdtemp(path.join(tmpdir(), "switchyard-plugins-"))),
  (made) => Effect.promise(() => fs.rm(made, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
)

/** Writes a module and yields its URL. */
export const written = Effect.fnUntraced(function* (source: string, name = "attacker.ts") {
  const file = path.join(yield* folder, name)
  yield* Effect.promise(() => fs.writeFile(file, source))
  return pathToFileURL(file)
})

/** A limit that a healthy plugin does not reach on a slow machine. */
export const PATIENT = seconds(20) / 1000

/** The process of a plugin with this source. */
export const started = Effect.fnUntraced(function* (
  source: string,
  options: Partial<PluginProcess.PluginProcessOptions> = {}
) {
  const file = options.file ?? (yield* written(source))
  const usual = { name: "attacker", vars: {}, hide: (text: string) => text, seconds: PATIENT, megabytes: 64 }
  return yield* PluginProcess.make({ ...usual, ...options, file })
})

export const FIRST = { id: "event-1", attempt: 1, again: false }

export const DEVICE = {
  hostname: "lhv-acc1",
  device_type: "ACCESS",
  serial_number: "JPE1234",
  vendor: "Arista",
  model: "DCS-7050",
  os_version: "4.32.2F",
  management_ip: "10.0.6.9"
}
