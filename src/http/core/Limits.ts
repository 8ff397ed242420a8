/**
 * How much one client may ask of this process: points a second and requests at once, by token and by the person behind all their tokens, or
 * by address where there is no token that was found good (docs/security.md#limits). So somebody who shares an address with others, behind a proxy or as
 * another program of the same machine, takes nothing from those who have a token. What is refused to an address again and again,
 * bad tokens and passwords, has a limit of its own.
 */
import { Clock, Context, Effect, Hash, Layer, Result } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import { makeContains } from "../../domain/access/HostLists.ts"
import { ServerConfig, type ServerSettings } from "../../ServerConfig.ts"
import { clientOf } from "./Client.ts"
import { failure } from "./ErrorEnvelope.ts"

// What requests cost in points of RATE_LIMIT, by what they take of the server (docs/security.md#limits).

/** Probes, and questions of browsers what they may ask: refused to nobody. */
const FREE = /^\/api\/health/

/** By method and path: they log in to a device, render templates, fetch a repository, make keys, read the whole audit, look at a password or ask the identity provider. */
const EXPENSIVE: ReadonlyArray<readonly [methods: RegExp, path: RegExp]> = [
  [
    /^(?:GET|POST)$/,
    /\/(?:generate_config|config_diff|config_blame|variables|render|running_config|interface_status|optics|apply_config|auth\/auth|auth\/refresh|auth\/session|audit\/chain)(?:[?;]|$)/
  ],
  [/^(?:PUT|POST)$/, /\/(?:repository\/|settings\/model|certificate_authority|auth(?:[?;]|$))/]
]

const COST = { free: 0, read: 1, write: 10, expensive: 50 } as const

/** What no request exceeds. */
export const MAX_COST = COST.expensive

/** The points of a request; 0 for one that no limit is for. */
export const costOf = ({ method, url }: Pick<HttpServerRequest.HttpServerRequest, "method" | "url">): number => {
  if (method === "OPTIONS" || FREE.test(url)) return COST.free
  if (EXPENSIVE.some(([methods, path]) => methods.test(method) && path.test(url))) return COST.expensive
  return method === "GET" || method === "HEAD" ? COST.read : COST.write
}

// Token buckets by key, as many as there is room for: what each key may still spend, and what of it is in work. Everything is a
// lookup in a `Map`, because every request asks. The limiter of the library (`effect/persistence`) counts nothing that is
// in work, keeps every key for ever, and takes several effects for each question.

/** What one key may do. */
export interface Allowance {
  /** Points that may be spent at once. */
  readonly burst: number
  /** Points that come back in a second. */
  readonly perSecond: number
  /** Things in work at once. */
  readonly atOnce: number
}

interface Bucket {
  points: number
  /** Milliseconds at which `points` was right. */
  at: number
  inWork: number
}

export interface Buckets {
  /** Spends the points and begins work; or milliseconds after which it is worth another try, and nothing is spent. */
  readonly enter: (key: string | number, points: number, now: number) => number | undefined
  /** Takes an entry back, as if it had not been: it was refused for another reason. */
  readonly undo: (key: string | number, points: number) => void
  /** Ends work that was begun. */
  readonly leave: (key: string | number) => void
  /** Whether there is nothing left to spend. */
  readonly isEmpty: (key: string | number, now: number) => boolean
  /** Keys that are known. */
  readonly size: () => number
}

/** Milliseconds after which work in progress may have made room. */
const BUSY = 1000

/** Buckets for at most so many keys; beyond it those that stand full go, then the oldest ones with nothing in work. */
export const makeBuckets = ({ atOnce, burst, perSecond }: Allowance, maxKeys: number): Buckets => {
  const buckets = new Map<string | number, Bucket>()

  const refill = (bucket: Bucket, now: number): void => {
    // a rate without a limit gives back everything, and nothing in no time
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
    // a tenth at a time: those who come with ever new keys do not have everything looked through for each of them
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

/** Clients that are known at the same time: some megabytes. */
const MAX_KEYS = 20_000
/** Seconds of points that may be spent at once: people open pages, and a site boots after a power cut. */
const BURST_SECONDS = 10

const tokenIn = ({ headers, url }: Request): string | undefined => {
  const { authorization } = headers
  if (authorization?.startsWith("Bearer ") === true) return authorization.slice("Bearer ".length).trim()
  return /[?&]jwt=([^&#]+)/.exec(url)?.[1]
}

/** Milliseconds between two warnings of guesses: who guesses must not fill the log. */
const BETWEEN_WARNINGS = 60_000

/** The networks that one customer of a provider has are one client. */
const networkOf = (address: string): string =>
  address.includes(":") ? address.split("::", 1).join("").split(":").slice(0, 4).join(":") : address

/** Who asks without a token; each address of LOGIN_ALWAYS_FROM is one of its own, which no neighbour uses up. */
const makeAddressKey = ({ LOGIN_ALWAYS_FROM }: Pick<ServerSettings, "LOGIN_ALWAYS_FROM">) => {
  const isAlone = makeContains(LOGIN_ALWAYS_FROM)
  return (request: Request): string => {
    const address = clientOf(request).address ?? ""
    return isAlone(address) ? address : networkOf(address)
  }
}

/** All tokens of a person together may do as much as so many of them. */
const TOKENS_OF_PERSON = 2

/**
 * Hashes of good tokens with the persons behind them, not the tokens themselves; whoever has the hash of another token shares its limit, and
 * nothing else. When it is full all are forgotten: a token that is forgotten counts for its address once.
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

/** Whose limits a request counts for; undefined for one that no limit is for. */
export type Admission = { readonly key: string | number; readonly person: string | undefined } | undefined

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
    // a new token is let in although others at its address ask too much without one
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
    /** Lets a request in at this time (epoch milliseconds), or answers it with 429. Who is let in has to leave. */
    readonly enter: (request: Request, now: number) => Result.Result<Admission, Response>
    readonly leave: (admission: Admission) => void
    /** This token was found good: from now on its requests count for it and for the person behind it. */
    readonly vouch: (token: string, person: string) => void
    /** A token or a password of this request was refused. */
    readonly noteGuess: (request: Request) => Effect.Effect<void>
    /**
     * The answer 429 to an address to which too much was refused within a minute, else undefined. Ask before a password is looked
     * at: one that may be tried without a limit will be found.
     */
    readonly refusalOfGuess: (request: Request) => Effect.Effect<Response | undefined>
  }
>()("switchyard/http/core/Limits") {
  static readonly layer = Layer.effect(Limits, make)
}
