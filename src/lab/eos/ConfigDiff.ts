/** The difference between two printed configurations, as `show session-config diffs` prints it. */
import { TextDiff } from "effect"

/** Above this many edits the script may be longer than needed, but stays correct and cheap. */
const MAX_EDITS = 4000

/** What `show running-config diffs` prints: empty when the running configuration is saved. */
export const unsaved = (startup: string, running: string): string =>
  startup === running
    ? ""
    : TextDiff.unified(TextDiff.lines(startup, running, { maxEdits: MAX_EDITS }), {
        fromFile: "flash:/startup-config",
        toFile: "system:/running-config"
      })

/** Unified diff with three lines of context and the device's header lines; empty when nothing differs. */
export const unified = (running: string, candidate: string, session: string): string =>
  running === candidate
    ? ""
    : TextDiff.unified(TextDiff.lines(running, candidate, { maxEdits: MAX_EDITS }), {
        fromFile: "system:/running-config",
        toFile: `session:/${session}-session-config`
      })
