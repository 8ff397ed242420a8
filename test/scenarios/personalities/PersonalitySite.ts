/**
 * A campus with switches of every personality: for each of them one that is managed for each way of a live sync, and a blank
 * one to be initialised.
 */
import { Effect } from "effect"
import { personalities, type PersonalityName, type Quirks } from "../../../src/lab/eos/Quirks.ts"
import type { LabSwitch } from "../../../src/lab/LabSwitch.ts"
import type { Node } from "../../../src/lab/Topology.ts"
import * as Campus from "../../support/Campus.ts"
import * as ManagedCampus from "../chaos/ManagedCampus.ts"
import { appended } from "./Candidate.ts"

/** One switch of the campus. `hostname` is what it is called when it is managed. */
export interface Member {
  readonly personality: PersonalityName
  readonly device: LabSwitch
  readonly hostname: string
}

/** The ways of a live sync: one managed switch of each personality for each. */
export const modes = ["mode0", "mode1", "mode2"] as const
export type Mode = (typeof modes)[number]

const FIRST_NEW = 200
/** Release of a switch whose personality names none. */
export const VERSION = "4.31.4M"

const DOWNLINKS = `---
interfaces:
  - name: Ethernet[1-48]
    ifclass: downlink
`

const indented = (text: string) => text.trimEnd().replaceAll(/^/gm, "  ")

/** Files of the settings repository that differ from the examples. */
export const SETTINGS = {
  "devices/lhv-dist1/interfaces.yml": DOWNLINKS,
  "devices/lhv-dist2/interfaces.yml": DOWNLINKS,
  "access/base_system.yml": `---
dot1x_multi_host: false
poe_reboot_maintain: true
cli_append_str: |
${indented(appended)}
`
}

/** The line that switches refuse which have words of their own for it. */
const REFUSED = "^username operator"

/** Makes a switch refuse a line, when it is one that says so in its own words. */
export const startsToRefuse = (device: LabSwitch, { refusal }: Quirks): void => {
  if (refusal !== undefined && refusal !== "eos") device.setFault({ kind: "reject", pattern: REFUSED })
}

/** A node of this personality. */
export const personal = (personality: PersonalityName, node: Node): Node => ({
  ...node,
  personality,
  version: personalities[personality].version ?? VERSION
})

/** The campus and its repositories, for as long as the scope is open. */
export const make = Effect.fnUntraced(function* (names: ReadonlyArray<PersonalityName>) {
  const folders = yield* Campus.makeFolders
  yield* folders.settings.commit(SETTINGS)
  const planned = modes.flatMap((mode) => names.map((personality) => ({ mode, personality })))
  const hostnames = ManagedCampus.accessNames(planned.length)
  const managed = planned.map((plan, index) => ({ ...plan, index, hostname: hostnames[index] ?? "" }))
  const blank = names.map((personality, index) => ({
    personality,
    node: `blank-${personality}`,
    hostname: `lhv-acc${FIRST_NEW + index}`,
    port: index + 1
  }))
  const lab = yield* Campus.makeSite(
    {
      ...Object.fromEntries(
        managed.map(({ hostname, index, personality }) => [
          hostname,
          personal(personality, ManagedCampus.managedNode(hostname, index))
        ])
      ),
      ...Object.fromEntries(blank.map(({ node, personality }) => [node, personal(personality, Campus.blankAccess)]))
    },
    blank.flatMap(({ node, port }) => Campus.uplinks(node, port))
  )
  const member = (node: string, hostname: string, personality: PersonalityName) =>
    Effect.map(Effect.orDie(lab.get(node)), (device): Member => {
      startsToRefuse(device, personalities[personality].quirks)
      return { personality, device, hostname }
    })
  const inMode = (wanted: Mode) =>
    Effect.forEach(
      managed.filter(({ mode }) => mode === wanted),
      ({ hostname, personality }) => member(hostname, hostname, personality)
    )
  return {
    folders,
    lab,
    hostnames,
    managed: { mode0: yield* inMode("mode0"), mode1: yield* inMode("mode1"), mode2: yield* inMode("mode2") },
    blank: yield* Effect.forEach(blank, ({ hostname, node, personality }) => member(node, hostname, personality))
  }
})
