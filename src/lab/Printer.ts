/**
 * What a terminal prints, on its way to the connection: gathered into one packet per turn, and spoilt on demand (escape
 * codes, random pieces, slow lines) when such a fault is armed.
 */
import * as Faults from "./Faults.ts"
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises"
import type { Switch } from "./Switch.ts"

export interface Printer {
  readonly print: (text: string) => void
  readonly prompt: (text: string) => void
  /** Sends what was gathered. */
  readonly flush: () => void
}

const MAX_PIECE = 7

/** A printer for one connection; `write` sends bytes. */
export const make = (device: Switch, write: (bytes: Buffer) => void): Printer => {
  let gathered = ""
  let queue: Promise<void> = Promise.resolve()
  let queued = 0
  const later = (text: string, rate: number | undefined) => {
    queued += 1
    queue = queue
      .then(() => trickle(text, rate, write))
      .then(() => {
        queued -= 1
      })
  }
  const flush = () => {
    if (gathered === "") return
    const text = gathered
    gathered = ""
    const { faults } = device
    const rate = faults.length > 0 ? rateOf(faults) : undefined
    if (rate !== undefined || queued > 0 || (faults.length > 0 && Faults.has(faults, "chunks"))) later(text, rate)
    else write(Buffer.from(text, "utf8"))
  }
  return {
    print: (text) => {
      gathered += text
    },
    prompt: (text) => {
      gathered +=
        device.faults.length > 0 && Faults.has(device.faults, "ansi") ? `\u001B[K\u001B[1m${text}\u001B[0m` : text
    },
    flush
  }
}

const rateOf = (faults: Faults.Faults): number | undefined => {
  for (const fault of Faults.list(faults))
    if (fault.kind === "slow" && fault.bytesPerSecond !== undefined) return fault.bytesPerSecond
  return undefined
}

const trickle = async (text: string, rate: number | undefined, write: (bytes: Buffer) => void): Promise<void> => {
  const bytes = Buffer.from(text, "utf8")
  for (let at = 0; at < bytes.length;) {
    const size = rate === undefined ? 1 + Math.floor(Math.random() * MAX_PIECE) : Math.max(1, Math.ceil(rate / 50))
    write(bytes.subarray(at, at + size))
    at += size
    await (rate === undefined ? nextTurn() : sleep(20))
  }
}
