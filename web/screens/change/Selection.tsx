/** Chooses the devices and starts the dry run that shows what would change. */
import { namesInOrder } from "../../../src/domain/Natural.ts"
import { typeWords } from "../../../src/domain/words/DeviceWords.ts"
import { Button, Checkbox, NativeSelect, Stack, Textarea, TextInput } from "@mantine/core"
import { type FormEvent, useState } from "react"
import { ask } from "../../api/call.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useMay } from "../../app/useSession.ts"
import { Problem } from "../../parts/Problem.tsx"
import { useAct } from "../../parts/useAct.ts"
import { type Chosen, chosenIn, selectorOf, type Way, ways, wordsOf } from "./selection.ts"
import { isText, useDraft } from "../../app/useDraft.ts"

type Words = Readonly<Record<string, string | undefined>>

interface Props {
  readonly words: Words
  readonly change: (changes: Words) => void
}

const LABELS: Readonly<Record<Way, string>> = {
  all: "everything out of sync",
  group: "a group",
  device_type: "a type",
  hostnames: "by name"
}

const isWay = (value: string): value is Way => ways.some((way) => way === value)

const What = ({
  chosen: { way, what },
  choose
}: {
  readonly chosen: Chosen
  readonly choose: (what: string) => void
}) => {
  const groups = useAsk("GET /groups", {}, { enabled: way === "group", kinds: ["repository"] })
  if (way === "all") return null
  if (way === "hostnames") {
    return (
      <Textarea
        label="Names"
        autosize
        minRows={2}
        required
        value={what}
        onChange={(event) => choose(event.currentTarget.value)}
      />
    )
  }
  const names =
    way === "group"
      ? namesInOrder(Object.keys(groups.data?.answer.data.groups ?? {})).map((value) => ({ value, label: value }))
      : (["ACCESS", "DIST", "CORE"] as const).map((value) => ({ value, label: typeWords[value].text }))
  return (
    <NativeSelect
      label={way === "group" ? "Group" : "Type"}
      required
      value={what}
      data={[{ value: "", label: "" }, ...names]}
      onChange={(event) => choose(event.currentTarget.value)}
    />
  )
}

export const Selection = ({ change, words }: Props) => {
  const may = useMay()
  const [chosen, setChosen] = useState(() => chosenIn(words))
  const [comment, setComment, forgetComment] = useDraft("comment of the change", "", isText)
  const [resync, setResync] = useState(false)
  const { busy, error, run } = useAct()
  const start = (event: FormEvent) => {
    event.preventDefault()
    void run(async () => {
      const body = { ...selectorOf(chosen), dry_run: true, resync, ...(comment === "" ? {} : { comment }) }
      const { answer } = await ask("POST /device_syncto", { body })
      forgetComment()
      change({ ...wordsOf(chosen), job: String(answer.job_id), search: undefined, read: undefined })
    })
  }
  if (!may("POST", "/device_syncto")) return null
  return (
    <form onSubmit={start} aria-label="Devices of the change">
      <Stack gap="xs" mb="md">
        <NativeSelect
          label="Devices"
          value={chosen.way}
          data={ways.map((way) => ({ value: way, label: LABELS[way] }))}
          onChange={({ currentTarget: { value } }) => {
            if (isWay(value)) setChosen({ way: value, what: "" })
          }}
        />
        <What chosen={chosen} choose={(what) => setChosen({ ...chosen, what })} />
        <TextInput label="Comment" value={comment} onChange={(event) => setComment(event.currentTarget.value)} />
        <Checkbox
          label="Include switches in sync"
          checked={resync}
          onChange={(event) => setResync(event.currentTarget.checked)}
        />
        {error !== null && <Problem error={error} title="The dry run was not started" />}
        <Button type="submit" loading={busy}>
          Show what would change
        </Button>
      </Stack>
    </form>
  )
}
