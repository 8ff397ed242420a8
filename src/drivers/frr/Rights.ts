/** What a login may do on a Linux switch, and what is in the way when it may not do all (docs/frr.md#what-a-switch-needs). */
import { Effect } from "effect"
import { ConnectAuthError, type ExchangeError } from "../DriverErrors.ts"
import { maskSecrets } from "../SecretMask.ts"
import type { Privilege, Ran, Remote } from "./Remote.ts"

const longestQuote = 200

/** The last thing that was said, for people. */
const lastSaid = ({ complaints, output }: Ran): string => {
  const lines = `${output}\n${complaints}`.split("\n").filter((line) => line.trim() !== "")
  return maskSecrets(lines.at(-1)?.trim() ?? "nothing").slice(0, longestQuote)
}

/** How vtysh speaks when it is given a command of a shell, or has nobody to talk to. */
const saysVtysh = /^% (?:Unknown|Ambiguous|Command|There is no)|vtysh|failed to connect to any daemons/im

const shellFault = (ran: Ran): string => {
  const said = lastSaid(ran)
  return saysVtysh.test(`${ran.output}\n${ran.complaints}`)
    ? `the shell of the login is vtysh (it says "${said}"); give the user a POSIX shell such as /bin/bash`
    : `the shell of the login runs no commands (it says "${said}"); give the user a POSIX shell such as /bin/bash`
}

const refused = ({ target: { address, hostname } }: Remote, message: string) =>
  new ConnectAuthError({ hostname, address, message })

const isRoot = ({ began, output }: Ran): boolean => began && output.trim() === "0"

/**
 * What stands before each command: nothing for root, `sudo` for somebody who becomes root without being asked. `withRights`
 * makes commands with it. Fails with ConnectAuthError when the login is neither, or has no shell.
 */
export const rightsOf = Effect.fnUntraced(function* (
  withRights: (privilege: Privilege) => Remote
): Effect.fn.Return<Privilege, ConnectAuthError | ExchangeError> {
  const own = withRights("")
  const who = yield* own.run("id -u")
  if (!who.began) return yield* refused(own, shellFault(who))
  if (isRoot(who)) return ""
  const sudo = yield* withRights("sudo -n ").run("id -u")
  if (isRoot(sudo)) return "sudo -n "
  const message =
    "not privileged: the login is neither root's nor one that may use sudo for everything without a password"
  return yield* refused(own, `${message} (${lastSaid(sudo)})`)
})
