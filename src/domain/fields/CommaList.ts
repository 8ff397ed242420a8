/** Lists in settings: texts that commas separate. */
import { identity, Schema, SchemaGetter } from "effect"

/** The items without blanks around them, each read by `read`; empty ones do not count, and the list may be empty. */
export const commaList = (read: (item: string) => string = identity) =>
  Schema.String.pipe(
    Schema.decodeTo(Schema.Array(Schema.String), {
      decode: SchemaGetter.transform((list: string) =>
        list
          .split(",")
          .map((item) => item.trim())
          .filter((item) => item !== "")
          .map(read)
      ),
      encode: SchemaGetter.transform((items: ReadonlyArray<string>) => items.join(","))
    })
  )
