/** Access: users with passwords, tokens of programs, persons, roles, and the reader's own permissions. */
import { AddressTabs } from "../../parts/AddressTabs.tsx"
import { PageHead } from "../../parts/PageHead.tsx"
import { Skeleton } from "../../parts/Skeleton.tsx"
import { Explain } from "./Explain.tsx"
import { Persons } from "./Persons.tsx"
import { Roles } from "./Roles.tsx"
import { Tokens } from "./Tokens.tsx"
import { useAdministrator } from "./useAdministrator.ts"
import { Users } from "./Users.tsx"

const TOKENS = { value: "tokens", label: "Tokens of programs", Panel: Tokens }
const USERS = { value: "users", label: "Users with passwords", Panel: Users }
const PERSONS = { value: "persons", label: "Persons", Panel: Persons }
const REST = [
  { value: "roles", label: "Roles", Panel: Roles },
  { value: "explain", label: "What may I do?", Panel: Explain }
]

export default function Access() {
  const isAdministrator = useAdministrator()
  return (
    <>
      <PageHead title="Access" />
      {isAdministrator === undefined ? (
        <Skeleton what="what you may do" />
      ) : (
        <AddressTabs label="Access" parts={isAdministrator ? [USERS, TOKENS, PERSONS, ...REST] : [TOKENS, ...REST]} />
      )}
    </>
  )
}
