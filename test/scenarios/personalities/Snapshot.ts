/** What a switch runs, has saved and has left of ours, told by the lab and nobody else. */
import type { LabSwitch } from "../../../src/lab/LabSwitch.ts"
import * as ManagedCampus from "../chaos/ManagedCampus.ts"
import { canonical } from "./Canonical.ts"
import type { Which } from "./Operations.ts"

/** A switch at one moment. */
export interface Snapshot {
  readonly running: string
  readonly startup: string
  /** Sessions and timers of ours. */
  readonly debris: ReadonlyArray<string>
}

const ADDRESS = /^interface Vlan3016\n(?: .*\n)*? +ip address (\S+)\/\d+/m

/** The switch as it is now, comparable with others. */
export const snapshotOf = (device: LabSwitch, hostname: string): Snapshot => {
  const comparable = (text: string | undefined) =>
    canonical(text, hostname, ADDRESS.exec(text ?? "")?.[1] ?? "no address")
  return {
    running: comparable(device.running()),
    startup: comparable(device.startup()),
    debris: ManagedCampus.debrisOn(device)
  }
}

/** Which of two configurations a text is. */
export const which = (text: string, old: string, wanted: string): Which =>
  text === old ? "old" : text === wanted ? "new" : "other"

const MOST = 6

/** Lines that only one of two configurations has, for people. */
export const differing = (text: string, wanted: string): string => {
  const lines = text.split("\n")
  const others = wanted.split("\n")
  const more = lines.filter((line) => !others.includes(line)).map((line) => `+${line}`)
  const less = others.filter((line) => !lines.includes(line)).map((line) => `-${line}`)
  return [...more, ...less].slice(0, MOST).join("\n")
}
