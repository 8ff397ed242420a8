/** Forms of values in environment variables. */
import { Schema, SchemaGetter } from "effect"

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
