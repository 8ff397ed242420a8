/**
 * Limits of requests for each client: points in a second and requests at once. A valid token has its own limit, and so has the person
 * behind all their tokens; requests without a valid token count for their address (docs/security.md#limits). So clients that share an
 * address, behind a proxy or on one machine, do not use up the limits of callers with tokens. Refused tokens and passwords of an address
 * have a separate limit.
 */
import { Clock, Context, Effect, Hash, Layer, Result } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import { ServerConfig, type ServerSettings } from "../../ServerConfig.ts"
import { clientOf } from "./Client.ts"
import { failure } from "./ErrorEnvelope.ts"
import { makeContains } from "../../domain/access/HostLists.ts"

// The points of RATE_LIMIT that a request costs, by its load on the server (docs/security.md#limits).

/** Health probes are never limited. */
const FREE = /^\/api\/health/

/**
 * By method and path: these requests log in to a device, render templates, fetch a repository, make keys, read the whole audit, check a
 * password or ask the identity provider.
 */
const EXPENSIVE: ReadonlyArray<readonly [methods: RegExp, path: RegExp]> = [
  [
    /^(?:GET|POST)$/,
    /\/(?:generate_config|config_diff|config_blame|blame|variables|render|running_config|interface_status|optics|readings|apply_config|auth\/auth|auth\/refresh|auth\/session|audit\/chain|(?:settings|templates)\/lines)(?:[?;]|$)|\/port_readings\?.*\bmax_age/
  ],
  [/^(?:PUT|POST)$/, /\/(?:repository\/|settings\/model|certificate_authority|auth(?:[?;]|$))/]
]

const COST = { free: 0, read: 1, write: 10, expensive: 50 } as const

/** The cost of the most expensive request. */
const MAX_COST = COST.expensive

/** The points of a request; 0 if it is not limited. */
export const costOf = ({ method, url }: Pick<HttpServerRequest.HttpServerRequest, "method" | "url">): number => {
  if (method === "OPTIONS" || FREE.test(url)) return COST.free
  if (EXPENSIVE.some(([methods, path]) => methods.test(method) && path.test(url))) return COST.expensive
  return method === "GET" || method === "HEAD" ? COST.read : COST.write
}

// Token buckets by key: the points that each key may still spend, and its requests in progress. Everything is a lookup in a `Map`, because
// each request needs it. The limiter of the library (`effect/persistence`) does not count requests in progress, keeps every key for ever,
// and runs several effects for each request.

/** The limits of one key. */
interface Allowance {
  /** Points that may be spent at once. */
  readonly burst: number
  /** Points that come back in a second. */
  readonly perSecond: number
  /** Requests in progress. */
  readonly atOnce: number
}

interface Bucket {
  points: number
  /** The time at which `points` was computed, in epoch milliseconds. */
  at: number
  inWork: number
}

interface Buckets {
  /** Spends the points and counts a request in progress; or yields the milliseconds to wait, and spends nothing. */
  readonly enter: (key: string | number, points: number, now: number) => number | undefined
  /** Reverts `enter`: the request was refused for another reason. */
  readonly undo: (key: string | number, points: number) => void
  /** The request has ended. */
  readonly leave: (key: string | number) => void
  /** Whether no point is left. */
  readonly isEmpty: (key: string | number, now: number) => boolean
  /** Keys that are known. */
  readonly size: () => number
}

/** Milliseconds to wait while too many requests are in progress. */
const BUSY = 1000

/** Buckets for a limited number of keys. When it is full, full buckets are dropped, then the oldest ones without requests in progress. */
export const makeBuckets = ({ atOnce, burst, perSecond }: Allowance, maxKeys: number): Buckets => {
  const buckets = new Map<string | number, Bucket>()

  const refill = (bucket: Bucket, now: number): void => {
    // an unlimited rate refills everything at once
    if (now <= bucket.at) return
    bucket.points = Math.min(burst, bucket.points + ((now - bucket.at) / 1000) * perSecond)
    bucket.at = now
  }

  const removeSome = (now: number): void => {
    const idle = [...buckets].filter(([, bucket]) => bucket.inWork === 0)
    for (const [key, bucket] of idle) {
      refill(bucket, now)
      if (bucket.points >= burst) buckets.delete(key)
    }
    // a tenth at a time, so that ever new keys do not cause a scan each
    const tooMany = Math.max(0, buckets.size - Math.floor(maxKeys * 0.9))
    for (const [key] of idle.filter(([key]) => buckets.has(key)).slice(0, tooMany)) buckets.delete(key)
  }

  const bucketOf = (key: string | number, now: number): Bucket => {
    const known = buckets.get(key)
    if (known !== undefined) {
      refill(known, now)
      return known
    }
    if (buckets.size >= maxKeys) removeSome(now)
    const fresh: Bucket = { points: burst, at: now, inWork: 0 }
    buckets.set(key, fresh)
    return fresh
  }

  return {
    enter: (key, points, now) => {
      const bucket = bucketOf(key, now)
      if (bucket.inWork >= atOnce) return BUSY
      if (bucket.points < points) return ((points - bucket.points) / perSecond) * 1000
      bucket.points -= points
      bucket.inWork += 1
      return undefined
    },
    undo: (key, points) => {
      const bucket = buckets.get(key)
      if (bucket === undefined) return
      bucket.points = Math.min(burst, bucket.points + points)
      bucket.inWork = Math.max(0, bucket.inWork - 1)
    },
    leave: (key) => {
      const bucket = buckets.get(key)
      if (bucket !== undefined && bucket.inWork > 0) bucket.inWork -= 1
    },
    isEmpty: (key, now) => {
      const bucket = buckets.get(key)
      if (bucket === undefined) return false
      refill(bucket, now)
      return bucket.points < 1
    },
    size: () => buckets.size
  }
}

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** Clients that are remembered: some megabytes. */
const MAX_KEYS = 20_000
/** The burst in seconds of the rate: users open pages, and a whole site boots after a power cut. */
const BURST_SECONDS = 10

const tokenIn = ({ headers, url }: Request): string | undefined => {
  const { authorization } = headers
  if (authorization?.startsWith("Bearer ") === true) return authorization.slice("Bearer ".length).trim()
  return /[?&]jwt=([^&#]+)/.exec(url)?.[1]
}

/** Milliseconds between two warnings, so that guessing does not fill the log. */
const BETWEEN_WARNINGS = 60_000

/** All addresses of a customer's IPv6 network are one client. */
const networkOf = (address: string): string =>
  address.includes(":") ? address.split("::", 1).join("").split(":").slice(0, 4).join(":") : address

/** The key for requests without a token. Each address of LOGIN_ALWAYS_FROM has a key of its own, which its neighbours do not use up. */
const makeAddressKey = ({ LOGIN_ALWAYS_FROM }: Pick<ServerSettings, "LOGIN_ALWAYS_FROM">) => {
  const isAlone = makeContains(LOGIN_ALWAYS_FROM)
  return (request: Request): string => {
    const address = clientOf(request).address ?? ""
    return isAlone(address) ? address : networkOf(address)
  }
}

/** A person may use this many tokens to the full. */
const TOKENS_OF_PERSON = 2

/**
 * Hashes of valid tokens with their persons, not the tokens themselves. Two tokens with the same hash share a limit, and nothing else. When
 * it is full, all are forgotten: a forgotten token counts once for its address.
 */
const makeKnown = () => {
  const known = new Map<number, string>()
  return {
    add: (hash: number, person: string): void => {
      if (known.size >= MAX_KEYS) known.clear()
      known.set(hash, person)
    },
    personOf: (hash: number): string | undefined => known.get(hash)
  }
}

/** The keys that a request counts for; undefined if it is not limited. */
type Admission = { readonly key: string | number; readonly person: string | undefined } | undefined

const isKnown = (key: string | number): boolean => typeof key === "number"

const BUSY_PERSON = "Too many requests with all your tokens, try again later (RATE_LIMIT, REQUESTS_AT_ONCE)"

const busy = (key: string | number): string =>
  `Too many requests ${isKnown(key) ? "with this token" : "from this address"}, try again later (RATE_LIMIT, REQUESTS_AT_ONCE)`

const GUESSING = "Too many logins from this address were refused, try again later (FAILED_LOGINS)"

const secondsOf = (milliseconds: number): string => String(Math.max(1, Math.ceil(milliseconds / 1000)))

const unlimited = (count: number): number => (count === 0 ? Number.POSITIVE_INFINITY : count)

const makeRequests = (
  { RATE_LIMIT, REQUESTS_AT_ONCE }: Pick<ServerSettings, "RATE_LIMIT" | "REQUESTS_AT_ONCE">,
  addressKey: (request: Request) => string
) => {
  const perSecond = unlimited(RATE_LIMIT)
  // one expensive request is always possible
  const burst = Math.max(perSecond * BURST_SECONDS, MAX_COST)
  const allowance = { burst, perSecond, atOnce: unlimited(REQUESTS_AT_ONCE) }
  const requests = makeBuckets(allowance, MAX_KEYS)
  const persons = makeBuckets(
    {
      burst: burst * TOKENS_OF_PERSON,
      perSecond: perSecond * TOKENS_OF_PERSON,
      atOnce: allowance.atOnce * TOKENS_OF_PERSON
    },
    MAX_KEYS
  )
  const good = makeKnown()

  const payerOf = (request: Request): NonNullable<Admission> => {
    const token = tokenIn(request)
    if (token === undefined) return { key: addressKey(request), person: undefined }
    const hash = Hash.string(token)
    const person = good.personOf(hash)
    // an unknown token has a limit of its own, in addition to that of its address
    return person === undefined ? { key: `${addressKey(request)} with a token`, person } : { key: hash, person }
  }

  const enter = (request: Request, now: number): Result.Result<Admission, Response> => {
    const cost = costOf(request)
    if (cost === 0) return Result.succeed(undefined)
    const payer = payerOf(request)
    const { key, person } = payer
    const wait = requests.enter(key, cost, now)
    if (wait !== undefined) return Result.fail(failure(429, { "retry-after": secondsOf(wait) }, busy(key)))
    const waitOfPerson = person === undefined ? undefined : persons.enter(person, cost, now)
    if (waitOfPerson === undefined) return Result.succeed(payer)
    requests.undo(key, cost)
    return Result.fail(failure(429, { "retry-after": secondsOf(waitOfPerson) }, BUSY_PERSON))
  }
  const leave = (admission: Admission): void => {
    if (admission === undefined) return
    requests.leave(admission.key)
    if (admission.person !== undefined) persons.leave(admission.person)
  }
  return { enter, leave, vouch: (token: string, person: string): void => good.add(Hash.string(token), person) }
}

const makeGuesses = (
  { FAILED_LOGINS }: Pick<ServerSettings, "FAILED_LOGINS">,
  addressKey: (request: Request) => string
) => {
  const count = unlimited(FAILED_LOGINS)
  const guesses = makeBuckets({ burst: count, perSecond: count / 60, atOnce: Number.POSITIVE_INFINITY }, MAX_KEYS)
  return {
    note: (request: Request, now: number): void => void guesses.enter(addressKey(request), 1, now),
    refuse: (request: Request, now: number) => {
      const wait = 60_000 / count
      return guesses.isEmpty(addressKey(request), now)
        ? failure(429, { "retry-after": secondsOf(wait) }, GUESSING)
        : undefined
    }
  }
}

const make = Effect.map(ServerConfig, (config) => {
  const addressKey = makeAddressKey(config)
  const guesses = makeGuesses(config, addressKey)
  let warnedAt = Number.NEGATIVE_INFINITY
  const noteGuess = Effect.fnUntraced(function* (request: Request) {
    const now = yield* Clock.currentTimeMillis
    guesses.note(request, now)
    if (guesses.refuse(request, now) === undefined || now - warnedAt < BETWEEN_WARNINGS) return
    warnedAt = now
    const { address } = clientOf(request)
    yield* Effect.logWarning("SECURITY: tokens or passwords from an address are refused again and again", { address })
  })
  return Limits.of({
    ...makeRequests(config, addressKey),
    noteGuess,
    refusalOfGuess: (request) => Effect.map(Clock.currentTimeMillis, (now) => guesses.refuse(request, now))
  })
})

/** The limits of this process. */
export class Limits extends Context.Service<
  Limits,
  {
    /** Admits a request at this time (epoch milliseconds), or answers it with 429. Call `leave` for an admitted request. */
    readonly enter: (request: Request, now: number) => Result.Result<Admission, Response>
    readonly leave: (admission: Admission) => void
    /** The token is valid: from now on its requests count for it and for the person behind it. */
    readonly vouch: (token: string, person: string) => void
    /** A token or a password of this request was refused. */
    readonly noteGuess: (request: Request) => Effect.Effect<void>
    /**
     * The answer 429 for an address with too many refusals within a minute, else undefined. Ask this before a password is checked, because
     * a password that can be tried without a limit will be guessed.
     */
    readonly refusalOfGuess: (request: Request) => Effect.Effect<Response | undefined>
  }
>()("switchyard/http/core/Limits") {
  static readonly layer = Layer.effect(Limits, make)
}
