/** Adds a user, or changes the roles and the password of one. */
import { Button, Checkbox, Group, Modal, PasswordInput, Stack, TextInput } from "@mantine/core"
import { useDisclosure } from "@mantine/hooks"
import { type FormEvent, useState } from "react"
import { AwaitsApproval, request } from "../../api/call.ts"
import { isText, useDraft } from "../../app/useDraft.ts"
import { Problem } from "../../parts/Problem.tsx"
import { toast } from "../../parts/Toast.tsx"
import { useAct } from "../../parts/useAct.ts"
import { RolesField } from "./RolesField.tsx"

interface User {
  readonly name: string
  readonly roles: ReadonlyArray<string>
  readonly enabled: boolean
}

interface Props {
  /** Null for a new user. */
  readonly user?: User
  readonly done: () => Promise<unknown>
}

const Fields = ({ close, done, user }: Props & { readonly close: () => void }) => {
  const [name, setName, forgetName] = useDraft("new user", "", isText)
  const [roles, setRoles] = useState(user?.roles ?? [])
  const [password, setPassword] = useState("")
  const [enabled, setEnabled] = useState(user?.enabled ?? true)
  const [break_glass, setBreakGlass] = useState(false)
  const { busy, error, run } = useAct()
  const save = async () => {
    if (user === undefined) await request("POST /auth/users", { body: { name, roles, password, break_glass } })
    else {
      const body = {
        roles,
        ...(password === "" ? {} : { password }),
        ...(enabled === user.enabled ? {} : { enabled })
      }
      await request("PUT /auth/users/:name", { params: { name: user.name }, body })
    }
    forgetName()
    if (user === undefined) toast({ title: `${name} may sign in` })
    else if (user.enabled && !enabled)
      toast({ title: `${user.name} is let in no more`, text: "Their sessions and tokens have ended." })
    else if (password === "") toast({ title: `${user.name} is saved` })
    else
      toast({
        title: `${user.name} is saved`,
        text: "Their sessions have ended; they sign in with the new password."
      })
    await done()
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (await run(save)) close()
  }
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="sm">
        {user === undefined && (
          <TextInput
            label="Name"
            required
            autoComplete="off"
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
        )}
        <RolesField value={roles} change={setRoles} />
        <PasswordInput
          label={user === undefined ? "Password, at least 12 characters" : "New password; empty: unchanged"}
          required={user === undefined}
          autoComplete="new-password"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        {user !== undefined && (
          <Checkbox
            label="May come in"
            description="Without it, sessions and API tokens end at once and permanently"
            checked={enabled}
            onChange={(event) => setEnabled(event.currentTarget.checked)}
          />
        )}
        {user === undefined && (
          <Checkbox
            label="For emergencies: each sign-on raises an alarm"
            checked={break_glass}
            onChange={(event) => setBreakGlass(event.currentTarget.checked)}
          />
        )}
        {error !== null && <Problem error={error} title="Not saved" />}
        <Group justify="flex-end">
          <Button type="submit" loading={busy} disabled={error instanceof AwaitsApproval}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

export const UserForm = ({ done, user }: Props) => {
  const [isOpen, { close, open }] = useDisclosure(false)
  const label = user === undefined ? "Add a user" : `Change ${user.name}`
  return (
    <>
      <Button size={user === undefined ? "sm" : "xs"} variant="default" onClick={open}>
        {label}
      </Button>
      <Modal opened={isOpen} onClose={close} title={label} closeButtonProps={{ "aria-label": "Close" }}>
        <Fields close={close} done={done} {...(user === undefined ? {} : { user })} />
      </Modal>
    </>
  )
}
