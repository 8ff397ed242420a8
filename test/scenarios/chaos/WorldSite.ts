/**
 * The network of the world: managed access switches of all usual personalities in turn, blank ones that wait to be initialised, and
 * a few that are only read. `readingOf` makes their configurations comparable, whatever their personality.
 */
import { Effect } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { personalities } from "../../../src/lab/eos/Quirks.ts"
import type { LabSwitch } from "../../../src/lab/LabSwitch.ts"
import type { Node } from "../../../src/lab/Topology.ts"
import { makeGitGate } from "../../git/gitGate.ts"
import * as Campus from "../../support/Campus.ts"
import { canonical } from "../personalities/Truth.ts"
import { personal, SETTINGS } from "../personalities/PersonalitySite.ts"
import { personalityNames } from "../personalities/PersonalityTable.ts"
import * as ManagedCampus from "./ManagedCampus.ts"
import type { Reading } from "./SyncVerdict.ts"

/** Everything that is usual at a site. */
const usual = personalityNames.filter((name) => personalities[name].usual)

/** How many switches of which sort. */
export interface Size {
  readonly managed: number
  readonly blank: number
}

/**
 * Seconds of a commit timer: in confirm mode 2 a third of all switches waits until the last of them is proved. `each` is for the slowest
 * machine that is meant, which replicas, database, switches and clients share.
 */
const TIMER = { least: 40, each: 1 / 12 } as const
const COMMIT_MS = 60
const BOOT_MS = 1_500
const HISTORY = 100_000
/** Hostnames of new switches begin here, behind those of the managed ones. */
const FIRST_NEW = 9_000
/** Switches for reads of facts and dry runs, which no job changes. */
const ONLY_READ = 4

/** A switch that waits for its initialisation, and what it will be called. */
export interface Newcomer {
  readonly device: LabSwitch
  readonly hostname: string
}

const personalityAt = (index: number) => usual[index % usual.length] ?? "plain"
const nodeAt = (node: Node, index: number): Node => ({
  ...personal(personalityAt(index), node),
  commitMs: COMMIT_MS,
  bootMs: BOOT_MS
})

const ADDRESS = /^interface Vlan3016\n(?: .*\n)*? +ip address (\S+)\/\d+/m

/** The compared parts of a switch's configuration. Refreshes change the time servers, at any moment. */
export const readingOf =
  (hostname: string): Reading =>
  (text) =>
    canonical(text, hostname, ADDRESS.exec(text ?? "")?.[1] ?? "no address").replace(
      /^ntp server .*$/gm,
      "ntp server …"
    )

/** The network with its repositories; answers of the settings' remote can be held back. */
export const make = Effect.fnUntraced(function* ({ blank, managed }: Size) {
  const folders = yield* Campus.makeFoldersWithPlugin
  yield* folders.settings.commit(SETTINGS)
  const gate = yield* makeGitGate(folders.settings.folder)
  const hostnames = ManagedCampus.accessNames(managed + ONLY_READ)
  const blanks = Campus.accessNames(blank)
  const lab = yield* Campus.makeSite(
    {
      ...Object.fromEntries(
        hostnames.map((name, index) => [name, nodeAt(ManagedCampus.managedNode(name, index), index)])
      ),
      ...Object.fromEntries(blanks.map((name, index) => [name, nodeAt(Campus.blankAccess, index)]))
    },
    blanks.flatMap((name, index) => Campus.uplinks(name, index + 1)),
    () => Effect.void,
    HISTORY
  )
  const newcomers = (yield* ManagedCampus.switchesOf(lab, blanks)).map((device, index): Newcomer => ({
    device,
    hostname: `lhv-acc${FIRST_NEW + index}`
  }))
  const timeServers = path.join(folders.settings.folder, "global/base_system.yml")

  /** Another time server for all of them: what a refresh has to bring to every switch. */
  const changeTimeServer = Effect.fnUntraced(function* (last: number) {
    const text = yield* Effect.promise(() => fs.readFile(timeServers, "utf8"))
    const changed = text.replace(/host: 10\.20\.0\.\d+\n/, `host: 10.20.0.${last}\n`)
    if (changed === text) return
    yield* folders.settings.commit({ "global/base_system.yml": changed }, `Time from 10.20.0.${last}`)
  })

  /**
   * Switches whose new secrets can be recognised only by a read right after the commit. When a replica is struck in between and no timer
   * takes the change back, it stays unclear (docs/changes.md#proof).
   */
  const unrecognisable = new Set(
    hostnames.filter((_, index) => personalities[personalityAt(index)].quirks.saltsAtCommit === true)
  )

  return {
    lab,
    folders,
    gate,
    unrecognisable,
    timerSeconds: Math.ceil(TIMER.least + managed * TIMER.each),
    newcomers,
    changeTimeServer,
    hostnames,
    switches: yield* ManagedCampus.switchesOf(lab, hostnames.slice(0, managed)),
    onlyRead: hostnames.slice(managed)
  }
})

export type WorldSite = Effect.Success<ReturnType<typeof make>>
