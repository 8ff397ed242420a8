/** A new token for a program; its text is shown once. */
import { Alert, Button, Code, CopyButton, Group, Modal, Stack, TextInput } from "@mantine/core"
import { useDisclosure } from "@mantine/hooks"
import { type FormEvent, useState } from "react"
import { ask } from "../../api/call.ts"
import { isText, isTexts, useDraft } from "../../app/useDraft.ts"
import { Problem } from "../../parts/Problem.tsx"
import { useAct } from "../../parts/useAct.ts"
import { RolesField } from "./RolesField.tsx"

const DAYS = 365

/** The new token. */
export interface Made {
  readonly name: string
  readonly token: string
}

const Fields = ({ made, onlyHeld }: { readonly made: (made: Made) => void; readonly onlyHeld: boolean }) => {
  const [name, setName, forgetName] = useDraft("token name", "", isText)
  const [roles, setRoles, forgetRoles] = useDraft("token roles", [], isTexts)
  const [days, setDays, forgetDays] = useDraft("token days", String(DAYS), isText)
  const { busy, error, run } = useAct()
  const make = async () => {
    const { answer } = await ask("POST /auth/tokens", { body: { name, roles, days: Number(days) } })
    for (const forget of [forgetName, forgetRoles, forgetDays]) forget()
    made({ name, token: answer.data.token })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void run(make)
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput
          label="Name of the program"
          required
          autoComplete="off"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <RolesField value={roles} change={setRoles} onlyHeld={onlyHeld} />
        <TextInput
          label="Days until it ends"
          type="number"
          min={1}
          max={3650}
          required
          value={days}
          onChange={(event) => setDays(event.currentTarget.value)}
        />
        {error !== null && <Problem error={error} title="No token was made" />}
        <Group justify="flex-end">
          <Button type="submit" loading={busy}>
            Make the token
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

export const TokenForm = ({ done, onlyHeld }: { readonly done: () => void; readonly onlyHeld: boolean }) => {
  const [isOpen, { close, open }] = useDisclosure(false)
  const [shown, setShown] = useState<Made | null>(null)
  const made = (one: Made) => {
    setShown(one)
    close()
    done()
  }
  return (
    <>
      <Button variant="default" mb="sm" onClick={open}>
        Make a token
      </Button>
      {shown !== null && (
        <Alert variant="outline" mb="sm" title={`The token of ${shown.name}, shown this once`}>
          <Code block aria-label="The token">
            {shown.token}
          </Code>
          <Group mt="xs">
            <CopyButton value={shown.token}>
              {({ copied, copy }) => (
                <Button size="xs" variant="default" onClick={copy}>
                  {copied ? "Copied" : "Copy"}
                </Button>
              )}
            </CopyButton>
            <Button size="xs" variant="default" onClick={() => setShown(null)}>
              I have it
            </Button>
          </Group>
        </Alert>
      )}
      <Modal opened={isOpen} onClose={close} title="Make a token" closeButtonProps={{ "aria-label": "Close" }}>
        <Fields made={made} onlyHeld={onlyHeld} />
      </Modal>
    </>
  )
}
