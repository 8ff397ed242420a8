/** Tokens of programs: valid ones, and those that have ended. */
import { momentOf } from "../../../src/domain/words/Units.ts"
import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { request } from "../../api/call.ts"
import type { Data } from "../../../src/api/Calls.ts"
import { useAsk } from "../../api/useAsk.ts"
import { Confirm } from "../../parts/Confirm.tsx"
import { Asked } from "../../parts/Asked.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { SmallTable } from "../../parts/SmallTable.tsx"
import { StatusWord } from "../../parts/StatusWord.tsx"
import { toast } from "../../parts/Toast.tsx"
import { When } from "../../parts/When.tsx"
import { TokenForm } from "./TokenForm.tsx"
import { useAdministrator, useSeesEverybody } from "./useAdministrator.ts"

type Token = Data<"GET /auth/tokens">["tokens"][number]

const isOver = ({ expires_at }: Token): boolean => (momentOf(expires_at)?.getTime() ?? 0) < Date.now()

const Standing = ({ token }: { readonly token: Token }) => {
  if (token.revoked_at !== null)
    return (
      <>
        <StatusWord tone="quiet">revoked</StatusWord> <When at={token.revoked_at} />
      </>
    )
  return isOver(token) ? <StatusWord tone="warn">ended</StatusWord> : <StatusWord tone="good">counts</StatusWord>
}

/** The owner: the token ends with them. The key of a local user is their name. */
const Owner = ({ token: { created_by, is_machine, owner } }: { readonly token: Token }) => {
  if (is_machine) return <StatusWord tone="quiet">a machine, made by {created_by}</StatusWord>
  return owner === null || owner.startsWith("local:") ? created_by : <span title={owner}>{created_by}</span>
}

const DAY = 86_400_000
/** Days after which a token that nobody uses should go. */
const UNUSED = 90

const LastUsed = ({ token }: { readonly token: Token }) => {
  const { created_at, last_used, revoked_at } = token
  const [now] = useState(() => Date.now())
  const since = momentOf(last_used ?? created_at)
  const isUnused = revoked_at === null && !isOver(token) && since !== undefined && now - since.getTime() > UNUSED * DAY
  return (
    <>
      <When at={last_used} /> {isUnused && <StatusWord tone="warn">unused for {UNUSED} days: revoke it?</StatusWord>}
    </>
  )
}

export const Tokens = () => {
  const client = useQueryClient()
  const isAdministrator = useAdministrator()
  const seesEverybody = useSeesEverybody()
  const asked = useAsk("GET /auth/tokens", {}, { kinds: ["token"] })
  const again = () => client.invalidateQueries({ queryKey: ["GET /auth/tokens"] })
  const identity = useAsk("GET /auth/identity").data?.answer
  const revoke = async ({ id, name }: Token) => {
    await request("DELETE /auth/tokens/:id", { params: { id } })
    toast({ title: `The token ${name} is withdrawn`, text: "Programs that use it are refused." })
    await again()
  }
  return (
    <>
      <TokenForm done={() => void again()} onlyHeld={isAdministrator === false} />
      <Asked of={asked} what="the tokens">
        {({ data: { tokens } }) =>
          tokens.length === 0 ? (
            <Empty>
              There are no tokens{seesEverybody === true ? "" : " of yours"}. Programs such as the DHCP server and the
              monitoring get one each: “Make a token”.
            </Empty>
          ) : (
            <SmallTable
              label="Tokens of programs"
              heads={["Name", "Roles", "Standing", "Person", "Last used", "Ends", "Change"]}
              rows={tokens}
              keyOf={({ id }) => id}
              cells={(token) => [
                token.name,
                token.roles.join(", "),
                <Standing token={token} />,
                <Owner token={token} />,
                <LastUsed token={token} />,
                <When at={token.expires_at} />,
                token.revoked_at === null &&
                  !isOver(token) &&
                  (isAdministrator === true || token.created_by === identity) && (
                    <Confirm label={`Revoke ${token.name}`} size="xs" danger act={() => revoke(token)}>
                      Programs that use it are refused within a second. This cannot be undone: they need a new token.
                    </Confirm>
                  )
              ]}
            />
          )
        }
      </Asked>
    </>
  )
}
