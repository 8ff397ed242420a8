/**
 * The addresses of names, as the system looks them up, in a bounded time. A name server that is silent holds a thread of Node's pool for
 * each name, and the work with files needs these threads too: so at most two names are looked up at a time, one name once for all who
 * ask, and who asks hears after some seconds that no name server answers.
 */
import * as dns from "node:dns"
import { isIP, type LookupFunction } from "node:net"

/** As whoever dials is told it. */
interface Found {
  readonly error: NodeJS.ErrnoException | null
  readonly addresses: ReadonlyArray<dns.LookupAddress>
}
type Tell = (found: Found) => void

const PATIENCE_MILLIS = 5_000
const AT_A_TIME = 2

const asked = new Map<string, Set<Tell>>()
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

/** Looks the name up once for all who ask meanwhile. */
const ask = (hostname: string, options: dns.LookupOptions, tell: Tell) => {
  const key = JSON.stringify([hostname, options.family, options.hints, options.order])
  const others = asked.get(key)
  if (others !== undefined) return void others.add(tell)
  const tellers = new Set([tell])
  asked.set(key, tellers)
  begin(() =>
    dns.lookup(hostname, { ...options, all: true }, (error, addresses) => {
      asked.delete(key)
      next()
      for (const one of tellers) one({ error, addresses: error === null ? addresses : [] })
    })
  )
}

/** All addresses of a name. */
export const lookupAll = (hostname: string, options: dns.LookupOptions, told: Tell) => {
  let isTold = false
  const tell: Tell = (found) => {
    if (isTold) return
    isTold = true
    clearTimeout(timer)
    told(found)
  }
  const timer = setTimeout(() => tell({ error: silent(hostname), addresses: [] }), PATIENCE_MILLIS)
  ask(hostname, options, tell)
}

/** For the option `lookup` of connections. */
export const lookup: LookupFunction = (hostname, options, callback) =>
  lookupAll(hostname, options, ({ addresses, error }) => {
    const [first] = addresses
    if (error !== null) return callback(error, [])
    if (options.all === true) return callback(null, [...addresses])
    return first === undefined ? callback(silent(hostname), []) : callback(null, first.address, first.family)
  })

/** Fails where no name server answers, for calls that look names up by themselves and have no such bounds. */
export const askedFirst = (url: string | URL): Promise<void> =>
  new Promise((resolve, reject) => {
    const host = URL.parse(String(url))?.hostname.replace(/^\[|\]$/g, "") ?? ""
    if (host === "" || isIP(host) !== 0) return resolve()
    // of other errors the call itself tells
    lookupAll(host, {}, ({ error }) => (error?.code === "EAI_AGAIN" ? reject(error) : resolve()))
  })
