/**
 * Switches that are onboarded (docs/onboarding.md): where each came from, its running configuration as it was read, and the measured distance to
 * its generated one. A row stays when its switch is managed, and is removed with the device.
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Option } from "effect"
import type { Device } from "../domain/Device.ts"
import type { DistanceRecord, OnboardedFacts } from "../domain/Onboarding.ts"
import { DeviceStore } from "./DeviceStore.ts"
import { SecretTexts } from "./SecretStore.ts"

/** A new row. */
export interface NewOnboarding {
  readonly device_id: number
  readonly source: string
  readonly origin: string
  readonly added_by: string
  readonly config?: { readonly text: string; readonly at: string | null }
}

/** A row with the fields of its device that lists show. */
export interface OnboardingRow {
  readonly device_id: number
  readonly hostname: string
  readonly device_type: string
  readonly device_state: Device["state"]
  readonly platform: string | null
  readonly management_ip: string | null
  readonly source: string
  readonly origin: string
  readonly added_by: string
  readonly added_at: string
  readonly failure: string | null
  readonly shown: OnboardedFacts | null
  readonly config_from: "session" | "file" | null
  readonly config_at: string | null
  readonly fingerprint: string | null
  readonly refused_fingerprint: string | null
  readonly is_stale: boolean
  readonly unrendered: string | null
  readonly lines: number | null
  readonly extra: number | null
  readonly missing: number | null
  readonly secrets: ReadonlyArray<string> | null
  readonly measured_at: string | null
}

/** A device to measure, with what it runs. */
export interface StoredRunning {
  readonly device: Device
  readonly config: string
}

/** The commits in force. */
export interface CommitsInForce {
  readonly settings: string | null
  readonly templates: string | null
}

/** The result for one device; `unrendered` says why there is none. */
export interface MeasuredDevice {
  readonly device_id: number
  readonly unrendered: string | null
  readonly lines: number | null
  readonly extra: number | null
  readonly missing: number | null
  /** Without secrets. */
  readonly difference: string | null
  readonly secrets: ReadonlyArray<string> | null
}

const COLUMNS = `o.device_id, d.hostname, d.device_type::text as device_type, d.state::text as device_state, d.platform,
  host(d.management_ip::inet) as management_ip, o.source, o.origin, o.added_by, iso_time(o.added_at) as added_at, o.failure, o.shown,
  o.config_from, iso_time(o.config_at) as config_at, k.fingerprint, k.refused_fingerprint, o.is_stale, o.unrendered, o.lines, o.extra,
  o.missing, o.secrets, iso_time(o.measured_at) as measured_at`

/** The commit of the repository's own ref. */
const shortened = (commits: string | null): string | null => commits?.split(",", 1)[0] ?? null

/** Queries of onboarded switches. */
export const makeOnboarding = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const secrets = yield* SecretTexts
  const devices = yield* DeviceStore
  const columns = sql.literal(COLUMNS)
  const tables = sql.literal(
    "onboarding o join device d on d.id = o.device_id left join host_key k on k.device_id = o.device_id"
  )
  const isOpen = sql.literal("d.state <> 'MANAGED'")

  const withConfig = Effect.fnUntraced(function* (ids: ReadonlyArray<number>) {
    const rows = yield* sql<{ device_id: number; config: string }>`select device_id, config from onboarding
      where device_id = any(${ids}::integer[]) and config is not null`
    const byId = new Map((yield* devices.byIds(rows.map(({ device_id }) => device_id))).map((one) => [one.id, one]))
    return rows.flatMap(({ config, device_id }): ReadonlyArray<StoredRunning> => {
      const device = byId.get(device_id)
      const text = secrets.open(config)
      return device === undefined || Option.isNone(text) ? [] : [{ device, config: text.value }]
    })
  })

  const record = Effect.fnUntraced(function* (commits: CommitsInForce) {
    const [now] = yield* sql<Omit<DistanceRecord, "measured_at" | "settings_commit" | "templates_commit" | "distance">>`
      select count(*)::integer as devices,
        (count(*) filter (where o.extra + o.missing = 0))::integer as reached,
        (count(*) filter (where o.unrendered is not null))::integer as unrendered,
        coalesce(sum(o.lines), 0)::integer as lines, coalesce(sum(o.extra + o.missing), 0)::integer as differing
      from onboarding o where o.config is not null`
    if (now === undefined || now.devices === 0) return
    const { devices: count, differing, lines, reached, unrendered } = now
    yield* sql`insert into onboarding_distance (settings_commit, templates_commit, devices, reached, unrendered, lines, differing)
      select ${shortened(commits.settings)}, ${shortened(commits.templates)}, ${count}, ${reached}, ${unrendered}, ${lines}, ${differing}
      where not exists (select from (select * from onboarding_distance order by id desc limit 1) last
        where last.settings_commit is not distinct from ${shortened(commits.settings)}
          and last.templates_commit is not distinct from ${shortened(commits.templates)} and last.devices = ${count}
          and last.reached = ${reached} and last.unrendered = ${unrendered} and last.lines = ${lines} and last.differing = ${differing})`
  })

  return {
    add: Effect.fn("Onboarding.add")(function* ({ added_by, config, device_id, origin, source }: NewOnboarding) {
      const text = config === undefined ? null : secrets.seal(config.text)
      yield* sql`insert into onboarding (device_id, source, origin, added_by, config, config_from, config_at)
        values (${device_id}, ${source}, ${origin}, ${added_by}, ${text}, ${text === null ? null : "file"},
          ${config?.at ?? null}::timestamptz)`
    }),
    list: Effect.withSpan(sql<OnboardingRow>`select ${columns} from ${tables} order by d.hostname`, "Onboarding.list"),
    find: Effect.fn("Onboarding.find")((hostname: string) =>
      Effect.map(sql<OnboardingRow>`select ${columns} from ${tables} where d.hostname = ${hostname}`, ([row]) =>
        Option.fromUndefinedOr(row)
      )
    ),
    /** The switch could not be read; what was read before stays. */
    failed: Effect.fn("Onboarding.failed")((deviceId: number, failure: string) =>
      Effect.asVoid(sql`update onboarding set failure = ${failure} where device_id = ${deviceId}`)
    ),
    /** What a session has shown. */
    read: Effect.fn("Onboarding.read")((deviceId: number, shown: OnboardedFacts, config: string) =>
      Effect.asVoid(
        sql`update onboarding set failure = null, shown = ${JSON.stringify(shown)}::jsonb, config = ${secrets.seal(config)},
          config_from = 'session', config_at = now(), is_stale = true where device_id = ${deviceId}`
      )
    ),
    withConfig: Effect.fn("Onboarding.withConfig")(withConfig),
    /** Ids of switches that are not managed yet and have a configuration, by hostname. */
    open: Effect.map(
      sql<{
        id: number
      }>`select o.device_id as id from ${tables} where ${isOpen} and o.config is not null order by d.hostname`,
      (rows) => rows.map(({ id }) => id)
    ),
    /** The next measurement looks at all of them again, for instance after ports or links have changed. */
    stale: Effect.asVoid(sql`update onboarding set is_stale = true where config is not null`),
    /** Switches whose measurement is not of these commits, or is stale. */
    toMeasure: Effect.fn("Onboarding.toMeasure")(({ settings, templates }: CommitsInForce) =>
      Effect.map(
        sql<{ id: number }>`select o.device_id as id from ${tables} where ${isOpen} and o.config is not null
          and (o.is_stale or o.settings_commit is distinct from ${settings} or o.templates_commit is distinct from ${templates})
          order by d.hostname`,
        (rows) => rows.map(({ id }) => id)
      )
    ),
    measured: Effect.fn("Onboarding.measured")(function* (
      commits: CommitsInForce,
      found: ReadonlyArray<MeasuredDevice>
    ) {
      yield* sql`update onboarding o set is_stale = false, settings_commit = ${commits.settings},
          templates_commit = ${commits.templates}, measured_at = now(), unrendered = given.unrendered, lines = given.lines,
          extra = given.extra, missing = given.missing, difference = given.difference, secrets = given.secrets
        from jsonb_to_recordset(${JSON.stringify(found)}::text::jsonb) as given (device_id integer, unrendered text, lines integer,
          extra integer, missing integer, difference text, secrets jsonb)
        where o.device_id = given.device_id`
    }),
    /** Adds to the history, unless nothing has changed. */
    record: Effect.fn("Onboarding.record")(record, sql.withTransaction),
    /** The newest records first. */
    history: Effect.fn("Onboarding.history")(
      (limit: number) =>
        sql<
          Omit<DistanceRecord, "distance">
        >`select iso_time(measured_at) as measured_at, settings_commit, templates_commit, devices,
          reached, unrendered, lines, differing from onboarding_distance order by id desc limit ${limit}`
    ),
    /** Differences by hostname, of those that have one. */
    differences: Effect.withSpan(
      sql<{ hostname: string; difference: string }>`select d.hostname, o.difference from ${tables}
        where ${isOpen} and o.difference <> '' order by d.hostname`,
      "Onboarding.differences"
    ),
    differenceOf: Effect.fn("Onboarding.differenceOf")((deviceId: number) =>
      Effect.map(
        sql<{ difference: string | null }>`select difference from onboarding where device_id = ${deviceId}`,
        ([row]) => row?.difference ?? null
      )
    ),
    /** The commits in force; that of the templates has the branches of groups behind it. */
    inForce: Effect.map(
      sql<{
        name: string
        commits: string
      }>`select name, string_agg(case ref when '' then commit else ref || ' ' || commit end, ', '
          order by ref) as commits from repository group by name`,
      (rows): CommitsInForce => ({
        settings: rows.find(({ name }) => name === "settings")?.commits ?? null,
        templates: rows.find(({ name }) => name === "templates")?.commits ?? null
      })
    ),
    /** Whether an event of this range is about a record from which the configuration of an onboarded switch is made. */
    isConcerned: Effect.fn("Onboarding.isConcerned")((after: number, through: number) =>
      Effect.map(
        sql`select from event e where e.id > ${after}::bigint and e.id <= ${through}::bigint
          and e.kind in ('interface', 'linknet', 'mgmtdomain', 'device')
          and (e.device_id is null or e.device_id in (select device_id from onboarding)) limit 1`,
        (rows) => rows.length > 0
      )
    ),
    /** The configuration was proved over a session: it is what the switch runs now. */
    proved: Effect.fn("Onboarding.proved")((deviceId: number, config: string) =>
      Effect.asVoid(
        sql`update onboarding set config = ${secrets.seal(config)}, config_from = 'session', config_at = now(), failure = null,
          extra = 0, missing = 0, difference = '', secrets = '[]'::jsonb, unrendered = null, measured_at = now()
          where device_id = ${deviceId}`
      )
    )
  }
})
