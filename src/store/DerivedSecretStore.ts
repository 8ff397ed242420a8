/** What templates have made of secrets for each device, sealed: by this its configurations and differences are hidden later on. */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Option, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { hash } from "node:crypto"
import { DerivedSecrets, noSecrets, together } from "../templates/TemplateSecrets.ts"
import { SecretTexts } from "./SecretTexts.ts"

const Stored = Schema.fromJsonString(DerivedSecrets)
const decode = Schema.decodeOption(Stored)
const encode = Schema.encodeSync(Stored)

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const { open, seal } = yield* SecretTexts
  const noted = new Map<number, string>()

  /** What was sealed under another key is forgotten. */
  const opened = (sealed: string): DerivedSecrets =>
    Option.getOrElse(Option.flatMap(open(sealed), decode), () => noSecrets)

  const note = Effect.fn("DerivedSecretStore.note")(function* (deviceId: number, derived: DerivedSecrets) {
    if (derived.values.length + derived.lines.length === 0) return
    const digest = hash("sha256", encode(derived), "base64url")
    if (noted.get(deviceId) === digest) return
    const [row] = yield* sql<{ sealed: string }>`select sealed from derived_secret where device_id = ${deviceId}`
    const all = row === undefined ? derived : together(derived, opened(row.sealed))
    // the device may have been removed meanwhile
    yield* sql`insert into derived_secret (device_id, sealed) select id, ${seal(encode(all))} from device where id = ${deviceId}
      on conflict (device_id) do update set sealed = excluded.sealed`
    noted.set(deviceId, digest)
  })

  const ofHosts = Effect.fn("DerivedSecretStore.ofHosts")(function* (hostnames: ReadonlyArray<string>) {
    const rows = yield* sql<{ hostname: string; sealed: string }>`select device.hostname, s.sealed
      from derived_secret s join device on device.id = s.device_id where device.hostname = any(${hostnames}::text[])`
    return new Map(rows.map(({ hostname, sealed }) => [hostname, opened(sealed)]))
  })

  const ofChanges = Effect.fn("DerivedSecretStore.ofChanges")(function* (ids: ReadonlyArray<number>) {
    if (ids.length === 0) return new Map<number, DerivedSecrets>()
    const rows = yield* sql<{ id: number; sealed: string }>`select c.id, s.sealed
      from derived_secret s join config_change c on c.device_id = s.device_id where c.id = any(${ids}::integer[])`
    return new Map(rows.map(({ id, sealed }) => [id, opened(sealed)]))
  })

  return DerivedSecretStore.of({ note, ofHosts, ofChanges })
})

/** Secrets that templates have made. */
export class DerivedSecretStore extends Context.Service<
  DerivedSecretStore,
  {
    /** Remembers them beside those of earlier renderings. */
    readonly note: (deviceId: number, derived: DerivedSecrets) => Effect.Effect<void, SqlError.SqlError>
    /** By the number of a change, of its device. */
    readonly ofChanges: (
      ids: ReadonlyArray<number>
    ) => Effect.Effect<ReadonlyMap<number, DerivedSecrets>, SqlError.SqlError>
    /** By hostname; devices without any are left out. */
    readonly ofHosts: (
      hostnames: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, DerivedSecrets>, SqlError.SqlError>
  }
>()("switchyard/store/DerivedSecretStore") {
  static readonly layer = Layer.effect(DerivedSecretStore, make)
}
