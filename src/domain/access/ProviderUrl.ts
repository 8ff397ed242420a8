/** Addresses in settings about signing on: keys come from there, or tokens and codes go there. */
import { Schema } from "effect"

/** A URL on this machine, where nobody else listens in. */
const isLocal = ({ hostname }: URL): boolean =>
  /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname) || hostname.endsWith(".localhost")

const parse = (text: string): URL | undefined => {
  try {
    const url = new URL(text)
    return url.username === "" && url.password === "" && url.hash === "" ? url : undefined
  } catch {
    return undefined
  }
}

/** Whether what goes to this URL, and what comes from it, can be read and changed by nobody on the way. */
export const isPrivate = (text: string): boolean => {
  const url = parse(text)
  return url !== undefined && (url.protocol === "https:" || (url.protocol === "http:" && isLocal(url)))
}

/** `https://…`; on this machine, be it the server's or a browser's, `http://…` too. */
export const PrivateUrl = Schema.String.pipe(
  Schema.check(
    Schema.makeFilter(
      (text: string) => isPrivate(text) || "Expected a URL that begins with https:// (http:// on this machine only)"
    )
  )
)
