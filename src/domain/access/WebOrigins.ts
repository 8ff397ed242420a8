/** Origins of web pages in settings, such as `https://ui.example.org,https://ui.example.org:8443`. */
import { Schema } from "effect"
import { commaList } from "../fields/CommaList.ts"

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
export const WebOrigins = commaList(readOrigin).pipe(
  Schema.check(Schema.makeFilter((origins: ReadonlyArray<string>) => !origins.includes("") || RULE))
)
