/** Steps that set what the server lacks: tried while one types, written at once, and taken over by a start of the server anew. */
import { Button, Group, Text, TextInput } from "@mantine/core"
import { useQueryClient } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { ask } from "../../api/call.ts"
import { isText, useDraft } from "../../app/useDraft.ts"
import { Problem } from "../../parts/Problem.tsx"
import { useAct } from "../../parts/useAct.ts"
import { Findings } from "./Findings.tsx"
import { StepFrame } from "./StepFrame.tsx"
import { useTry, type Values } from "./useTry.ts"

export interface Field {
  readonly name: keyof Values
  readonly label: string
  readonly hint: string
}

/** Milliseconds between two looks whether the server is back. */
const LOOK = 500
/** Looks until the person is told that it takes long. */
const LOOKS = 240

const pause = () => new Promise((resolve) => setTimeout(resolve, LOOK))

/** Ends when the server has started anew with the values. */
const restarted = async (names: ReadonlyArray<keyof Values>) => {
  for (let look = 0; look < LOOKS; look++) {
    await pause()
    const setup = await ask("GET /setup").then(
      ({ answer }) => answer.data,
      () => undefined
    )
    const isThere = names.every((name) =>
      name === "networks" ? setup?.networks !== null : setup?.[name].address !== null
    )
    if (setup !== undefined && isThere) return
  }
  throw new Error("The server has not come back yet. Look at its log on its machine.")
}

interface Props {
  readonly title: string
  readonly about: ReactNode
  readonly fields: ReadonlyArray<Field>
  /** Before the fields. */
  readonly above?: ReactNode
  readonly children?: ReactNode
  readonly back: () => void
  readonly next: () => void
}

export const SettingsStep = ({ about, above, back, children, fields, next, title }: Props) => {
  const client = useQueryClient()
  const [typed, type, forget] = useDraft("first run", "{}", isText)
  const all: Values = JSON.parse(typed)
  const values: Values = Object.fromEntries(fields.map(({ name }) => [name, all[name] ?? ""]))
  const tried = useTry(values)
  const { busy, error, run } = useAct()
  const names = fields.map(({ name }) => name)
  const isComplete = names.every((name) => (values[name] ?? "").trim() !== "")
  const save = async () => {
    const isSaved = await run(async () => {
      const { answer } = await ask("PUT /setup", { body: values })
      if (answer.data.restarts) await restarted(names)
      await client.invalidateQueries()
    })
    if (!isSaved) return
    forget()
    next()
  }
  return (
    <StepFrame
      title={title}
      side={<Findings found={tried.found} isBusy={tried.isBusy} />}
      foot={
        <>
          <Button variant="subtle" color="gray" onClick={back}>
            Back
          </Button>
          <Group gap="xs">
            <Button variant="subtle" color="gray" onClick={next}>
              Do this later
            </Button>
            <Button loading={busy} disabled={!isComplete || !tried.isGood} onClick={() => void save()}>
              Set and continue
            </Button>
          </Group>
        </>
      }
    >
      <Text c="dimmed">{about}</Text>
      {above}
      {fields.map(({ hint, label, name }) => (
        <TextInput
          key={name}
          label={label}
          description={hint}
          autoComplete="off"
          spellCheck={false}
          classNames={{ input: "mono" }}
          value={values[name] ?? ""}
          onChange={(event) => type(JSON.stringify({ ...all, [name]: event.currentTarget.value }))}
        />
      ))}
      {children}
      {busy && <Text role="status">The server takes the settings over and starts anew. This takes some seconds.</Text>}
      {tried.error !== null && <Problem error={tried.error} title="This could not be checked" />}
      {error !== null && <Problem error={error} title="Nothing was set" />}
    </StepFrame>
  )
}
