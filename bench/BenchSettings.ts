/** A change of the settings that concerns every access switch, as operators make it: committed, then refreshed. */
import { Effect } from "effect"
import { appendFileSync } from "node:fs"
import * as path from "node:path"
import type { Client } from "./BenchClient.ts"
import { commit } from "./BenchSite.ts"

/** Gives all access switches another time server. */
export const changeAll = (settings: string, server = "10.20.0.9"): void => {
  appendFileSync(path.join(settings, "access/base_system.yml"), `ntp_servers:\n  - host: ${server}\n`)
  commit(settings, "all access switches")
}

/** Brings the newest commit of a repository into force; the seconds that it took. */
export const refresh = (api: Client, repository: "settings" | "templates" = "settings"): Effect.Effect<number> =>
  Effect.promise(async () => {
    const { body, milliseconds, status } = await api.put(`/repository/${repository}`, { action: "REFRESH" })
    if (status !== 200) throw new Error(`refresh: ${JSON.stringify(body)}`)
    return milliseconds / 1000
  })
