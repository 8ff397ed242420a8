/**
 * Token buckets by key, as many as there is room for: what each key may still spend, and what of it is in work. Everything is a
 * lookup in a `Map`, because every request asks. The limiter of the library (`effect/persistence`) counts nothing that is
 * in work, keeps every key for ever, and takes several effects for each question.
 */

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
