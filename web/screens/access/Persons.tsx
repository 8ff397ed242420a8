/** All persons who have called: what each may do; administrators withdraw one with all their tokens and sessions, and admit them again. */
import { useQueryClient } from "@tanstack/react-query"
import { counted } from "../../../src/domain/words/Units.ts"
import { ask } from "../../api/call.ts"
import { useAsk } from "../../api/useAsk.ts"
import { Confirm } from "../../parts/Confirm.tsx"
import { Asked } from "../../parts/Asked.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { SmallTable } from "../../parts/SmallTable.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { StatusWord } from "../../parts/StatusWord.tsx"
import { toast } from "../../parts/Toast.tsx"
import { When } from "../../parts/When.tsx"
import { useAdministrator } from "./useAdministrator.ts"

export const Persons = () => {
  const client = useQueryClient()
  const asked = useAsk("GET /auth/persons", {}, { kinds: ["person", "user", "token"] })
  const isAdministrator = useAdministrator() === true
  const withdraw = async (person: string, name: string) => {
    const { answer } = await ask("POST /auth/persons/withdraw", { body: { person } })
    toast({
      title: `${name} is let in no more`,
      text: `Sessions have ended, and ${counted(answer.data.ended_tokens, "token")}.`
    })
    await client.invalidateQueries()
  }
  const admit = async (person: string, name: string) => {
    await ask("POST /auth/persons/admit", { body: { person } })
    toast({ title: `${name} may sign in again`, text: "Tokens and sessions that have ended stay so." })
    await client.invalidateQueries()
  }
  return (
    <Asked of={asked} what="the persons">
      {({ data: { persons } }) =>
        persons.length === 0 ? (
          <Empty>No calls yet. Users who sign on or call with a token appear here.</Empty>
        ) : (
          <SmallTable
            label="Persons"
            heads={["Name", "Person", "Roles", "Tokens", "Seen", "Standing", ...(isAdministrator ? ["Change"] : [])]}
            rows={persons}
            keyOf={({ person }) => person}
            cells={({ name, person, roles, seen_at, tokens, withdrawn_at, withdrawn_by }) => [
              name,
              <code>{person}</code>,
              <>
                {roles.join(", ")}{" "}
                <PlainLink
                  to={`/access?tab=explain&person=${encodeURIComponent(person)}`}
                  label={`What may they do? ${name}`}
                >
                  What may they do?
                </PlainLink>
              </>,
              tokens,
              <When at={seen_at} />,
              withdrawn_at === null ? (
                <StatusWord tone="good">counts</StatusWord>
              ) : (
                <>
                  <StatusWord tone="warn">{`withdrawn by ${withdrawn_by ?? "an unknown user"}`}</StatusWord>{" "}
                  <When at={withdrawn_at} />
                </>
              ),
              ...(isAdministrator
                ? [
                    withdrawn_at === null ? (
                      <Confirm label={`Withdraw ${name}`} size="xs" danger act={() => withdraw(person, name)}>
                        All tokens, sessions and streams of {name} end within a second, and {name} is let in no more.
                      </Confirm>
                    ) : (
                      <Confirm label={`Let ${name} in again`} size="xs" act={() => admit(person, name)}>
                        {name} may sign on again. Tokens and sessions that have ended stay so.
                      </Confirm>
                    )
                  ]
                : [])
            ]}
          />
        )
      }
    </Asked>
  )
}
