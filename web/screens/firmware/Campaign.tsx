/** One upgrade as a rollout: how far, who restarts when, what failed and why, every switch, and what can be done. */
import { Button, Text, TextInput } from "@mantine/core"
import { IconPlayerPause, IconPlayerPlay, IconPlayerStop, IconRefresh } from "@tabler/icons-react"
import { useRouter } from "@tanstack/react-router"
import { useState } from "react"
import type { Data } from "../../../src/api/Calls.ts"
import { jobWord, upgradeStepWords, upgradeWords } from "../../../src/domain/words/JobWords.ts"
import { switches } from "../../../src/domain/words/Units.ts"
import { request } from "../../api/call.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useMay } from "../../app/useSession.ts"
import { Asked } from "../../parts/Asked.tsx"
import { Confirm } from "../../parts/Confirm.tsx"
import { DeviceGrid } from "../../parts/DeviceGrid.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { FailureGroup } from "../../parts/FailureGroup.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { SmallTable } from "../../parts/SmallTable.tsx"
import { StackedBar } from "../../parts/StackedBar.tsx"
import { StatusBadge } from "../../parts/StatusBadge.tsx"
import { StatusWord, ToneIcon } from "../../parts/StatusWord.tsx"
import { When } from "../../parts/When.tsx"
import {
  type Campaign as CampaignData,
  cellOf,
  groupsOf,
  hasEnded,
  orderSentences,
  partsOf,
  standingOf,
  timeLeft,
  type UpgradedSwitch
} from "./rollout.ts"
import "../job/job.css"

type Job = Data<"GET /job/:id">["jobs"][number]

/** Milliseconds between two readings of an upgrade that runs. */
const EVERY = 5000
const ICON = { size: 16, stroke: 1.75 } as const

interface Props {
  readonly job: Job
  readonly campaign: CampaignData
}

const countOf = ({ devices }: CampaignData, ...states: ReadonlyArray<UpgradedSwitch["state"]>): number =>
  devices.filter(({ state }) => states.includes(state)).length

const Line = ({ children, count }: { readonly count: number; readonly children: string }) =>
  count === 0 ? null : (
    <li>
      <b>{switches(count)}</b> {children}
    </li>
  )

const Effects = ({ campaign, isStop }: { readonly campaign: CampaignData; readonly isStop: boolean }) => (
  <ul className="effects">
    <Line count={countOf(campaign, "waiting")}>
      {isStop ? "are not begun and keep their version." : "wait until somebody resumes it."}
    </Line>
    <Line count={countOf(campaign, "working")}>
      {isStop
        ? "end the step that runs and begin no further one. An image that is activated already runs after the next restart."
        : "go on to their end, the restart included."}
    </Line>
    <Line count={countOf(campaign, "returning")}>
      {isStop
        ? "restart now and run the new version when they are back. They are not checked again."
        : "restart now and are checked when they are back."}
    </Line>
    <Line count={countOf(campaign, "done")}>are done and keep the new version.</Line>
  </ul>
)

const useReason = () => {
  const [reason, setReason] = useState("")
  const field = <TextInput label="Reason" value={reason} onChange={(event) => setReason(event.currentTarget.value)} />
  return { reason, field }
}

const Stop = ({ campaign, job: { id, status } }: Props) => {
  const { field, reason } = useReason()
  return (
    <Confirm
      label="Stop…"
      question="Stop this upgrade?"
      verb="Stop upgrade"
      keep="Keep going"
      danger
      icon={<IconPlayerStop {...ICON} />}
      act={() => request("PUT /job/:id", { params: { id }, body: { action: "ABORT", abort_reason: reason } })}
    >
      {status === "SCHEDULED" || campaign.devices.length === 0 ? (
        <Text>It has not begun: nothing happens to any switch.</Text>
      ) : (
        <Effects campaign={campaign} isStop />
      )}
      {field}
    </Confirm>
  )
}

const Pause = ({ campaign, job: { id } }: Props) => {
  const { field, reason } = useReason()
  return (
    <Confirm
      label="Pause"
      question="Pause this upgrade?"
      verb="Pause"
      icon={<IconPlayerPause {...ICON} />}
      act={() => request("PUT /job/:id", { params: { id }, body: { action: "PAUSE", pause_reason: reason } })}
    >
      <Effects campaign={campaign} isStop={false} />
      {field}
    </Confirm>
  )
}

const Resume = ({ campaign, job: { id } }: Props) => (
  <Confirm
    label="Resume"
    question="Resume this upgrade?"
    verb="Resume"
    icon={<IconPlayerPlay {...ICON} />}
    act={() => request("PUT /job/:id", { params: { id }, body: { action: "RESUME" } })}
  >
    <Text>It goes on with {switches(countOf(campaign, "waiting"))} that it has not begun.</Text>
  </Confirm>
)

/** Leads to the form of an upgrade of these switches, with the same image and the same source. */
const TryAgain = ({
  job,
  label,
  names
}: {
  readonly job: Job
  readonly names: ReadonlyArray<string>
  readonly label: string
}) => {
  const router = useRouter()
  const given = job.start_arguments
  const textIn = (key: string): string => {
    const value = given?.[key]
    return typeof value === "string" ? value : ""
  }
  const words = new URLSearchParams({ tab: "upgrade", hostnames: names.join(","), filename: textIn("filename") })
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconRefresh size={14} stroke={1.75} />}
      onClick={() => router.history.push(`/ui/firmware?${words.toString()}`)}
    >
      {label}
    </Button>
  )
}

const Actions = (props: Props) => {
  const { campaign, job } = props
  const may = useMay()
  const isOver = job.finish_time !== null
  const mayAct = may("PUT", `/job/${job.id}`)
  const isPaused = job.waiting_for?.reason === "pause"
  const rest = campaign.devices
    .filter(({ state }) => state === "not_begun" || state === "stopped")
    .map(({ hostname }) => hostname)
  return (
    <div className="campaign-actions">
      {mayAct && job.status === "RUNNING" && (isPaused ? <Resume {...props} /> : <Pause {...props} />)}
      {mayAct && !isOver && job.status !== "ABORTING" && <Stop {...props} />}
      {isOver && rest.length > 0 && may("POST", "/firmware/upgrade") && (
        <TryAgain job={job} names={rest} label={`Go on with the ${rest.length} not begun`} />
      )}
    </div>
  )
}

const Progress = ({ campaign, job }: Props) => {
  const { devices, steps } = campaign
  const groups = groupsOf(devices)
  const done = countOf(campaign, "done")
  const left = job.finish_time === null ? timeLeft(campaign) : undefined
  return (
    <section className="card" aria-label="Progress">
      <div className="card-body">
        <div className="progress-line" role="status" aria-label="How far the upgrade is">
          <span>
            <b className="figure">{done}</b> of {switches(devices.length)} done
            {devices.some(({ state }) => state === "failed") ? `, ${countOf(campaign, "failed")} failed` : ""}
          </span>
          <span>{left ?? ""}</span>
        </div>
        <StackedBar label="Switches of the upgrade" parts={partsOf(devices)} />
        {steps.includes("reboot") &&
          job.finish_time === null &&
          orderSentences(groups.length, devices.length, campaign.restart_seconds).map((sentence) => (
            <p key={sentence} className="calm">
              {sentence}
            </p>
          ))}
        <p className="calm">Each switch: {steps.map((step) => upgradeStepWords[step].text).join(" → ")}</p>
      </div>
      {groups.length > 1 && (
        <ol className="stages" aria-label="Order of restarts">
          {groups.map(({ devices: here, number }) => {
            const { note, said, tone } = standingOf(number, here)
            return (
              <li key={number} data-tone={tone}>
                <span className="stage-mark">
                  <ToneIcon tone={tone} size={14} />
                </span>
                <b>Step {number}</b>
                <span className="stage-count">{said}</span>
                <span className="stage-note">{note}</span>
              </li>
            )
          })}
        </ol>
      )}
    </section>
  )
}

const Failures = ({ campaign, job }: Props) => {
  const may = useMay()
  const asked = useAsk("GET /job/:id/progress", { params: { id: job.id } }, { kinds: ["firmware", "job"] })
  const failures = asked.data?.answer.data.failures ?? []
  if (failures.length === 0)
    return job.finish_time === null && countOf(campaign, "failed") === 0 ? (
      <p className="calm">Nothing failed so far.</p>
    ) : null
  const mayRetry = job.finish_time !== null && may("POST", "/firmware/upgrade")
  return (
    <section className="card" aria-labelledby="upgrade-failed">
      <header className="card-head">
        <h2 id="upgrade-failed">What failed</h2>
        <span>
          {countOf(campaign, "failed")} of {switches(campaign.devices.length)}, {failures.length}{" "}
          {failures.length === 1 ? "reason" : "reasons"}
        </span>
      </header>
      {failures.map((group) => (
        <FailureGroup
          key={`${group.class} ${group.step} ${group.devices[0]}`}
          group={group}
          actions={
            mayRetry ? <TryAgain job={job} names={group.devices} label={`Try ${group.count} again`} /> : undefined
          }
        />
      ))}
    </section>
  )
}

const version = ({ version: now, version_before: before }: UpgradedSwitch): string =>
  before !== null && now !== null && before !== now ? `${before} → ${now}` : (now ?? before ?? "")

const rank = (device: UpgradedSwitch): number => (device.state === "failed" ? 0 : hasEnded(device) ? 2 : 1)

const Every = ({ campaign: { devices, steps } }: Pick<Props, "campaign">) => (
  <section className="card" aria-labelledby="upgrade-every">
    <header className="card-head">
      <h2 id="upgrade-every">Every switch</h2>
    </header>
    <div className="card-body">
      <DeviceGrid
        label={switches(devices.length)}
        rows={groupsOf(devices).map(({ devices: here, number }) => ({
          key: String(number),
          label: `Step ${number}`,
          devices: here.map(cellOf)
        }))}
      />
      <SmallTable
        label="Devices of the upgrade"
        heads={["Switch", "Step", "State", "Now", "Done", "Version"]}
        rows={devices.toSorted((one, other) => rank(one) - rank(other))}
        keyOf={({ hostname }) => hostname}
        cells={(device) => [
          <PlainLink to={`/device/${encodeURIComponent(device.hostname)}`}>{device.hostname}</PlainLink>,
          device.group === 0 ? "" : device.group,
          <StatusWord of={upgradeWords} value={device.state} />,
          device.step === null ? "" : upgradeStepWords[device.step].text,
          `${device.steps_done.length} of ${steps.length}`,
          version(device)
        ]}
      />
    </div>
  </section>
)

const Shown = ({ campaign, job }: Props) => {
  const word = jobWord(job)
  const { abort_reason, aborted_by, waiting_for } = job
  const file = job.start_arguments?.["filename"]
  return (
    <>
      <header className="campaign-head">
        <h2>
          Upgrade <PlainLink to={`/job/${job.id}`}>{job.id}</PlainLink>
          {typeof file === "string" ? ` to ${file}` : ""}
        </h2>
        <StatusBadge tone={word.tone}>{word.text}</StatusBadge>
        <Actions campaign={campaign} job={job} />
      </header>
      <p className="calm">
        Asked for by {job.scheduled_by ?? "the server"}, began <When at={job.start_time} never="not yet" />
        {job.finish_time !== null && (
          <>
            , ended <When at={job.finish_time} />
          </>
        )}
        . {waiting_for?.message ?? ""}
        {abort_reason === null ? "" : ` Stopped by ${aborted_by ?? "the server"}: ${abort_reason}`}
      </p>
      {job.exception !== null && <Text>{job.exception.message}</Text>}
      {campaign.devices.length === 0 ? (
        <Empty>Its switches are chosen when it begins.</Empty>
      ) : (
        <div className="campaign">
          <Progress campaign={campaign} job={job} />
          <Failures campaign={campaign} job={job} />
          <Every campaign={campaign} />
        </div>
      )}
    </>
  )
}

export const Campaign = ({ id }: { readonly id: string }) => {
  const kinds = ["firmware", "job", "device"]
  const [isRunning, setRunning] = useState(true)
  const every = isRunning ? { every: EVERY } : {}
  const job = useAsk("GET /job/:id", { params: { id } }, { kinds: ["job"], ...every })
  const campaign = useAsk("GET /job/:id/upgrade", { params: { id } }, { kinds, ...every })
  const [known] = job.data?.answer.data.jobs ?? []
  const runs = known === undefined || known.finish_time === null
  if (runs !== isRunning) setRunning(runs)
  return (
    <section aria-label={`Upgrade ${id}`}>
      <Asked of={campaign} what="the upgrade">
        {({ data }) => (known === undefined ? null : <Shown campaign={data} job={known} />)}
      </Asked>
    </section>
  )
}
