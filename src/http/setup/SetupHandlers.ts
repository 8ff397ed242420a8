/** Handlers of the first run (docs/installing.md#first-run): what is there, and what a new installation lacks, tried before it is set. */
import { Effect, Option, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { SqlClient } from "effect/sql"
import { tmpdir } from "node:os"
import { Api } from "../../api/Api.ts"
import { BadRequest, Conflict, enveloped, Forbidden } from "../../api/Answers.ts"
import type { SetupFinding } from "../../api/SetupApi.ts"
import { Caller } from "../../api/Requests.ts"
import { Permissions } from "../../access/Permissions.ts"
import * as Network from "../../domain/Network.ts"
import type { FirstSettings } from "../../domain/requests/SetupRequests.ts"
import { parseGitAddress } from "../../git/GitAddress.ts"
import { tryRemote } from "../../git/GitRepository.ts"
import { Restart } from "../../runtime/Restart.ts"
import { draftSettings } from "../../runtime/SettingsFile.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { RepositoryStore } from "../../store/RepositoryStore.ts"
import { answered } from "../core/HandlerErrors.ts"

/** The settings of the first run by their names in its requests. */
const NAMES = { settings: "GITREPO_SETTINGS", templates: "GITREPO_TEMPLATES", networks: "MANAGEMENT_NETWORKS" } as const
const kinds = ["settings", "templates", "networks"] as const
type Kind = (typeof kinds)[number]

/** Seconds for a repository to answer, however long the site lets git take otherwise: a person waits. */
const PATIENCE = 20
/** The answer must be on its way before the server ends. */
const FAREWELL = "1 second"

/** The address without credentials. */
const shownOf = (address: string): string =>
  Result.match(parseGitAddress(address), { onSuccess: ({ shown }) => shown, onFailure: () => "an invalid address" })

const repositoryFinding = Effect.fnUntraced(function* (of: Kind, address: string): Effect.fn.Return<SetupFinding> {
  const ref = Result.match(parseGitAddress(address), { onSuccess: (parsed) => parsed.ref, onFailure: () => undefined })
  return yield* tryRemote(address, tmpdir(), `${PATIENCE} seconds`).pipe(
    Effect.match({
      onSuccess: (commit) => ({ of, is_good: true, message: `${ref ?? "The default branch"} answers`, commit }),
      onFailure: ({ message }) => ({ of, is_good: false, message, commit: null })
    })
  )
})

const networksFinding = (list: string): SetupFinding =>
  Result.match(Network.parseManagementNetworks(list), {
    onSuccess: ({ networks }) => ({
      of: "networks",
      is_good: true,
      message: `Switches are logged in to in ${networks.length === 1 ? "one network" : `${networks.length} networks`} only`,
      commit: null
    }),
    onFailure: (message) => ({ of: "networks", is_good: false, message, commit: null })
  })

const findingsOf = (sent: FirstSettings) =>
  Effect.forEach(
    kinds.flatMap((kind) => (sent[kind] === undefined ? [] : [[kind, sent[kind]] as const])),
    ([kind, value]) => (kind === "networks" ? Effect.succeed(networksFinding(value)) : repositoryFinding(kind, value)),
    { concurrency: 2 }
  )

interface Ended {
  readonly devices: number
  readonly previewed: boolean
  readonly pushed: boolean
}

/** Handlers of `SetupGroup`. */
export const SetupLive = HttpApiBuilder.group(Api, "setup", (handlers) =>
  Effect.gen(function* () {
    const { DATA_DIR, GITREPO_SETTINGS, GITREPO_TEMPLATES, MANAGEMENT_NETWORKS } = yield* ServerConfig
    const { mayDoEverything } = yield* Permissions
    const repositories = yield* RepositoryStore
    const restart = yield* Restart
    const sql = yield* SqlClient.SqlClient

    const present: Readonly<Record<Kind, string | null>> = {
      settings: Option.getOrNull(GITREPO_SETTINGS),
      templates: Option.getOrNull(GITREPO_TEMPLATES),
      networks: MANAGEMENT_NETWORKS === "" ? null : MANAGEMENT_NETWORKS
    }

    /** The settings decide where the fleet's logins go. */
    const administrator = Effect.gen(function* () {
      if (yield* mayDoEverything(yield* Caller)) return
      return yield* new Forbidden({ message: "Only an administrator sets the server up" })
    })

    const sourceOf = Effect.fnUntraced(function* (name: "settings" | "templates") {
      const address = present[name]
      return {
        address: address === null ? null : shownOf(address),
        commit: Option.getOrNull(yield* repositories.commitOf(name, ""))
      }
    })

    const progress = Effect.gen(function* () {
      const [ended = { devices: 0, previewed: false, pushed: false }] = yield* sql<Ended>`select
        (select count(*)::integer from device) as devices,
        exists(select from job where function_name = 'sync_devices' and status = 'FINISHED'
          and coalesce(start_arguments ->> 'dry_run', 'true') = 'true') as previewed,
        exists(select from job where function_name = 'sync_devices' and status = 'FINISHED'
          and start_arguments ->> 'dry_run' = 'false' and outcome in ('success', 'partial')) as pushed`
      return enveloped({
        settings: yield* sourceOf("settings"),
        templates: yield* sourceOf("templates"),
        networks: present.networks,
        ...ended,
        can_restart: restart !== null
      })
    })

    const set = Effect.fnUntraced(function* (sent: FirstSettings) {
      yield* administrator
      const given = kinds.filter((kind) => sent[kind] !== undefined)
      const known = given.find((kind) => present[kind] !== null)
      if (known !== undefined)
        return yield* new Conflict({
          message: `${NAMES[known]} has a value: change it on the machine of the server, and start the server anew`
        })
      const bad = (yield* findingsOf(sent)).filter(({ is_good }) => !is_good)
      if (bad.length > 0)
        return yield* new BadRequest({ message: bad.map(({ message, of }) => `${of}: ${message}`).join(". ") })
      const written = new Map(given.map((kind) => [NAMES[kind], sent[kind] ?? ""] as const))
      const place = yield* Effect.mapError(
        draftSettings(DATA_DIR, written),
        ({ message }) => new BadRequest({ message })
      )
      yield* Effect.mapError(place, ({ message }) => new BadRequest({ message }))
      yield* Effect.logWarning("SECURITY: settings were written by the first run", {
        settings: [...written.keys()],
        by: (yield* Caller).name
      })
      if (restart !== null) yield* Effect.forkDetach(Effect.delay(restart, FAREWELL))
      return enveloped({ set: [...written.keys()], restarts: restart !== null })
    })

    return handlers
      .handle("progress", () => answered(progress))
      .handle("try", ({ payload }) =>
        answered(
          Effect.andThen(
            administrator,
            Effect.map(findingsOf(payload), (findings) => enveloped({ findings }))
          )
        )
      )
      .handle("set", ({ payload }) => answered(set(payload)))
  })
)
