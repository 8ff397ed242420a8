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

const waiting: Array<() => void> = []
let next = 0
let isPlanned = false
let lastAsked = Number.NEGATIVE_INFINITY

const plan = (): void => {
  isPlanned = true
  setImmediate(runSlice)
}

const runSlice = (): void => {
  isPlanned = false
  const now = performance.now()
  const end = now + (now - lastAsked < ASKING_MILLIS ? SHORT_SLICE_MILLIS : SLICE_MILLIS)
  try {
    do waiting[next++]?.()
    while (next < waiting.length && performance.now() < end)
  } finally {
    if (next >= waiting.length) waiting.length = next = 0
    else plan()
  }
}

/** Lets somebody go on who waits for an answer: soon, after those who came before. */
export const goOn = (resume: () => void): void => {
  waiting.push(resume)
  if (!isPlanned) plan()
}

/** Says that somebody has asked the server for something: background work gives way for a moment. */
export const giveWay = (): void => {
  lastAsked = performance.now()
}
