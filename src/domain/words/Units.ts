/** Times, lengths, sizes and counts as people read them. Units stand after a no-break space; a missing value is a dash. */

/** Shown where nothing is known. */
export const MISSING = "–"

const NBSP = "\u00a0"
const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** Older moments are shown by their date. */
const RELATIVE_DAYS = 7

/** The moment that a text or number of the API names: text in UTC with or without a zone, or epoch seconds. */
export const momentOf = (at: string | number | null | undefined): Date | undefined => {
  if (at === null || at === undefined || at === "") return undefined
  if (typeof at === "number") return new Date(at * 1000)
  const text = at.replace(" ", "T")
  const moment = new Date(/(Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`)
  return Number.isNaN(moment.getTime()) ? undefined : moment
}

const plurals = new Intl.PluralRules("en")
const numbers = new Intl.NumberFormat("en")

/** `10,042`. */
export const number = (count: number): string => numbers.format(count)

/** `1 switch`, `2 switches`, `12,400 ports`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${number(count)} ${plurals.select(count) === "one" ? one : many}`

/** Where times are shown; by default in the zone of the machine. */
export interface Zone {
  readonly locale?: string
  readonly timeZone?: string
}

/** Formats are slow to make, and the same few are used for every row of a table. */
const formats = new Map<string, Intl.DateTimeFormat>()

const format = ({ locale = "en-GB", timeZone }: Zone, parts: Intl.DateTimeFormatOptions): Intl.DateTimeFormat => {
  const key = [locale, timeZone, ...Object.entries(parts)].join()
  const known = formats.get(key)
  if (known !== undefined) return known
  const zoned = timeZone === undefined ? {} : { timeZone }
  const made = new Intl.DateTimeFormat(locale, { ...parts, hourCycle: "h23", ...zoned })
  formats.set(key, made)
  return made
}

/** `18 November 2026 at 14:02:11 CET`. */
export const exactTime = (moment: Date, zone: Zone = {}): string =>
  format(zone, {
    day: "numeric",
    month: "long",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    timeZoneName: "short"
  }).format(moment)

/** `14:02:11`, below the heading of its day. */
export const clockTime = (moment: Date, zone: Zone = {}): string =>
  format(zone, { hour: "2-digit", minute: "2-digit", second: "2-digit" }).format(moment)

/** `18 Nov 2026, 14:02:11`, for lists whose order to the second matters. */
export const stampTime = (moment: Date, zone: Zone = {}): string =>
  format(zone, {
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit"
  }).format(moment)

/** `15:02`. */
export const clock = (moment: Date, zone: Zone = {}): string =>
  format(zone, { hour: "2-digit", minute: "2-digit" }).format(moment)
const dayOf = (moment: Date, zone: Zone) =>
  format(zone, { year: "numeric", month: "2-digit", day: "2-digit" }).format(moment)

/** `Today`, `Yesterday`, or `Wednesday 18 November 2026`: the heading of a moment's day. */
export const dayName = (moment: Date, now: Date, zone: Zone = {}): string => {
  const day = dayOf(moment, zone)
  if (day === dayOf(now, zone)) return "Today"
  if (day === dayOf(new Date(now.getTime() - DAY * 1000), zone)) return "Yesterday"
  return format(zone, { weekday: "long", day: "numeric", month: "long", year: "numeric" }).format(moment)
}

/** `40 seconds`, `14 min`, `2 h`, `3 days`: the largest unit, rounded down. */
const roughly = (seconds: number): string => {
  if (seconds < MINUTE) return counted(Math.floor(seconds), "second")
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)}${NBSP}min`
  return seconds < DAY ? `${Math.floor(seconds / HOUR)}${NBSP}h` : counted(Math.floor(seconds / DAY), "day")
}

/**
 * `just now`, `14 min ago`, `in 2 h`, `yesterday 15:02`, `3 days ago`, `18 November`, and with its year when it is another one.
 * `now` decides what is near.
 */
export const relativeTime = (moment: Date, now: Date, zone: Zone = {}): string => {
  const ago = (now.getTime() - moment.getTime()) / 1000
  const distance = Math.abs(ago)
  if (distance < 10) return "just now"
  if (ago > 0 && dayOf(moment, zone) === dayOf(new Date(now.getTime() - DAY * 1000), zone) && distance >= 6 * HOUR)
    return `yesterday ${clock(moment, zone)}`
  if (distance < RELATIVE_DAYS * DAY) return ago > 0 ? `${roughly(distance)} ago` : `in ${roughly(distance)}`
  const year = { year: "numeric" } as const
  const isSameYear = format(zone, year).format(moment) === format(zone, year).format(now)
  return format(zone, { day: "numeric", month: "long", ...(isSameYear ? {} : year) }).format(moment)
}

const withRest = (text: string, rest: number, unit: string): string =>
  rest === 0 ? text : `${text} ${rest}${NBSP}${unit}`

/** `31 ms`, `4 min 46 s`, `2 h 5 min`, `3 days 4 h`: the two largest units, rounded down. */
export const duration = (seconds: number): string => {
  if (seconds > 0 && seconds < 1) return `${Math.round(seconds * 1000)}${NBSP}ms`
  const whole = Math.floor(Math.max(0, seconds))
  if (whole >= DAY) return withRest(counted(Math.floor(whole / DAY), "day"), Math.floor((whole % DAY) / HOUR), "h")
  if (whole >= HOUR) return withRest(`${Math.floor(whole / HOUR)}${NBSP}h`, Math.floor((whole % HOUR) / MINUTE), "min")
  return whole >= MINUTE ? withRest(`${Math.floor(whole / MINUTE)}${NBSP}min`, whole % MINUTE, "s") : `${whole}${NBSP}s`
}

/** `1 switch`, `7 switches`. */
export const switches = (count: number): string => counted(count, "switch", "switches")

const PREFIXES = ["", "k", "M", "G", "T"] as const

/** `1.2 G` of 1,200,000,000: at most three digits, in powers of ten. */
const scaled = (value: number): readonly [figure: string, prefix: string] => {
  let power = value < 1000 ? 0 : Math.min(PREFIXES.length - 1, Math.floor(Math.log10(value) / 3))
  const rounded = (at: number) => {
    const figure = value / 1000 ** at
    return figure < 10 && at > 0 ? Math.round(figure * 10) / 10 : Math.round(figure)
  }
  if (rounded(power) >= 1000 && power < PREFIXES.length - 1) power += 1
  return [String(rounded(power)), PREFIXES[power] ?? ""]
}

/** `1.2 GB`, `990 MB`; 10⁹ bytes are a GB. */
export const size = (bytes: number): string => {
  const [figure, prefix] = scaled(bytes)
  return `${figure}${NBSP}${prefix}B`
}

/** `1 Gb/s`, `100 Mb/s`; nothing is known of a port without a speed. */
export const speed = (megabits: number | null | undefined): string => {
  if (megabits === null || megabits === undefined || megabits <= 0) return MISSING
  const [figure, prefix] = scaled(megabits * 1_000_000)
  return `${figure}${NBSP}${prefix}b/s`
}

/** `6.2 W`. */
export const power = (watts: number): string => `${watts.toFixed(1)}${NBSP}W`

/** `−7.1 dBm`. */
export const light = (dbm: number): string => `${dbm.toFixed(1).replace("-", "−")}${NBSP}dBm`
