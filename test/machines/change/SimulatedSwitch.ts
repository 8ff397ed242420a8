/**
 * A switch as far as one change is concerned: a running and a startup configuration, sessions and one commit timer. It obeys
 * the rules of docs/switch-dialogues.md#eos-commit-confirm-discard and knows nothing of the machine under test.
 */
import type { Observation, TimerSight } from "../../../machines/change/ChangeRow.ts"

export type Config = "old" | "new" | "alien"

/** The peculiarities of a switch. */
export interface Peculiar {
  /** It shows nowhere that a timer runs. */
  readonly hidesTimer?: boolean
  /** It commits permanently although a timer was given. */
  readonly ignoresTimer?: boolean
  /** Each commit saves. */
  readonly savesAtCommit?: boolean
  /** A candidate ends with the login that has loaded it. */
  readonly endsWithLogin?: boolean
}

export interface SimulatedSwitch {
  readonly peculiar: Peculiar
  readonly running: () => Config
  readonly startup: () => Config
  readonly timerRuns: () => boolean
  /** A new session with the candidate in it. */
  readonly load: (name: string, candidate: Config) => void
  readonly discard: (name: string) => void
  readonly commit: (name: string, timed: boolean) => void
  readonly confirm: (name: string) => void
  /** Answers a confirmation and goes on with the timer, which is shown nowhere from then on, nor is its session. */
  readonly ignoreConfirm: (name: string) => void
  readonly save: () => void
  readonly expire: () => void
  readonly editByOthers: () => void
  /** The login that has loaded a candidate is lost. */
  readonly endLogin: () => void
  /** What it shows of the timer of this session. */
  readonly sight: (name: string) => TimerSight
  readonly show: (name: string, candidate: Config, before: Config) => Observation
}

/** A switch that runs `first` and has it saved. */
export const make = (first: Config, peculiar: Peculiar = {}): SimulatedSwitch => {
  let running = first
  let startup = first
  const sessions = new Map<string, Config>()
  let timer: { readonly name: string; readonly back: Config } | null = null
  let isHidden = false
  const takeBack = () => {
    if (timer !== null) running = timer.back
    timer = null
  }
  const sight = (name: string): TimerSight => {
    if (peculiar.hidesTimer === true || (timer?.name === name && isHidden)) return "unseen"
    return timer?.name === name ? "runs" : "gone"
  }
  return {
    peculiar,
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
      if (timed && peculiar.ignoresTimer !== true) timer = { name, back: running }
      isHidden = false
      running = candidate
      if (peculiar.savesAtCommit === true) startup = running
      sessions.delete(name)
    },
    confirm: (name) => {
      if (timer?.name === name) timer = null
    },
    ignoreConfirm: (name) => {
      if (timer?.name === name) isHidden = true
    },
    save: () => {
      startup = running
    },
    expire: takeBack,
    editByOthers: () => {
      running = "alien"
    },
    sight,
    endLogin: () => {
      if (peculiar.endsWithLogin === true) sessions.clear()
    },
    show: (name, candidate, before) => ({
      running: running === candidate ? "candidate" : running === before ? "old" : "neither",
      ourTimer: sight(name),
      ourSession: sessions.has(name),
      ...(peculiar.endsWithLogin === true && { endsWithLogin: true })
    })
  }
}
