/** Explains the permission for a call: the rule that refuses it, and the roles that would permit it. */
import { Button, Group, NativeSelect, Text, TextInput } from "@mantine/core"
import { type FormEvent, useState } from "react"
import { useAsk } from "../../api/useAsk.ts"
import { useWords } from "../../app/useAddress.ts"
import { Asked } from "../../parts/Asked.tsx"
import { StatusWord } from "../../parts/StatusWord.tsx"

const METHODS = ["GET", "POST", "PUT", "DELETE"]

export const Explain = () => {
  const [{ device = "", method = "POST", path = "" }, change] = useWords()
  const [draft, setDraft] = useState({ device, method, path })
  const asked = useAsk("GET /auth/explain", { query: { method, path, device } }, { enabled: path !== "" })
  const edit = (field: keyof typeof draft) => (event: { readonly currentTarget: { readonly value: string } }) =>
    setDraft({ ...draft, [field]: event.currentTarget.value })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change({ ...draft, path: draft.path.trim(), device: draft.device.trim() })
  }
  return (
    <>
      <form onSubmit={submit} aria-label="What may I do?">
        <Group align="end" gap="xs" mb="sm">
          <NativeSelect label="Method" data={METHODS} value={draft.method} onChange={edit("method")} />
          <TextInput
            label="Path behind /api/v1.0"
            required
            placeholder="/device_syncto"
            value={draft.path}
            onChange={edit("path")}
          />
          <TextInput label="Device, where it is about one" value={draft.device} onChange={edit("device")} />
          <Button type="submit">Ask</Button>
        </Group>
      </form>
      {path !== "" && (
        <Asked of={asked} what="whether it is allowed">
          {({ data: { allowed, allowed_by, reason, roles } }) => (
            <div role="status">
              <Text>
                <StatusWord tone={allowed ? "good" : "bad"}>{allowed ? "You may" : "You may not"}</StatusWord>: {reason}
                .
              </Text>
              {roles.length > 0 && <Text>Your roles: {roles.join(", ")}.</Text>}
              {allowed_by.length > 0 && <Text>Roles that allow it: {allowed_by.join(", ")}.</Text>}
            </div>
          )}
        </Asked>
      )}
    </>
  )
}
