/** The steps of the first run, and which of them are done. Pure. */
import type { Data } from "../../../src/api/Calls.ts"

export type Setup = Data<"GET /setup">

export interface Step {
  readonly title: string
  readonly about: string
  readonly isDone: (setup: Setup) => boolean
}

export const steps: ReadonlyArray<Step> = [
  { title: "Administrator", about: "you, with a password", isDone: () => true },
  {
    title: "Git repositories",
    about: "settings and templates",
    isDone: ({ settings, templates }) => settings.commit !== null && templates.commit !== null
  },
  { title: "Reach the switches", about: "networks and account", isDone: ({ networks }) => networks !== null },
  { title: "First switch", about: "adopt some, or let one ask", isDone: ({ devices }) => devices > 0 },
  { title: "First preview", about: "see what would change", isDone: ({ previewed }) => previewed }
]

/** The first step that is not done, counted from 0; the last one if all are. */
export const nextStep = (setup: Setup): number => {
  const found = steps.findIndex(({ isDone }) => !isDone(setup))
  return found < 0 ? steps.length - 1 : found
}
