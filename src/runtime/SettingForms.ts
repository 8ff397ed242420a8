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
