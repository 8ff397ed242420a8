/** What is said of logins that are remembered no more: a change of passwords or keys is over (docs/security.md#logins-of-switches). */
import type { NamedLogin } from "../store/IdentityStore.ts"

/** Names of devices that are told at most. */
const MOST_NAMES = 20

const named = (devices: ReadonlyArray<NamedLogin>): string =>
  [...devices.slice(0, MOST_NAMES).map(({ hostname }) => hostname), ...(devices.length > MOST_NAMES ? ["…"] : [])].join(
    ", "
  )

const variableOf = ({ slot, state }: NamedLogin): string =>
  ({ key: `SSH_KEY_${state}`, current: `PASSWORD_${state}`, next: `PASSWORD_${state}_NEXT` })[slot]

/** What is forgotten of a change of logins that is over, in one sentence for each login. */
export const overSentences = (forgotten: ReadonlyArray<NamedLogin>): ReadonlyArray<string> => {
  const groups = Map.groupBy(forgotten, variableOf)
  return [...groups].map(
    ([name, devices]) =>
      `While there were several logins, ${devices.length} devices accepted ${name} last: ${named(devices)}`
  )
}
