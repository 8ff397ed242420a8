/** Origins of web pages in settings, such as `https://ui.example.org,https://ui.example.org:8443`. */
import { Schema, SchemaGetter } from "effect"

const readOrigin = (text: string): string => {
  try {
    const url = new URL(text)
    const isBare = url.pathname === "/" && url.search === "" && url.hash === "" && url.username === ""
    return isBare && /^https?:$/.test(url.protocol) ? url.origin : ""
  } catch {
    return ""
  }
}

const RULE = "Expected origins such as https://ui.example.org, without a path, separated by commas"

/** A list of origins as browsers write them, separated by commas; may be empty. */
export const WebOrigins = Schema.String.pipe(
  Schema.decodeTo(Schema.Array(Schema.String), {
    decode: SchemaGetter.transform((list: string) =>
      list
        .split(",")
        .map((item) => item.trim())
        .filter((item) => item !== "")
        .map(readOrigin)
    ),
    encode: SchemaGetter.transform((origins: ReadonlyArray<string>) => origins.join(","))
  }),
  Schema.check(Schema.makeFilter((origins: ReadonlyArray<string>) => !origins.includes("") || RULE))
)
