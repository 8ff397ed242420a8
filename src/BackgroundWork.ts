/**
 * Hundreds of devices may be able to go on at once, because one statement or one message answered them all. They go on in
 * slices of a few milliseconds, and between two slices the event loop looks at everything else, such as requests of people.
 */

/** Milliseconds of a slice; what is begun in it is not cut short. */
const SLICE_MILLIS = 2

const waiting: Array<() => void> = []
let next = 0
let isPlanned = false

const plan = (): void => {
  isPlanned = true
  setImmediate(runSlice)
}

const runSlice = (): void => {
  isPlanned = false
  const end = performance.now() + SLICE_MILLIS
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
