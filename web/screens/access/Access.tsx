/** Who may do what: people with passwords, tokens of programs, roles, and what the reader may do. */
import { AddressTabs } from "../../parts/AddressTabs.tsx"
import { ScreenTitle } from "../../parts/ScreenTitle.tsx"
import { Waiting } from "../../parts/Waiting.tsx"
import { Explain } from "./Explain.tsx"
import { Roles } from "./Roles.tsx"
import { Tokens } from "./Tokens.tsx"
import { useAdministrator } from "./useAdministrator.ts"
import { Users } from "./Users.tsx"

const TOKENS = { value: "tokens", label: "Tokens of programs", Panel: Tokens }
const USERS = { value: "users", label: "Users with passwords", Panel: Users }
const REST = [
  { value: "roles", label: "Roles", Panel: Roles },
  { value: "explain", label: "What may I do?", Panel: Explain }
]

export default function Access() {
  const isAdministrator = useAdministrator()
  return (
    <>
      <ScreenTitle>Users and tokens</ScreenTitle>
      {isAdministrator === undefined ? (
        <Waiting what="what you may do" />
      ) : (
        <AddressTabs label="Users and tokens" parts={isAdministrator ? [USERS, TOKENS, ...REST] : [TOKENS, ...REST]} />
      )}
    </>
  )
}
