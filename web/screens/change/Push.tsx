/** Pushes exactly the dry run that was shown: a device whose result would differ is not changed. */
import { modeWords } from "../../../src/domain/words/ChangeWords.ts"
import type { Zone } from "../../../src/domain/words/Units.ts"
import { Button, Checkbox, Grid, NativeSelect, NumberInput, TextInput, Title } from "@mantine/core"
import { useQueryClient } from "@tanstack/react-query"
import type { FormEvent } from "react"
import { ask } from "../../api/call.ts"
import type { Data } from "../../../src/api/Calls.ts"
import { useHasRight, useMay } from "../../app/useSession.ts"
import { Problem, sentencesOf } from "../../parts/Problem.tsx"
import { useAct } from "../../parts/useAct.ts"
import { useZone } from "../../parts/zone.ts"
import { type Chosen, namesIn, selectorOf } from "./selection.ts"
import { useDraft } from "../../app/useDraft.ts"

interface Props {
  readonly job: Data<"GET /job/:id">["jobs"][number]
  readonly chosen: Chosen
  /** `100 switches in South`. */
  readonly what: string
  readonly pushed: () => void
}

interface Wishes {
  readonly canary: string
  readonly batch_size: string
  readonly max_failures: string
  readonly confirm_mode: string
  readonly ticket_ref: string
  readonly comment: string
  readonly emergency: string
  readonly skip_checks: string
  readonly start_at: string
  readonly urgent: boolean
  readonly revert_on_failure: boolean
  readonly wait_for_window: boolean
  readonly confirm_older: boolean
}

const NONE: Wishes = {
  canary: "",
  batch_size: "",
  max_failures: "",
  confirm_mode: "",
  ticket_ref: "",
  comment: "",
  emergency: "",
  skip_checks: "",
  start_at: "",
  urgent: false,
  revert_on_failure: false,
  wait_for_window: false,
  confirm_older: false
}

const isWishes = (value: unknown): value is Wishes =>
  typeof value === "object" &&
  value !== null &&
  Object.entries(NONE).every(([key, none]) => typeof Reflect.get(value, key) === typeof none)

const MODES = [
  { value: "", label: "Server default" },
  ...([1, 2, 0] as const).map((mode) => ({ value: String(mode), label: modeWords[mode].text }))
]

const NUMBERS: ReadonlySet<string> = new Set(["batch_size", "max_failures", "confirm_mode"])

/** A value of the form, as the API expects it: the canary is a number or names, and a time has a zone. */
const sentOf = (key: string, value: string | boolean, { timeZone }: Zone): unknown => {
  if (typeof value === "boolean") return value
  if (key === "skip_checks") return { reason: value }
  if (key === "canary") return /^\d+$/.test(value.trim()) ? Number(value) : namesIn(value)
  if (key === "start_at") return timeZone === "UTC" ? `${value}:00Z` : `${new Date(value).toISOString().slice(0, 19)}Z`
  return NUMBERS.has(key) ? Number(value) : value
}

/** The chosen options, as the API expects them. */
const bodyOf = (wishes: Wishes, zone: Zone) =>
  Object.fromEntries(
    Object.entries(wishes).flatMap(([key, value]: [string, string | boolean]) =>
      value === "" || value === false ? [] : [[key, sentOf(key, value, zone)]]
    )
  )

/** The options of the dry run apply to the push as well, so that the push matches what was shown. */
const alsoIn = (given: Readonly<Record<string, unknown>> | null) =>
  Object.fromEntries(["force", "resync"].filter((key) => given?.[key] === true).map((key) => [key, true]))

export const Push = ({ chosen, job, pushed, what }: Props) => {
  const may = useMay()
  const hasRight = useHasRight()
  const client = useQueryClient()
  const [wishes, setWishes, forgetWishes] = useDraft<Wishes>(
    `push of ${job.id}`,
    { ...NONE, comment: job.comment ?? "", ticket_ref: job.ticket_ref ?? "" },
    isWishes
  )
  const { busy, error, run } = useAct()
  const zone = useZone()
  const set = (key: keyof Wishes) => (value: string | number | boolean) =>
    setWishes({ ...wishes, [key]: typeof value === "boolean" ? value : String(value) })
  const push = (event: FormEvent) => {
    event.preventDefault()
    void run(async () => {
      const body = {
        ...selectorOf(chosen),
        ...alsoIn(job.start_arguments),
        ...bodyOf(wishes, zone),
        dry_run: false,
        dry_run_job: job.id
      }
      await ask("POST /device_syncto", { body })
      forgetWishes()
      await client.invalidateQueries()
      pushed()
    })
  }
  if (!may("POST", "/device_syncto")) return null
  return (
    <form onSubmit={push} aria-label="Rollout" className="review-card review-card-body">
      <Title order={2} mb="xs">
        How it rolls out to {what}
      </Title>
      <Grid gap="xs">
        <Grid.Col span={{ base: 6, sm: 4 }}>
          <TextInput
            label="First switches"
            placeholder="2, or names"
            value={wishes.canary}
            onChange={(event) => set("canary")(event.currentTarget.value)}
          />
        </Grid.Col>
        <Grid.Col span={{ base: 6, sm: 4 }}>
          <NumberInput
            label="Switches per stage"
            min={1}
            allowDecimal={false}
            value={wishes.batch_size}
            onChange={set("batch_size")}
          />
        </Grid.Col>
        <Grid.Col span={{ base: 6, sm: 4 }}>
          <NumberInput
            label="Stop at failures"
            min={1}
            allowDecimal={false}
            value={wishes.max_failures}
            onChange={set("max_failures")}
          />
        </Grid.Col>
        <Grid.Col span={{ base: 12, sm: 4 }}>
          <NativeSelect
            label="Safety timer"
            data={MODES}
            value={wishes.confirm_mode}
            onChange={(event) => set("confirm_mode")(event.currentTarget.value)}
          />
        </Grid.Col>
        <Grid.Col span={{ base: 6, sm: 4 }}>
          <TextInput
            label="Ticket"
            maxLength={32}
            value={wishes.ticket_ref}
            onChange={(event) => set("ticket_ref")(event.currentTarget.value)}
          />
        </Grid.Col>
        <Grid.Col span={{ base: 6, sm: 4 }}>
          <TextInput
            label="What is this for?"
            maxLength={255}
            value={wishes.comment}
            onChange={(event) => set("comment")(event.currentTarget.value)}
          />
        </Grid.Col>
        <Grid.Col span={{ base: 12, sm: 4 }}>
          <Checkbox
            label="Wait for the maintenance window"
            checked={wishes.wait_for_window}
            onChange={(event) => set("wait_for_window")(event.currentTarget.checked)}
          />
        </Grid.Col>
        <Grid.Col span={{ base: 12, sm: 4 }}>
          <TextInput
            type="datetime-local"
            label={zone.timeZone === "UTC" ? "Start at (UTC)" : "Start at"}
            value={wishes.start_at}
            onChange={(event) => set("start_at")(event.currentTarget.value)}
          />
        </Grid.Col>
        <Grid.Col span={{ base: 12, sm: 4 }}>
          <Checkbox
            label="Take back the whole stage when a switch fails"
            checked={wishes.revert_on_failure}
            disabled={wishes.urgent}
            onChange={(event) => set("revert_on_failure")(event.currentTarget.checked)}
          />
        </Grid.Col>
        {chosen.way === "hostnames" && (
          <Grid.Col span={{ base: 12, sm: 4 }}>
            <Checkbox
              label="Urgent: beside a rollout that is running"
              checked={wishes.urgent}
              disabled={wishes.revert_on_failure || wishes.confirm_mode === "2"}
              onChange={(event) => set("urgent")(event.currentTarget.checked)}
            />
          </Grid.Col>
        )}
        <Grid.Col span={{ base: 12, sm: 8 }}>
          <TextInput
            label="Roll out now, as an emergency (reason)"
            value={wishes.emergency}
            onChange={(event) => set("emergency")(event.currentTarget.value)}
          />
        </Grid.Col>
        {hasRight("skip_checks", "POST", "/device_syncto") && (
          <Grid.Col span={{ base: 12, sm: 8 }}>
            <TextInput
              label="Roll out without checks (reason)"
              maxLength={255}
              value={wishes.skip_checks}
              onChange={(event) => set("skip_checks")(event.currentTarget.value)}
            />
          </Grid.Col>
        )}
      </Grid>
      {(wishes.confirm_older || sentencesOf(error).some((sentence) => sentence.includes("confirm_older"))) && (
        <Checkbox
          mt="xs"
          label="Roll out commits that came with a restored backup, although nothing was fetched since"
          checked={wishes.confirm_older}
          onChange={(event) => set("confirm_older")(event.currentTarget.checked)}
        />
      )}
      {error !== null && <Problem error={error} title="Nothing was rolled out" />}
      <Button type="submit" mt="sm" loading={busy}>
        Roll out exactly this
      </Button>
    </form>
  )
}
