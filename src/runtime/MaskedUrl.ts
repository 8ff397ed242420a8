/**
 * Addresses of requests as they may be logged or told to a receiver of traces: without the values of parameters that carry tokens, however the parameter is
 * spelled and wherever it stands. What cannot be understood is masked, because a log is read by more people than a token is for.
 */

const MASK = "***"
const MAX_URL = 500
/** Names decoded more often than this are nobody's habit. */
const MAX_DECODINGS = 4

/** A name that is not decoded to its end is nobody's, so it may stand for any of them. */
const SECRET_NAME = /jwt|token|secret|passw|credential|api[-_ ]?key|^code$|%/i
/** A parameter inside of a value, or behind a separator that was encoded. */
const SECRET_INSIDE = /(?:jwt|token|secret|passw|credential|api[-_ ]?key)[^?&;#=]*=/i
/** What looks like a token, whatever it is called. */
const TOKEN = /eyJ[\w-]{5,}(?:\.[\w-]*)+/g
/** Everything below these paths is about signing in: codes, states and tokens. */
const SIGN_ON = /\/auth\//i

const decodedOnce = (text: string): string =>
  text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

/** The text behind all encodings; undefined when there are too many of them. */
const decoded = (text: string): string | undefined => {
  let known = text
  for (let round = 0; round < MAX_DECODINGS; round++) {
    const next = decodedOnce(known)
    if (next === known) return known
    known = next
  }
  return undefined
}

/** A part between two separators with its secret masked: `name=value`, or a part of the path. */
const masked = (part: string): string => {
  const plain = decoded(part)
  const end = part.indexOf("=")
  const name = end < 0 ? "" : (decoded(part.slice(0, end)) ?? "token")
  if (end >= 0 && SECRET_NAME.test(name)) return `${part.slice(0, end)}=${MASK}`
  if (plain !== undefined && !SECRET_INSIDE.test(plain)) return part
  return `${part.slice(0, part.search(/[%=]/))}${MASK}`
}

/** The URL with the values of token parameters masked, cut to 500 characters; of a sign-on only the path. */
export const maskUrl = (url: string): string => {
  const [path = ""] = url.split(/[?;#]/, 1)
  if (SIGN_ON.test(decoded(path) ?? "/auth/")) return path.slice(0, MAX_URL)
  const parts = url.split(/([?;&#])/)
  return parts.map(masked).join("").replaceAll(TOKEN, MASK).slice(0, MAX_URL)
}
