/** What a site has set about commits on EOS, by the list of sessions and by configurations (docs/switch-dialogues.md#settings-of-sessions). */
import type { CommitHabits, ConfigSessions } from "../Driver.ts"

/** The lines by which a configuration says so. The defaults are not printed. */
const lines = {
  savesAtCommit: /^service configuration session commit save startup-config\s*$/m,
  mergesAtCommit: /^service configuration session commit merge\s*$/m
} as const satisfies Record<keyof CommitHabits, RegExp>

/** See `Driver.commitHabits`. */
export const commitHabits = ({ limits }: ConfigSessions, configs: ReadonlyArray<string>): CommitHabits => {
  const isSet = (habit: keyof CommitHabits) => configs.some((config) => lines[habit].test(config))
  return {
    savesAtCommit: limits.savesAtCommit === true || isSet("savesAtCommit"),
    mergesAtCommit: limits.mergesAtCommit === true || isSet("mergesAtCommit")
  }
}
