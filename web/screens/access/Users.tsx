/** Users with passwords: added, changed and removed. */
import { Badge, Group } from "@mantine/core"
import { useQueryClient } from "@tanstack/react-query"
import { request } from "../../api/call.ts"
import { useAsk } from "../../api/useAsk.ts"
import { Confirm } from "../../parts/Confirm.tsx"
import { Asked } from "../../parts/Asked.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { SmallTable } from "../../parts/SmallTable.tsx"
import { StatusWord } from "../../parts/StatusWord.tsx"
import { UserForm } from "./UserForm.tsx"

export const Users = () => {
  const client = useQueryClient()
  const asked = useAsk("GET /auth/users", {}, { kinds: ["user"] })
  const again = () => client.invalidateQueries({ queryKey: ["GET /auth/users"] })
  const remove = async (name: string) => {
    await request("DELETE /auth/users/:name", { params: { name } })
    await again()
  }
  return (
    <>
      <Group mb="sm">
        <UserForm done={again} />
      </Group>
      <Asked of={asked} what="the users">
        {({ data: { users } }) =>
          users.length === 0 ? (
            <Empty>
              No users have a password here. “Add a user” creates one; users of the site's provider need none.
            </Empty>
          ) : (
            <SmallTable
              label="Users with passwords"
              heads={["Name", "Roles", "May come in", "For emergencies", "Change"]}
              rows={users}
              keyOf={({ name }) => name}
              cells={(user) => [
                user.name,
                user.roles.join(", ") || "none: may do nothing",
                user.enabled ? "yes" : <StatusWord tone="warn">disabled</StatusWord>,
                user.break_glass ? <Badge color="red">break glass</Badge> : "",
                <Group gap="xs" wrap="nowrap">
                  <UserForm user={user} done={again} />
                  <Confirm label={`Remove ${user.name}`} size="xs" danger act={() => remove(user.name)}>
                    {user.name} can sign on no more, and all their tokens that a password brought end at once. What they
                    did stays in the audit.
                  </Confirm>
                </Group>
              ]}
            />
          )
        }
      </Asked>
    </>
  )
}
