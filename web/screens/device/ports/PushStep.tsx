/** Where a push of ports is, where it was started: its result, or the question whether more may be pushed. */
import { Alert, Button, Group, Text } from "@mantine/core"
import { DiffView } from "../../../parts/DiffView.tsx"
import { PlainLink } from "../../../parts/PlainLink.tsx"
import type { Step } from "./push.ts"

const WORK = {
  saving: "Saving…",
  previewing: "Saved. Comparing with what the switch runs…",
  pushing: "Pushing. The switch goes back by itself if the change cannot be checked…"
} as const

interface Props {
  readonly step: Step
  /** The switch, or how many. */
  readonly where: string
  readonly isSeveral?: boolean
  /** The port, or how many. */
  readonly what: string
  /** Pushes exactly what a preview has shown. */
  readonly push: (job: number) => void
  readonly leave: () => void
}

const Job = ({ id }: { readonly id: number }) => <PlainLink to={`/job/${id}`}>Job {id}</PlainLink>

export const PushStep = ({ isSeveral = false, leave, push, step, what, where }: Props) => {
  if (step.is === "waiting")
    return (
      <Alert role="status" variant="outline" title="Saved. Another person must approve the push">
        <Job id={step.job} /> begins when it is approved.
      </Alert>
    )
  if (step.is === "ended")
    return step.isDone ? (
      <Text role="status" fw={500}>
        {where} {isSeveral ? "run" : "runs"} the change of {what}. <Job id={step.job} />
      </Text>
    ) : (
      <Alert role="alert" variant="outline" color="red" className="problem" title="Saved, but not pushed">
        <Job id={step.job} /> says why. What was not confirmed keeps its former configuration.
      </Alert>
    )
  if (step.is === "more")
    return (
      <section aria-label="More would be pushed">
        <Text fw={500}>
          Saved. {where} {isSeveral ? "have" : "has"} other changes that were not pushed yet; a push takes all of these
          lines:
        </Text>
        <DiffView diff={step.diff} label={`All that would change on ${where}`} maxHeight={260} />
        <Group gap="xs" mt="xs">
          <Button onClick={() => push(step.job)}>Push all of it</Button>
          <Button variant="default" onClick={leave}>
            Leave it saved
          </Button>
        </Group>
      </section>
    )
  return <Text role="status">{WORK[step.is]}</Text>
}
