/** Chooses the switches and starts the preview that shows what would change. */
import { namesInOrder } from "../../../src/domain/Natural.ts"
import { typeChoices } from "../../../src/domain/words/DeviceWords.ts"
import { Button, Checkbox, Group, NativeSelect, Stack, Text, Textarea, TextInput } from "@mantine/core"
import { useRouter } from "@tanstack/react-router"
import { type FormEvent, useState } from "react"
import { ask } from "../../api/call.ts"
import { useAsk } from "../../api/useAsk.ts"
import { namesBehind } from "../../app/markedNames.ts"
import { useMay } from "../../app/useSession.ts"
import { Problem } from "../../parts/Problem.tsx"
import { useAct } from "../../parts/useAct.ts"
import { type Chosen, chosenIn, selectorOf, type Way, ways } from "./selection.ts"
import { isText, useDraft } from "../../app/useDraft.ts"

type Words = Readonly<Record<string, string | undefined>>

interface Props {
  readonly words: Words
  readonly cancel: () => void
}

const LABELS: Readonly<Record<Way, string>> = {
  all: "everything out of sync",
  group: "a group",
  device_type: "a type",
  hostnames: "switches by name"
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
        maxRows={8}
        required
        value={what}
        onChange={(event) => choose(event.currentTarget.value)}
      />
    )
  }
  const names =
    way === "group"
      ? namesInOrder(Object.keys(groups.data?.answer.data.groups ?? {})).map((value) => ({ value, label: value }))
      : typeChoices
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

export const Selection = ({ cancel, words }: Props) => {
  const may = useMay()
  const router = useRouter()
  const [chosen, setChosen] = useState(() => chosenIn({ ...words, hostnames: namesBehind(words["hostnames"] ?? "") }))
  const [comment, setComment, forgetComment] = useDraft("comment of the change", "", isText)
  const [resync, setResync] = useState(false)
  const { busy, error, run } = useAct()
  const start = (event: FormEvent) => {
    event.preventDefault()
    void run(async () => {
      const body = { ...selectorOf(chosen), dry_run: true, resync, ...(comment === "" ? {} : { comment }) }
      const { answer } = await ask("POST /device_syncto", { body })
      forgetComment()
      router.history.push(`/ui/change/${answer.job_id}`)
    })
  }
  if (!may("POST", "/device_syncto")) return null
  return (
    <form onSubmit={start} aria-label="Switches of the change">
      <Stack gap="xs">
        <NativeSelect
          label="Switches"
          value={chosen.way}
          data={ways.map((way) => ({ value: way, label: LABELS[way] }))}
          onChange={({ currentTarget: { value } }) => {
            if (isWay(value)) setChosen({ way: value, what: "" })
          }}
        />
        <What chosen={chosen} choose={(what) => setChosen({ ...chosen, what })} />
        <TextInput
          label="What is this for?"
          value={comment}
          onChange={(event) => setComment(event.currentTarget.value)}
        />
        <Checkbox
          label="Include switches in sync"
          checked={resync}
          onChange={(event) => setResync(event.currentTarget.checked)}
        />
        {error !== null && <Problem error={error} title="The preview was not started" />}
        <Group gap="sm">
          <Button type="submit" loading={busy}>
            Preview changes
          </Button>
          <Button variant="default" onClick={cancel}>
            Cancel
          </Button>
          <Text size="sm" c="dimmed">
            A preview changes no switch.
          </Text>
        </Group>
      </Stack>
    </form>
  )
}
