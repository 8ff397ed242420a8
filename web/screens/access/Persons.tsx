/** All persons who have called: one can be withdrawn with all their tokens and sessions, and admitted again. */
import { useQueryClient } from "@tanstack/react-query"
import { request } from "../../api/call.ts"
import { useAsk } from "../../api/useAsk.ts"
import { Confirm } from "../../parts/Confirm.tsx"
import { Asked } from "../../parts/Asked.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { SmallTable } from "../../parts/SmallTable.tsx"
import { StatusWord } from "../../parts/StatusWord.tsx"
import { When } from "../../parts/When.tsx"

export const Persons = () => {
  const client = useQueryClient()
  const asked = useAsk("GET /auth/persons", {}, { kinds: ["person", "user", "token"] })
  const send = (name: "POST /auth/persons/withdraw" | "POST /auth/persons/admit", person: string) => async () => {
    await request(name, { body: { person } })
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
            heads={["Name", "Person", "Roles", "Tokens", "Seen", "Standing", "Change"]}
            rows={persons}
            keyOf={({ person }) => person}
            cells={({ name, person, roles, seen_at, tokens, withdrawn_at, withdrawn_by }) => [
              name,
              <code>{person}</code>,
              roles.join(", "),
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
              withdrawn_at === null ? (
                <Confirm label={`Withdraw ${name}`} size="xs" danger act={send("POST /auth/persons/withdraw", person)}>
                  All tokens, sessions and streams of {name} end within a second, and {name} is let in no more.
                </Confirm>
              ) : (
                <Confirm label={`Let ${name} in again`} size="xs" act={send("POST /auth/persons/admit", person)}>
                  {name} may sign on again. Tokens and sessions that have ended stay so.
                </Confirm>
              )
            ]}
          />
        )
      }
    </Asked>
  )
}
