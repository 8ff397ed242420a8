/** The roles in sentences: what each allows and what it does not, with the lines of `permissions.yml`. */
import { Alert } from "@mantine/core"
import type { Data } from "../../../src/api/Calls.ts"
import { abilitySentences } from "../../../src/domain/words/RoleWords.ts"
import { useAsk } from "../../api/useAsk.ts"
import { Asked } from "../../parts/Asked.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { StatusWord } from "../../parts/StatusWord.tsx"

type RoleData = Data<"GET /auth/roles">["roles"][number]

const FILE = "permissions.yml"

/** `permissions.yml:12`, or `permissions.yml:12, 15`; nothing for rules that stand in no line. */
export const RulePlace = ({ lines }: { readonly lines: ReadonlyArray<number | null> }) => {
  const known = [...new Set(lines.filter((line) => line !== null))]
  return known.length === 0 ? null : (
    <>
      {" "}
      <code className="access-place">
        {FILE}:{known.join(", ")}
      </code>
    </>
  )
}

/** What these permissions allow, in sentences. */
export const RoleText = ({ lines, permissions }: Pick<RoleData, "lines" | "permissions">) => (
  <ul>
    {abilitySentences(permissions).map(({ from, text }) => (
      <li key={text}>
        {text}
        <RulePlace lines={from.map((one) => lines[one] ?? null)} />
      </li>
    ))}
  </ul>
)

const Role = ({ role }: { readonly role: RoleData }) => {
  const { is_held, is_ready, line, lines, name, permissions } = role
  return (
    <li className="card role" aria-labelledby={`role-${name}`}>
      <h2 id={`role-${name}`}>
        {name}
        <span>{is_ready ? "Ready role" : line === null ? FILE : `${FILE}:${line}`}</span>
        {is_held && <StatusWord tone="good">Yours</StatusWord>}
      </h2>
      <RoleText lines={lines} permissions={permissions} />
      <details>
        <summary>Show data</summary>
        <pre tabIndex={0}>{JSON.stringify(permissions, null, 2)}</pre>
      </details>
    </li>
  )
}

export const Roles = () => {
  const asked = useAsk("GET /auth/roles", {}, { kinds: ["permission"] })
  return (
    <Asked of={asked} what="the roles">
      {({ data: { remark, roles } }) => (
        <>
          {remark !== null && (
            <Alert variant="outline" mb="sm" title="About the roles">
              {remark}
            </Alert>
          )}
          <p>
            Roles are written in <code>permissions.yml</code> on the server:{" "}
            <PlainLink to="/manual/roles">how</PlainLink>. Ready roles need no file.
          </p>
          <ul className="roles" aria-label="Roles">
            {roles.map((role) => (
              <Role key={role.name} role={role} />
            ))}
          </ul>
        </>
      )}
    </Asked>
  )
}
