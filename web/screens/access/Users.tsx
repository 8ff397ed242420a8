/** Users with passwords; administrators add, change and remove them. */
import { Badge, Group } from "@mantine/core"
import { useQueryClient } from "@tanstack/react-query"
import { request } from "../../api/call.ts"
import { useAsk } from "../../api/useAsk.ts"
import { Confirm } from "../../parts/Confirm.tsx"
import { Asked } from "../../parts/Asked.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { SmallTable } from "../../parts/SmallTable.tsx"
import { StatusWord } from "../../parts/StatusWord.tsx"
import { toast } from "../../parts/Toast.tsx"
import { useAdministrator } from "./useAdministrator.ts"
import { UserForm } from "./UserForm.tsx"

export const Users = () => {
  const client = useQueryClient()
  const asked = useAsk("GET /auth/users", {}, { kinds: ["user"] })
  const isAdministrator = useAdministrator() === true
  const again = () => client.invalidateQueries({ queryKey: ["GET /auth/users"] })
  const remove = async (name: string) => {
    await request("DELETE /auth/users/:name", { params: { name } })
    toast({ title: `${name} is removed`, text: "Their sessions have ended, and the tokens that a password brought." })
    await again()
  }
  return (
    <>
      {isAdministrator && (
        <Group mb="sm">
          <UserForm done={again} />
        </Group>
      )}
      <Asked of={asked} what="the users">
        {({ data: { users } }) =>
          users.length === 0 ? (
            <Empty>
              No users have a password here. Users of the site's provider need none.
              {isAdministrator && " “Add a user” creates one."}
            </Empty>
          ) : (
            <SmallTable
              label="Users with passwords"
              heads={["Name", "Roles", "May come in", "For emergencies", ...(isAdministrator ? ["Change"] : [])]}
              rows={users}
              keyOf={({ name }) => name}
              cells={(user) => [
                user.name,
                user.roles.join(", ") || "none: may do nothing",
                user.enabled ? "yes" : <StatusWord tone="warn">disabled</StatusWord>,
                user.break_glass ? <Badge color="red">break glass</Badge> : "",
                ...(isAdministrator
                  ? [
                      <Group gap="xs" wrap="nowrap">
                        <UserForm user={user} done={again} />
                        <Confirm label={`Remove ${user.name}`} size="xs" danger act={() => remove(user.name)}>
                          {user.name} can sign on no more, and all their tokens that a password brought end at once.
                          What they did stays in the audit.
                        </Confirm>
                      </Group>
                    ]
                  : [])
              ]}
            />
          )
        }
      </Asked>
    </>
  )
}
