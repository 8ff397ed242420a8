/**
 * Globs of paths and ports in permissions, and the calls that a permission covers (docs/roles.md#permissions). Callers choose
 * the texts, so a match takes no longer than the product of both lengths. The web page uses it too. Pure.
 */

/** One or more characters of a glob: the class of a matching character, and whether it may be absent or repeated. */
interface Part {
  readonly source: string
  readonly repeats: "once" | "some" | "any"
}

const escaped = (text: string): string => text.replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)

const partOf = (text: string): Part => {
  if (text === "{id}") return { source: String.raw`\d`, repeats: "some" }
  if (/^\{\w+\}$/.test(text)) return { source: "[^/]", repeats: "some" }
  if (text.startsWith("*")) return { source: String.raw`[\s\S]`, repeats: "any" }
  if (text === "?") return { source: String.raw`[\s\S]`, repeats: "once" }
  if (text.length === 1) return { source: escaped(text), repeats: "once" }
  const inside = text.slice(1, -1).replaceAll("\\", "\\\\").replaceAll("]", "\\]")
  const set = inside.startsWith("!") ? `[^${inside.slice(1)}]` : `[${inside.replace(/^\^/, String.raw`\^`)}]`
  return { source: set, repeats: "once" }
}

/**
 * A glob as in file names: `*` any characters, slashes too, `?` one, `[…]` one of a set and `[!…]` none of it. In addition, as
 * in the paths of the API document, `{id}` is a number, and any other name in braces matches text without a slash.
 */
const partsOf = (glob: string): ReadonlyArray<Part> =>
  (glob.match(/\[!?\]?[^\]]*\]|\{\w+\}|\*+|[\s\S]/g) ?? []).map(partOf)

type Matches = (text: string) => boolean

const SIGNS = { once: "", some: "+", any: "*" } as const

/** A regular expression for the simple globs, which need one pass: one `*`, or names in braces between slashes and a `*` at the end. */
const inOneGo = (glob: string, parts: ReadonlyArray<Part>): Matches | undefined => {
  const stars = parts.filter(({ repeats }) => repeats === "any").length
  const isPlain = !parts.some(({ repeats }) => repeats === "some")
  const isPath = /^(?:[^*{}]|\{\w+\}(?=\/|$))*\*?$/.test(glob)
  if (!(stars <= 1 && isPlain) && !isPath) return undefined
  const pattern = new RegExp(`^${parts.map(({ repeats, source }) => source + SIGNS[repeats]).join("")}$`)
  return (text) => pattern.test(text)
}

/** Reads a text once, with all places of the glob that are possible at each character. */
const stepByStep = (parts: ReadonlyArray<Part>): Matches => {
  const steps = parts.flatMap(({ repeats, source }) => {
    const is = new RegExp(`^${source}$`)
    const stay = { is, stays: true }
    if (repeats === "any") return [stay]
    return repeats === "some" ? [{ is, stays: false }, stay] : [{ is, stays: false }]
  })
  /** Optional parts are passed at once. */
  const enter = (places: Set<number>, place: number): void => {
    places.add(place)
    if (steps[place]?.stays === true) enter(places, place + 1)
  }
  return (text) => {
    let places = new Set<number>()
    enter(places, 0)
    for (let index = 0; index < text.length && places.size > 0; index += 1) {
      const next = new Set<number>()
      for (const place of places) {
        const step = steps[place]
        if (step?.is.test(text[index] ?? "") === true) enter(next, step.stays ? place : place + 1)
      }
      places = next
    }
    return places.has(steps.length)
  }
}

const compile = (glob: string): Matches => {
  const parts = partsOf(glob)
  return inOneGo(glob, parts) ?? stepByStep(parts)
}

const compiled = new Map<string, Matches>()

/** Whether a text is a valid glob; a range such as `[z-a]` is invalid. The page must not load Effect for this. */
export const isGlob = (glob: string): boolean => {
  try {
    compile(glob)
    return true
  } catch {
    return false
  }
}

/** Whether a glob matches a whole text; case counts. */
export const matchesGlob = (glob: string, text: string): boolean => {
  const known = compiled.get(glob) ?? compile(glob)
  compiled.set(glob, known)
  return known(text)
}

// The calls that a permission covers (docs/roles.md#permissions). Separate from the rest, because the web page uses it too.
// Pure.

/** The part of a permission that decides which calls it covers. */
export interface CoveredCalls {
  readonly methods?: ReadonlyArray<string> | undefined
  readonly endpoints?: ReadonlyArray<string> | undefined
  readonly rights?: ReadonlyArray<string> | undefined
}

/** `*` covers everything. */
export const includes = (list: ReadonlyArray<string>, word: string): boolean =>
  list.includes("*") || list.includes(word)

export const matchesPath = (endpoints: ReadonlyArray<string>, path: string): boolean =>
  endpoints.some((glob) => glob === "*" || glob === path || matchesGlob(glob, path))

/**
 * Calls that need a right of their own in addition to their method and path: a caller with all other calls may lack it. For
 * example, a user who trusts a host key of a switch also decides which switch gets the fleet's login.
 */
const ownRights: ReadonlyArray<{ readonly right: string; readonly method: string; readonly path: RegExp }> = [
  { right: "trust", method: "POST", path: /^\/device\/[^/]+\/(?:trust|hostkey\/approve)$/ },
  { right: "trust", method: "PUT", path: /^\/device\/[^/]+\/host_key$/ },
  { right: "trust", method: "POST", path: /^\/device_hostkeys\/approve$/ },
  { right: "trust", method: "POST", path: /^\/setup\/try$/ },
  { right: "trust", method: "PUT", path: /^\/setup$/ },
  { right: "spellings", method: "DELETE", path: /^\/learned_lines\/[^/]+$/ }
]

/** The separate right that a call needs and a permission lacks; undefined if the permission has it. */
export const missingRight = ({ rights = [] }: CoveredCalls, method: string, path: string): string | undefined =>
  ownRights.find((own) => own.method === method && own.path.test(path) && !includes(rights, own.right))?.right

interface MethodAndPath {
  readonly method: string
  readonly path: string
}

/** A call that is allowed with another one, and the other one; `$1` in its path is the name or number in the first. */
interface Companion {
  readonly method: string
  readonly path: RegExp
  readonly of: MethodAndPath
}

/**
 * Calls that show the effect of another call and change nothing, that stand for several of it, or that only add to what it shows. A
 * permission for the other call covers them: the safe step never needs more rights than the unsafe one (docs/roles.md#permissions).
 */
const previews: ReadonlyArray<Companion> = [
  {
    method: "POST",
    path: /^\/device\/([^/]+)\/interfaces\/preview$/,
    of: { method: "PUT", path: "/device/$1/interfaces" }
  },
  { method: "POST", path: /^\/device_initcheck\/(\d+)$/, of: { method: "POST", path: "/device_init/$1" } },
  { method: "POST", path: /^\/firmware\/upgradecheck$/, of: { method: "POST", path: "/firmware/upgrade" } },
  { method: "POST", path: /^\/repository\/([^/]+)\/check$/, of: { method: "PUT", path: "/repository/$1" } },
  // for each of its switches, which the handler checks
  {
    method: "POST",
    path: /^\/interfaces\/bulk$/,
    of: { method: "PUT", path: "/device/{hostname}/interfaces" }
  },
  {
    method: "GET",
    path: /^\/device\/([^/]+)\/port_(?:options|readings)$/,
    of: { method: "GET", path: "/device/$1/interfaces" }
  },
  {
    method: "GET",
    path: /^\/interfaces\.csv$/,
    of: { method: "GET", path: "/device/{hostname}/interfaces" }
  },
  { method: "GET", path: /^\/job\/\d+\/diffs$/, of: { method: "POST", path: "/device_syncto" } },
  // the marks of a person are for that person alone
  { method: "POST", path: /^\/job\/(\d+)\/viewed$/, of: { method: "GET", path: "/job/$1/diffs" } },
  {
    method: "POST",
    path: /^\/proposals\/(\d+)\/viewed$/,
    of: { method: "GET", path: "/proposals/$1" }
  },
  { method: "GET", path: /^\/job\/(\d+)\/scope$/, of: { method: "GET", path: "/job/$1" } },
  // the record of a job holds the same results, ungrouped
  { method: "GET", path: /^\/job\/(\d+)\/checks$/, of: { method: "GET", path: "/job/$1" } },
  { method: "GET", path: /^\/approvals\/jobs$/, of: { method: "GET", path: "/jobs" } }
]

/** The call itself, and the call that it shows the effect of. A permission that covers one of them covers the call. */
export const callsMeant = (method: string, path: string): ReadonlyArray<MethodAndPath> => {
  const shown = previews.find((one) => one.method === method && one.path.test(path))
  const own = { method, path }
  return shown === undefined ? [own] : [own, { ...shown.of, path: path.replace(shown.path, shown.of.path) }]
}

/** Whether a permission covers this method and path, whatever its other limits. */
export const coversCall = (permission: CoveredCalls, method: string, path: string): boolean => {
  const { endpoints = [], methods = [] } = permission
  return (
    callsMeant(method, path).some((one) => includes(methods, one.method) && matchesPath(endpoints, one.path)) &&
    missingRight(permission, method, path) === undefined
  )
}
