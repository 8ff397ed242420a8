/**
 * A world for chaos: three replicas, each a program of its own, over one PostgreSQL with a standby, on a network of many switches. The
 * ways from each replica to the database and to the others lead through proxies that can be cut; the remote of the settings can
 * hang. `WorldFaults` strikes, `WorldLoad` works meanwhile, `WorldVerdict` judges.
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted, Scope } from "effect"
import * as path from "node:path"
import { MAX_MESSAGE_BYTES } from "../../../src/store/Database.ts"
import * as Campus from "../../support/Campus.ts"
import { freePort } from "../../support/FreePort.ts"
import { timer } from "../../support/Patience.ts"
import * as PostgresProcess from "../../support/PostgresProcess.ts"
import * as Program from "../../support/Program.ts"
import { SHARED_KEY } from "../../support/Replica.ts"
import * as Silence from "../../support/Silence.ts"
import { storesOn } from "../../support/TestStores.ts"
import * as ManagedCampus from "./ManagedCampus.ts"
import { type Account, makeAccount, makeClient } from "./WorldClients.ts"
import * as WorldSite from "./WorldSite.ts"

export const REPLICAS = 3

/** One of the replicas. Another program in its place has the same addresses. */
export interface Replica {
  readonly url: string
  readonly program: () => Program.Program
  /** Starts another one in the place of one that has ended, and waits until it serves. */
  readonly replace: Effect.Effect<void>
  readonly toDatabase: Silence.SilentProxy
  /** The way from the others to this one. */
  readonly fromOthers: Silence.SilentProxy
  /** The output of all programs in its place. */
  readonly log: () => string
}

/** Where the others reach the replica with this number: an address of this machine of its own, with the port on which it listens. */
const addressOf = (index: number) => `127.0.1.${index + 1}`

const makeReplica = Effect.fnUntraced(function* (
  index: number,
  postgres: PostgresProcess.PostgresProcess,
  shared: Readonly<Record<string, string>>
) {
  const folder = yield* Program.dataFolder
  const database = new URL(postgres.url)
  const toDatabase = yield* Silence.make(Number(database.port))
  database.port = String(toDatabase.port)
  const port = yield* freePort
  const clusterPort = yield* freePort
  const fromOthers = yield* Silence.make(clusterPort, { host: addressOf(index), port: clusterPort })
  const env = {
    ...shared,
    DATA_DIR: folder,
    PORT: String(port),
    DATABASE_URL: database.href,
    CLUSTER_HOST: addressOf(index),
    CLUSTER_LISTEN_HOST: "127.0.0.1",
    CLUSTER_PORT: String(clusterPort)
  }
  const programs = [yield* Program.start(env)]
  const last = (): Program.Program => {
    const program = programs.at(-1)
    if (program === undefined) throw new Error("there is no program")
    return program
  }
  const scope = yield* Effect.scope
  const replica: Replica = {
    url: `http://127.0.0.1:${port}`,
    program: last,
    replace: Effect.gen(function* () {
      yield* last().ended
      programs.push(yield* Program.start(env))
      yield* last().url
    }).pipe(Effect.provideService(Scope.Scope, scope)),
    toDatabase,
    fromOthers,
    log: () => programs.map(({ text }) => text()).join("\n--- another one in its place ---\n")
  }
  return replica
})

/** Starts everything; no switch is synchronized yet. */
export const make = Effect.fnUntraced(function* (size: WorldSite.Size, random: () => number) {
  const site = yield* WorldSite.make(size)
  const { folders, lab } = site
  const { failOver, postgres } = yield* PostgresProcess.makePair
  const env = {
    ...Campus.environment(lab, folders, folders.folder),
    GITREPO_SETTINGS: site.gate.address,
    SECRET_KEY: SHARED_KEY,
    COMMIT_CONFIRMED_TIMEOUT: timer(site.timerSeconds),
    LOG_LEVEL: "Info"
  }
  const replicas = yield* Effect.forEach(Array.from({ length: REPLICAS }), (_, index) =>
    makeReplica(index, postgres, env)
  )
  for (const { program } of replicas) yield* program().url
  const client = PgClient.layer({
    url: Redacted.make(postgres.url),
    maxConnections: 6,
    maxMessageSize: MAX_MESSAGE_BYTES,
    applicationName: "tester"
  })
  const stores = yield* Layer.build(storesOn(client, env))
  const account: Account = makeAccount()
  const devices = yield* Effect.provide(ManagedCampus.seedManaged(site.hostnames), stores)
  return {
    site,
    postgres,
    failOver,
    replicas,
    stores,
    devices,
    account,
    random,
    ask: makeClient(
      replicas.map(({ url }) => url),
      account,
      random
    ),
    pluginLog: path.join(folders.folder, "events.log"),
    log: () => replicas.map((replica, index) => `replica ${index}:\n${replica.log()}`).join("\n")
  }
})

export type World = Effect.Success<ReturnType<typeof make>>
