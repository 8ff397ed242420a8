/** The foot of the navigation: who is signed in, with which roles, and their menu, which is loaded when it is opened. */
import { IconDots } from "@tabler/icons-react"
import { lazy, Suspense, useState } from "react"
import { useAsk } from "../api/useAsk.ts"

const AccountMenu = lazy(() => import("./AccountMenu.tsx"))

/** The roles of the user, in the words of the site. */
const useRoles = (): string => {
  const { data } = useAsk("GET /auth/roles")
  const held = (data?.answer.data.roles ?? []).filter(({ is_held }) => is_held).map(({ name }) => name)
  return held.join(", ")
}

interface Props {
  readonly name: string
  readonly askKeys: () => void
}

export const Account = ({ askKeys, name }: Props) => {
  const [isAsked, setAsked] = useState(false)
  const roles = useRoles()
  const button = (
    <button type="button" className="account" title="Your menu" aria-haspopup="menu" onClick={() => setAsked(true)}>
      <span className="account-letter" aria-hidden>
        {name.slice(0, 1).toUpperCase()}
      </span>
      <span className="account-words">
        <b>{name}</b>
        {roles !== "" && <span>{roles}</span>}
      </span>
      <IconDots size={16} stroke={1.75} aria-hidden className="account-dots" />
      <span className="unseen">, your menu</span>
    </button>
  )
  if (!isAsked) return button
  return (
    <Suspense fallback={button}>
      <AccountMenu askKeys={askKeys}>{button}</AccountMenu>
    </Suspense>
  )
}
