/**
 * Looks up the addresses of names through the system, in a bounded time. A silent name server holds a thread of Node's pool for each name,
 * and file access needs these threads too. Therefore at most two names are looked up at a time, and one name once for all callers. After
 * some seconds a caller gets the error that no name server answers, or the last known addresses, so that the connection to the database
 * survives an outage of name servers.
 */
import * as dns from "node:dns"
import { isIP, type LookupFunction } from "node:net"

/** The result, in the form that a connecting socket gets. */
interface Found {
  readonly error: NodeJS.ErrnoException | null
  readonly addresses: ReadonlyArray<dns.LookupAddress>
}
type Callback = (found: Found) => void

/** Shorter than the wait for a connection to the database, so that the reason is reported. */
const PATIENCE_MILLIS = 4_000
/** How long an answer is waited for if an earlier one is known. */
const KNOWN_MILLIS = 1_000
const MOST_KNOWN = 1_000
const AT_A_TIME = 2

const asked = new Map<string, Set<Callback>>()
const waiting: Array<() => void> = []
let running = 0

const next = () => {
  running -= 1
  waiting.shift()?.()
}

const begin = (work: () => void) => {
  const started = () => {
    running += 1
    work()
  }
  if (running < AT_A_TIME) started()
  else waiting.push(started)
}

const silent = (hostname: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`getaddrinfo EAI_AGAIN ${hostname}: no name server answered`), {
    code: "EAI_AGAIN",
    syscall: "getaddrinfo",
    hostname
  })

/** Looks the name up once for all callers of that time. */
const ask = (hostname: string, options: dns.LookupOptions, answer: Callback) => {
  const key = JSON.stringify([hostname, options.family, options.hints, options.order])
  const others = asked.get(key)
  if (others !== undefined) return void others.add(answer)
  const callbacks = new Set([answer])
  asked.set(key, callbacks)
  begin(() =>
    dns.lookup(hostname, { ...options, all: true }, (error, addresses) => {
      asked.delete(key)
      next()
      for (const one of callbacks) one({ error, addresses: error === null ? addresses : [] })
    })
  )
}

/** The last answers, for when no new one comes. */
const known = new Map<string, ReadonlyArray<dns.LookupAddress>>()

const remember = (key: string, addresses: ReadonlyArray<dns.LookupAddress>) => {
  const [oldest] = known.keys()
  if (known.size >= MOST_KNOWN && oldest !== undefined) known.delete(oldest)
  known.set(key, addresses)
}

/** The addresses that are known without a lookup; the name of this machine needs no name server. */
const knownOf = (hostname: string, key: string, { family }: dns.LookupOptions) => {
  if (hostname.toLowerCase() !== "localhost") return known.get(key)
  const loopback = LOOPBACK.filter((one) => family === undefined || family === 0 || family === one.family)
  return known.get(key) ?? (loopback.length === 0 ? undefined : loopback)
}

const LOOPBACK: ReadonlyArray<dns.LookupAddress> = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 }
]

/** All addresses of a name. If no name server answers, the last known ones, unless only new ones are wanted. */
export const lookupAll = (hostname: string, options: dns.LookupOptions, callback: Callback, onlyNew = false) => {
  const key = JSON.stringify([hostname, options.family])
  let isAnswered = false
  const answer: Callback = ({ addresses, error }) => {
    if (error === null) remember(key, addresses)
    if (isAnswered) return
    isAnswered = true
    clearTimeout(timer)
    const before = error?.code === "EAI_AGAIN" && !onlyNew ? knownOf(hostname, key, options) : undefined
    callback(before === undefined ? { addresses, error } : { addresses: before, error: null })
  }
  const late = () => answer({ error: silent(hostname), addresses: [] })
  const isKnown = !onlyNew && knownOf(hostname, key, options) !== undefined
  const timer = setTimeout(late, isKnown ? KNOWN_MILLIS : PATIENCE_MILLIS)
  ask(hostname, options, answer)
}

/** For the option `lookup` of connections. */
export const lookup: LookupFunction = (hostname, options, callback) =>
  lookupAll(hostname, options, ({ addresses, error }) => {
    const [first] = addresses
    if (error !== null) return callback(error, [])
    if (options.all === true) return callback(null, [...addresses])
    return first === undefined ? callback(silent(hostname), []) : callback(null, first.address, first.family)
  })

/** Fails if no name server answers, for calls that look names up on their own without such bounds. */
export const askedFirst = (url: string | URL): Promise<void> =>
  new Promise((resolve, reject) => {
    const host = URL.parse(String(url))?.hostname.replace(/^\[|\]$/g, "") ?? ""
    if (host === "" || isIP(host) !== 0) return resolve()
    // the call itself reports other errors
    lookupAll(host, {}, ({ error }) => (error?.code === "EAI_AGAIN" ? reject(error) : resolve()), true)
  })
