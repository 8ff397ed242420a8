/** The roles, and the permissions of each. */
import { Alert, List } from "@mantine/core"
import type { Data } from "../../../src/api/Calls.ts"
import { useAsk } from "../../api/useAsk.ts"
import { Asked } from "../../parts/Asked.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { SmallTable } from "../../parts/SmallTable.tsx"

type Permission = Data<"GET /auth/roles">["roles"][number]["permissions"][number]

const LIMITS = ["groups", "device_types", "interfaces", "jobs"] as const

/** The permission in a line: `GET, POST /devices, /device/*; groups: closet-3; dry runs alone`. */
const inWords = (permission: Permission): string => {
  const { approval, endpoints = [], live, max_devices, methods = [] } = permission
  const limits = LIMITS.flatMap((name) => {
    const list = permission[name]
    return list === undefined ? [] : [`${name.replace("_", " ")}: ${list.join(", ")}`]
  })
  return [
    `${methods.join(", ")} ${endpoints.join(", ")}`,
    ...limits,
    ...(live === false ? ["dry runs alone"] : []),
    ...(max_devices === undefined ? [] : [`at most ${max_devices} devices in a job`]),
    ...(approval === true ? ["live jobs wait for an approval"] : [])
  ].join("; ")
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
            Roles are written in <code>permissions.yml</code>: <PlainLink to="/manual/roles">how</PlainLink>. Ready ones
            are there without it.
          </p>
          <SmallTable
            label="Roles"
            heads={["Role", "From", "Yours", "Allows"]}
            rows={roles}
            keyOf={({ name }) => name}
            cells={({ is_held, is_ready, name, permissions }) => [
              name,
              is_ready ? "ready" : "permissions.yml",
              is_held ? "yes" : "",
              <List size="sm">
                {permissions.map((permission) => (
                  <List.Item key={JSON.stringify(permission)}>{inWords(permission)}</List.Item>
                ))}
              </List>
            ]}
          />
        </>
      )}
    </Asked>
  )
}
