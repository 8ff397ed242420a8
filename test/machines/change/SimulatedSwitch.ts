/**
 * A switch as far as one change is concerned: a running and a startup configuration, sessions and one commit timer. It obeys
 * the rules of docs/switch-dialogues.md#eos-commit-confirm-discard and knows nothing of the machine under test.
 */
import type { Observation } from "../../../machines/change/ChangeRow.ts"

export type Config = "old" | "new" | "alien"

export interface SimulatedSwitch {
  readonly running: () => Config
  readonly startup: () => Config
  readonly timerRuns: () => boolean
  /** A new session with the candidate in it. */
  readonly load: (name: string, candidate: Config) => void
  readonly discard: (name: string) => void
  readonly commit: (name: string, timed: boolean) => void
  readonly confirm: (name: string) => void
  readonly save: () => void
  readonly expire: () => void
  readonly editByOthers: () => void
  readonly show: (name: string, candidate: Config, before: Config) => Observation
}

/** A switch that runs `first` and has it saved. */
export const make = (first: Config): SimulatedSwitch => {
  let running = first
  let startup = first
  const sessions = new Map<string, Config>()
  let timer: { readonly name: string; readonly back: Config } | null = null
  const takeBack = () => {
    if (timer !== null) running = timer.back
    timer = null
  }
  return {
    running: () => running,
    startup: () => startup,
    timerRuns: () => timer !== null,
    load: (name, candidate) => sessions.set(name, candidate),
    discard: (name) => {
      if (timer?.name === name) takeBack()
      sessions.delete(name)
    },
    commit: (name, timed) => {
      const candidate = sessions.get(name)
      if (candidate === undefined || timer !== null) return
      if (timed) timer = { name, back: running }
      running = candidate
      sessions.delete(name)
    },
    confirm: (name) => {
      if (timer?.name === name) timer = null
    },
    save: () => {
      startup = running
    },
    expire: takeBack,
    editByOthers: () => {
      running = "alien"
    },
    show: (name, candidate, before) => ({
      running: running === candidate ? "candidate" : running === before ? "old" : "neither",
      ourTimer: timer?.name === name,
      ourSession: sessions.has(name)
    })
  }
}
