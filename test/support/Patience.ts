/**
 * How long tests wait before they report that something does not happen, and how long the product's own timers run in tests. All values
 * suit an idle machine like that of the pipeline, with a wide margin, and `TEST_SLOWNESS` multiplies them: `TEST_SLOWNESS=10` is for a
 * machine that is ten times slower. A run measures it when it begins (`Calibration.ts`) unless it is set. A test waits for every expected
 * event; no value here is a time after which something is taken for granted.
 */

const read = (): number => {
  const text = process.env["TEST_SLOWNESS"] ?? "1"
  const factor = Number(text)
  if (!(factor > 0)) throw new Error(`TEST_SLOWNESS must be a number above 0, not ${text}`)
  return factor
}

/** How many times slower than usual the machine is. */
export const SLOWNESS = read()

/** A limit of so many seconds, in milliseconds: what has not happened by then does not happen. */
export const seconds = (count: number): number => Math.ceil(count * 1000 * SLOWNESS)

/** Milliseconds that a test may take: it ends in a few seconds where nothing is wrong. Longer ones say so themselves. */
export const TEST = seconds(300)

/** Milliseconds that a layer or a hook may take, which starts servers for several tests. */
export const HOOK = seconds(300)

/**
 * A timer of the product, in whole seconds as settings have it, that must not run out while the test does its work, or that
 * has to leave a switch the time to answer.
 */
export const timer = (count: number): string => String(Math.ceil(count * SLOWNESS))
