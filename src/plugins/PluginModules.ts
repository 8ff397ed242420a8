/** Where the modules of plugins are: the site's folder first, then the bundled ones (docs/plugins.md#the-plugin-file). */
import { Effect } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { pathToFileURL } from "node:url"
import { PluginError } from "./Plugin.ts"
import { ownModule } from "../runtime/OwnModule.ts"

/** What comes with the server. */
export const bundled = ["filewriter", "nav", "netbox", "ni", "prometheus", "zabbix"] as const

const ENDINGS = [".ts", ".mts", ".mjs", ".js"]

/** Without a path: what is outside the folder is nobody's plugin. */
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/

/** The name of a plugin: its file without the ending, which may be any, because plugin files of others name modules of Python. */
export const nameOf = (filename: string): string => path.basename(filename, path.extname(filename))

const isFile = (file: string) =>
  Effect.promise(() =>
    fs.stat(file).then(
      (found) => found.isFile(),
      () => false
    )
  )

/** The URL of a plugin's module. Fails with PluginError when there is none. */
export const find = Effect.fn("PluginModules.find")(function* (name: string, folder: string) {
  for (const ending of NAME.test(name) ? ENDINGS : []) {
    const file = path.resolve(folder, name + ending)
    if (yield* isFile(file)) return pathToFileURL(file)
  }
  if (bundled.some((known) => known === name)) return ownModule(`./bundled/${name}`, import.meta.url)
  const message = `no such file is in ${folder}, and the bundled plugins are ${bundled.join(", ")}`
  return yield* new PluginError({ plugin: name, message, retry: false })
})
