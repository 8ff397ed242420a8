/** What failed, in groups by cause, and the switches that do not answer at the moment. */
import { Button } from "@mantine/core"
import { IconRefresh } from "@tabler/icons-react"
import { useRouter } from "@tanstack/react-router"
import { switches } from "../../../src/domain/words/Units.ts"
import { useMay } from "../../app/useSession.ts"
import { Countdown } from "../../parts/Countdown.tsx"
import { FailureGroup } from "../../parts/FailureGroup.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { When } from "../../parts/When.tsx"
import type { JobRecord } from "./Job.tsx"
import { isSync } from "./jobKind.ts"
import type { ShownDevice, ShownProgress } from "./useProgress.ts"

/** So many silent switches are named. */
const NAMED = 20

/** Leads to a new change of these switches. */
export const RetryButton = ({
  devices,
  label,
  size = "xs"
}: {
  readonly devices: ReadonlyArray<string>
  readonly label: string
  readonly size?: "xs" | "sm"
}) => {
  const router = useRouter()
  return (
    <Button
      size={size}
      variant="default"
      leftSection={<IconRefresh size={14} stroke={1.75} />}
      onClick={() => router.history.push(`/ui/change?hostnames=${encodeURIComponent(devices.join(","))}`)}
    >
      {label}
    </Button>
  )
}

const Silent = ({ device: { certain_until, hostname, silent_since } }: { readonly device: ShownDevice }) => (
  <li>
    <PlainLink to={`/device/${encodeURIComponent(hostname)}`}>{hostname}</PlainLink> does not answer: its last answer
    was <When at={silent_since} />
    {certain_until === null ? (
      ". It has no timer that takes the change back: look at it."
    ) : (
      <>
        . If it stays silent, it has certainly gone back in <Countdown until={certain_until} over="a moment" />.
      </>
    )}
  </li>
)

/** Switches that do not answer after their commit: since when, and when their end is certain. */
export const NotAnswering = ({ silent }: { readonly silent: ReadonlyArray<ShownDevice> }) =>
  silent.length === 0 ? null : (
    <section className="card" aria-labelledby="silent-head">
      <header className="card-head">
        <h2 id="silent-head">Not answering</h2>
        <span>{switches(silent.length)}</span>
      </header>
      <ul className="silent">
        {silent.slice(0, NAMED).map((device) => (
          <Silent key={device.hostname} device={device} />
        ))}
        {silent.length > NAMED && <li>and {silent.length - NAMED} more</li>}
      </ul>
    </section>
  )

interface Props {
  readonly job: JobRecord
  readonly progress: ShownProgress
}

export const Failures = ({ job, progress: { failures, isKnown, silent, totals } }: Props) => {
  const may = useMay()
  if (!isKnown || totals.devices === 0) return null
  const hasEnded = job.finish_time !== null
  if (failures.length === 0)
    return hasEnded || silent.length > 0 ? null : <p className="calm">Nothing failed so far.</p>
  const mayRetry = hasEnded && isSync(job) && may("POST", "/device_syncto")
  const all = failures.flatMap(({ devices }) => devices)
  return (
    <section className="card" aria-labelledby="failed-head">
      <header className="card-head">
        <h2 id="failed-head">What failed</h2>
        <span>
          {totals.failed} of {switches(totals.devices)}, {failures.length}{" "}
          {failures.length === 1 ? "reason" : "reasons"}
        </span>
        {mayRetry && failures.length > 1 && <RetryButton devices={all} label={`Retry all ${all.length}`} />}
      </header>
      {failures.map((group) => (
        <FailureGroup
          key={`${group.class} ${group.step} ${group.devices[0]}`}
          group={group}
          actions={mayRetry ? <RetryButton devices={group.devices} label={`Retry ${group.count}`} /> : undefined}
        />
      ))}
    </section>
  )
}
