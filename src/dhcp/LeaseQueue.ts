/**
 * Leases that the API has not accepted yet, one file per switch in a folder. A lease is written before it is reported and removed when it
 * was accepted, so neither an unreachable server nor a killed hook loses one. The newest lease of a switch replaces older ones. A file
 * whose name ends in a process id is being handled by that process.
 */
import * as fs from "node:fs"
import * as path from "node:path"

export interface Lease {
  /** 12 upper-case hexadecimal digits. */
  readonly mac: string
  readonly ip: string
  readonly platform: string
}

/** A lease that this process has claimed. */
export interface Claim {
  readonly lease: Lease
  readonly file: string
}

/** A lease is worth reporting for this long; a switch that still exists has renewed it many times by then. */
const KEEP_MS = 24 * 3_600_000
/** A process that has not finished with a claimed lease after this time was killed. */
const ABANDONED_MS = 60_000
const MAX_FILES = 10_000

const PENDING = /^[0-9A-F]{12}\.json$/
const CLAIMED = /^([0-9A-F]{12}\.json)\.\d+$/

const isLease = (value: unknown): value is Lease =>
  typeof value === "object" &&
  value !== null &&
  "mac" in value &&
  typeof value.mac === "string" &&
  "ip" in value &&
  typeof value.ip === "string" &&
  "platform" in value &&
  typeof value.platform === "string"

const parse = (text: string): Lease | null => {
  try {
    const value: unknown = JSON.parse(text)
    return isLease(value) ? value : null
  } catch {
    return null
  }
}

/** True if the file system call succeeded; another process may have been faster. */
const worked = (call: () => void): boolean => {
  try {
    call()
    return true
  } catch {
    return false
  }
}

const mtimeOf = (file: string): number => fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()

export class LeaseQueue {
  readonly #folder: string
  readonly #suffix: string

  /** Opens the queue in this folder, which is made if it is missing. Throws the file system's error. */
  constructor(folder: string) {
    fs.mkdirSync(folder, { recursive: true, mode: 0o750 })
    this.#folder = folder
    this.#suffix = `.${process.pid}`
  }

  /** Writes a new lease as claimed by this process. Throws the file system's error; also if the queue is full. */
  add(lease: Lease): Claim {
    const pending = path.join(this.#folder, `${lease.mac}.json`)
    if (!fs.existsSync(pending) && fs.readdirSync(this.#folder).length >= MAX_FILES) {
      throw new Error(`the queue of leases in ${this.#folder} is full`)
    }
    const file = `${pending}${this.#suffix}`
    fs.writeFileSync(file, JSON.stringify(lease), { mode: 0o640 })
    // a waiting lease of the same switch is older
    worked(() => fs.rmSync(pending, { force: true }))
    return { lease, file }
  }

  /** The lease was accepted, or can never be. */
  done({ file }: Claim): void {
    fs.rmSync(file, { force: true })
  }

  /** Leaves the lease to a later call, unless a newer one of the same switch waits already. */
  putBack({ file }: Claim): void {
    const pending = file.slice(0, -this.#suffix.length)
    // a link fails if the name is taken; a rename would overwrite the newer lease
    worked(() => fs.linkSync(file, pending))
    fs.rmSync(file, { force: true })
  }

  /** The next waiting leases, at most `count`, oldest first. Leases that are too old are dropped. */
  claim(count: number): ReadonlyArray<Claim> {
    this.#adoptAbandoned()
    const waiting = fs
      .readdirSync(this.#folder)
      .filter((name) => PENDING.test(name))
      .map((name) => ({ file: path.join(this.#folder, name), at: mtimeOf(path.join(this.#folder, name)) }))
      .toSorted((a, b) => a.at - b.at)
    const claims: Array<Claim> = []
    for (const { at, file } of waiting) {
      if (claims.length >= count) break
      const mine = `${file}${this.#suffix}`
      if (!worked(() => fs.renameSync(file, mine))) continue
      const lease = Date.now() - at > KEEP_MS ? null : parse(fs.readFileSync(mine, "utf8"))
      if (lease === null) fs.rmSync(mine, { force: true })
      else claims.push({ lease, file: mine })
    }
    return claims
  }

  #adoptAbandoned(): void {
    for (const name of fs.readdirSync(this.#folder)) {
      const pending = CLAIMED.exec(name)?.[1]
      if (pending === undefined || name.endsWith(this.#suffix)) continue
      const file = path.join(this.#folder, name)
      if (Date.now() - mtimeOf(file) < ABANDONED_MS) continue
      worked(() => fs.linkSync(file, path.join(this.#folder, pending)))
      fs.rmSync(file, { force: true })
    }
  }
}
