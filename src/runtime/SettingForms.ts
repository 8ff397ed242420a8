/** What the table of the server's settings is made of: a setting with its default and meaning, and forms of values. */
import { Config, type Option, Schema, SchemaGetter } from "effect"

/** A setting of the server: how it is read, its default as the manual shows it, and what it is for. */
export interface Setting<out A> {
  readonly config: Config.Config<A>
  /** Empty when there is none. */
  readonly fallback: string
  readonly about: string
}

export const setting = <A>(config: Config.Config<A>, fallback: string, about: string): Setting<A> => ({
  config,
  fallback,
  about
})

const shown = (value: unknown): string => (value === null ? "" : Array.isArray(value) ? value.join(",") : String(value))

/** A setting that has this value when it is not set. */
export const withDefault = <A>(config: Config.Config<A>, fallback: NoInfer<A>, about: string): Setting<A> =>
  setting(Config.withDefault(config, fallback), shown(fallback), about)

/** A setting that may be absent. `fallback` is shown where other settings decide what its absence means. */
export const optional = <A>(config: Config.Config<A>, about: string, fallback = ""): Setting<Option.Option<A>> =>
  setting(Config.option(config), fallback, about)

export const flag = (name: string, fallback: boolean, about: string) =>
  withDefault(Config.Boolean(name), fallback, about)

export const text = (name: string, fallback: string, about: string) => withDefault(Config.String(name), fallback, about)

/** A whole number that is not below a minimum. */
export const count = (name: string, fallback: number, about: string, minimum = 0) =>
  withDefault(
    Config.schema(Schema.Int.pipe(Schema.check(Schema.isGreaterThanOrEqualTo(minimum))), name),
    fallback,
    about
  )

export const percent = (name: string, fallback: number, about: string) =>
  withDefault(
    Config.schema(Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 100 }))), name),
    fallback,
    about
  )

/** `10,30,60` to numbers. */
export const Delays = Schema.String.pipe(
  Schema.check(Schema.isPattern(/^\d{1,6}(,\d{1,6})*$/, { message: "Expected whole seconds, separated by commas" })),
  Schema.decodeTo(Schema.Array(Schema.Int), {
    decode: SchemaGetter.transform((list: string) => list.split(",").map(Number)),
    encode: SchemaGetter.transform((delays: ReadonlyArray<number>) => delays.join(","))
  })
)

/** A directory on a device, below its root. */
export const DeviceDirectory = Schema.String.pipe(
  Schema.check(Schema.isPattern(/^(?:\/[\w.-]+)+$/, { message: "Expected an absolute path such as /etc/switchyard" }))
)

/** Lists that have a default and may be empty: set to nothing they are, while any other setting that is set to nothing is unset. */
const LISTS: ReadonlySet<string> = new Set(["TRUSTED_PROXIES", "METRICS_NETWORKS", "OUTBOUND_HOSTS"])

/** The environment with an item that does not count in empty lists, because an empty text counts as absent. */
export const withEmptyLists = (environment: Readonly<Record<string, string | undefined>>) =>
  Object.fromEntries(
    Object.entries(environment).map(([name, text]) => [name, text === "" && LISTS.has(name) ? "," : text])
  )
