/**
 * Switches as they are found: the release and the quirks that go together. `usual` ones are what a site may well have, and
 * work on them has to succeed; of the others it is enough that nothing untrue is said.
 */
import type { Quirks } from "./Quirks.ts"

export interface Personality {
  /** What is peculiar about it, in one sentence. */
  readonly description: string
  readonly usual: boolean
  readonly version?: string
  readonly quirks: Quirks
}

const TABLE = {
  plain: { description: "behaves as the documentation says", usual: true, quirks: {} },
  timerAtSession: {
    description: "shows a running commit timer at its session",
    usual: true,
    version: "4.31.4M",
    quirks: { timerShown: "session" }
  },
  timerAtTop: {
    description: "shows a running commit timer above the sessions",
    usual: true,
    version: "4.32.2F",
    quirks: { timerShown: "top" }
  },
  timerInText: {
    description: "shows a running commit timer in the text form only",
    usual: true,
    quirks: { timerShown: "text" }
  },
  timerHidden: {
    description: "shows a running commit timer nowhere",
    usual: false,
    quirks: { timerShown: "never" }
  },
  sessionsAsText: {
    description: "has no JSON for its list of sessions",
    usual: true,
    quirks: { sessionsWithoutJson: true }
  },
  noSessionBesideTimer: {
    description: "opens no session while a commit timer runs",
    usual: true,
    quirks: { sessionBesideTimer: "refused" }
  },
  savesAtCommit: {
    description: "saves its configuration with every commit",
    usual: true,
    quirks: { savesAtCommit: true }
  },
  salting: {
    description: "gives secrets a new salt at each load",
    usual: true,
    quirks: { saltsSecrets: true }
  },
  saltingAtCommit: {
    description: "gives secrets a new salt at each load and with each commit",
    usual: true,
    quirks: { saltsSecrets: true, saltsAtCommit: true }
  },
  normalising: {
    description: "prints lines in another spelling than it was given",
    usual: true,
    quirks: { normalises: ["abbreviations", "defaults", "vlanLists", "masks", "mac", "ipv6"] }
  },
  chatty: {
    description: "says more than it was asked, while lines are loaded and at commit",
    usual: true,
    quirks: { chatty: true }
  },
  foreignSessions: {
    description: "has sessions of a management platform that never end",
    usual: true,
    quirks: { foreignSessions: [{ name: "cfg-4711-1", age: 86_400 }] }
  },
  refusesWithError: {
    description: "refuses a line with `Error: …`",
    usual: false,
    quirks: { refusal: "error" }
  },
  refusesWithPercentError: {
    description: "refuses a line with `%Error …`",
    usual: false,
    quirks: { refusal: "percentError" }
  },
  refusesSilently: {
    description: "leaves out lines without a word",
    usual: false,
    quirks: { refusal: "silent" }
  },
  paging: { description: "pages its output although told not to", usual: true, quirks: { pages: true } },
  withoutRunningDiffs: {
    description: "does not know `show running-config diffs`",
    usual: true,
    quirks: { withoutRunningDiffs: true }
  },
  lyingSave: {
    description: "says that it has saved when it has not, and cannot show what differs",
    usual: false,
    quirks: { saveLies: true, withoutRunningDiffs: true }
  },
  timerDenied: {
    description: "may not list its sessions, by the site's AAA",
    usual: false,
    quirks: { denied: ["show configuration sessions"] }
  },
  terminalDisabled: {
    description: "allows configuration in sessions only",
    usual: true,
    quirks: { terminalDisabled: true }
  },
  mergesAtCommit: {
    description: "adds what others have changed meanwhile to what is committed",
    usual: true,
    quirks: { mergesAtCommit: true }
  },
  closesEarly: {
    description: "closes every second connection before the login",
    usual: true,
    quirks: { closesEarly: 1 }
  },
  otherPrompt: {
    description: "has a prompt with brackets, a clock and a star",
    usual: true,
    quirks: { prompt: "[%D] %H*" }
  },
  bareConfig: {
    description: "prints its configuration without the lines around it, `end` among them",
    usual: true,
    quirks: { bareConfig: true }
  },
  taciturn: {
    description: "leaves out fields of its answers, and spells MAC addresses with dots",
    usual: true,
    quirks: { macSpelling: "dots", absentKeys: ["uptime", "memTotal", "memFree", "serialNumber"] }
  }
} as const satisfies Record<string, Personality>

export type PersonalityName = keyof typeof TABLE

/** The personalities by their names. */
export const personalities: Readonly<Record<PersonalityName, Personality>> = TABLE

/** Whether there is a personality of this name. */
export const isPersonality = (name: string): name is PersonalityName => Object.hasOwn(TABLE, name)
