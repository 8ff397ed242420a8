/**
 * What each device was proved to run last. There is one notion of it: whatever proves a device writes it here, and the hash in the
 * device's record, the look for drift, the rules of `auto_push`, undoing and the check before a change all read it. The claim that ends
 * a change writes it in its own statement (`ChangeStore.ts`), everything else by `prove`.
 */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Option } from "effect"
import type { SqlError } from "effect/sql"
import { newChange } from "../../machines/change/ChangeDecision.ts"
import type { Device } from "../domain/Device.ts"
import { withoutOwnLines } from "../domain/ConfigLines.ts"
import { platformOf } from "../domain/platforms/Platforms.ts"
import { REPLACE_PROVED } from "./ChangeClaim.ts"
import { ChangeStore } from "./ChangeStore.ts"
import { SecretTexts } from "./SecretTexts.ts"

/** What a device was last proved to run. */
export interface ProvedConfig {
  readonly device_id: number
  readonly job_id: number | null
  readonly hash: string
  readonly config: string
}

/** What was just read of a device. */
export type SeenConfig = Pick<ProvedConfig, "hash" | "config">

/** A device that a job was seen to have brought to this configuration. */
export interface NewProof extends SeenConfig {
  readonly device_id: number
  readonly job_id: number
}

/** Whether two configurations of a device are one but for lines that it writes by itself. */
export const isSameConfig = ({ platform }: Pick<Device, "platform">, one: string, other: string): boolean => {
  const notation = platformOf(platform)?.configuration
  return notation === undefined ? one === other : withoutOwnLines(notation, one) === withoutOwnLines(notation, other)
}

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const secrets = yield* SecretTexts
  const changes = yield* ChangeStore
  const replaceProved = sql.literal(REPLACE_PROVED)

  const of = Effect.fn("ProvedConfigStore.of")(function* (deviceId: number) {
    const [row] =
      yield* sql<ProvedConfig>`select device_id, job_id, hash, config from proved_config where device_id = ${deviceId}`
    return Option.flatMap(Option.fromUndefinedOr(row), (found) =>
      Option.map(secrets.open(found.config), (config) => ({ ...found, config }))
    )
  })

  const isRun = Effect.fn("ProvedConfigStore.isRun")(function* (
    device: Pick<Device, "id" | "platform">,
    expected: string | null,
    seen: SeenConfig
  ) {
    if (expected === null || seen.hash === expected) return true
    const proved = yield* of(device.id)
    return Option.exists(proved, ({ config, hash }) => hash === expected && isSameConfig(device, config, seen.config))
  })

  const prove = Effect.fn("ProvedConfigStore.prove")(function* ({ config, device_id, hash, job_id }: NewProof) {
    // it ended without a session on the device
    const options = {
      mode: 0,
      dryRun: false,
      force: true,
      sessionName: "",
      expectedHash: null,
      timerSeconds: null
    } as const
    const protocol = {
      ...newChange(options),
      phase: "unchanged",
      candidateHash: hash,
      reason: "unchanged"
    } as const
    yield* changes.findOrInsert({ job_id, device_id, protocol, candidate: config, load_mode: "replace" })
    yield* sql`insert into proved_config (device_id, job_id, hash, config)
      values (${device_id}, ${job_id}, ${hash}, ${secrets.seal(config)}) ${replaceProved}`
  })

  return ProvedConfigStore.of({ of, isRun, prove })
})

/** Proved configurations by device. */
export class ProvedConfigStore extends Context.Service<
  ProvedConfigStore,
  {
    /** None as well when it was sealed under a key that is gone. */
    readonly of: (deviceId: number) => Effect.Effect<Option.Option<ProvedConfig>, SqlError.SqlError>
    /**
     * Whether a device runs what is expected of it by this hash, but for lines that the device writes by itself, such as the image that it
     * boots; true when nothing is expected.
     */
    readonly isRun: (
      device: Pick<Device, "id" | "platform">,
      expected: string | null,
      seen: SeenConfig
    ) => Effect.Effect<boolean, SqlError.SqlError>
    /** The job has brought the device to this configuration otherwise than by a change; in a transaction of the caller's. */
    readonly prove: (proof: NewProof) => Effect.Effect<void, SqlError.SqlError>
  }
>()("switchyard/store/ProvedConfigStore") {
  static readonly layer = Layer.effect(ProvedConfigStore, make)
}
