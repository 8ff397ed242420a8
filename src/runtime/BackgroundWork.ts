/**
 * Hundreds of devices may be able to go on at once, because one statement answered them all, or their switches answer
 * together. They go on in slices of a few milliseconds, and between two slices the event loop looks at everything else. While
 * people ask, the slices are short: a job takes longer then, and nobody waits for it.
 */

/** Milliseconds of a slice, and of one while people ask; what has begun is not cut short, so a slice may be longer. */
const SLICE_MILLIS = 8
const SHORT_SLICE_MILLIS = 0.5

/** Milliseconds after a request during which the next one is expected. */
const ASKING_MILLIS = 100

/** Milliseconds after which what waits is late; then slices are long whoever asks, so that no switch gives up on us. */
const LATE_MILLIS = 1000

interface Waiting {
  readonly resume: () => void
  readonly since: number
}

const waiting: Array<Waiting> = []
let isPlanned = false
let lastAsked = Number.NEGATIVE_INFINITY

const plan = (): void => {
  isPlanned = true
  setImmediate(runSlice)
}

const givesWay = (now: number): boolean =>
  now - lastAsked < ASKING_MILLIS && now - (waiting[0]?.since ?? now) < LATE_MILLIS

const runSlice = (): void => {
  isPlanned = false
  const now = performance.now()
  const end = now + (givesWay(now) ? SHORT_SLICE_MILLIS : SLICE_MILLIS)
  let done = 0
  try {
    do waiting[done++]?.resume()
    while (done < waiting.length && performance.now() < end)
  } finally {
    waiting.splice(0, done)
    if (waiting.length > 0 && !isPlanned) plan()
  }
}

/** Lets somebody go on who waits for an answer: soon, after those who came before. */
export const goOn = (resume: () => void): void => {
  waiting.push({ resume, since: performance.now() })
  if (!isPlanned) plan()
}

/** Says that somebody has asked the server for something: background work gives way for a moment. */
export const giveWay = (): void => {
  lastAsked = performance.now()
}
