/**
 * A change at one address, from its preview to its end: what would change, what was checked, who approved, how it rolls out, and how it went.
 * The number in the address is that of the preview; a rollout that has one leads to it. The push carries out exactly what was shown.
 */
import { Alert, Button, Tabs } from "@mantine/core"
import { IconArrowRight } from "@tabler/icons-react"
import { useRouter } from "@tanstack/react-router"
import { useEffect } from "react"
import { Signer } from "../../parts/SignedBy.tsx"
import type { Data } from "../../../src/api/Calls.ts"
import { foldNames } from "../../../src/domain/NameRanges.ts"
import { jobWord } from "../../../src/domain/words/JobWords.ts"
import { counted } from "../../../src/domain/words/Units.ts"
import { useAsk } from "../../api/useAsk.ts"
import { usePart, useWords } from "../../app/useAddress.ts"
import { useMay } from "../../app/useSession.ts"
import { Asked } from "../../parts/Asked.tsx"
import { ApproveButton, RejectButton, TakeBackButton } from "../../parts/Decide.tsx"
import { CheckGroups, type JobChecks, SkippedChecks } from "../../parts/Checks.tsx"
import { PageHead } from "../../parts/PageHead.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { Skeleton } from "../../parts/Skeleton.tsx"
import { StatusBadge } from "../../parts/StatusBadge.tsx"
import { When } from "../../parts/When.tsx"
import { useZone } from "../../parts/zone.ts"
import { changingOf, oneOf, type Scope, scopeSentence } from "./about.ts"
import { type Check, checksOf } from "./checks.ts"
import { Differences } from "./Differences.tsx"
import { PreviewAgain } from "./PreviewAgain.tsx"
import { Push } from "./Push.tsx"
import { ReportItems, useReport } from "./Report.tsx"
import { chosenBy, sentenceOf } from "./selection.ts"
import { CheckList, PlanCard, Side } from "./Side.tsx"
import { Switches } from "./Switches.tsx"
import "./change.css"

type JobRecord = Data<"GET /job/:id">["jobs"][number]
type Diffs = Data<"GET /job/:id/diffs">

const LIVE = ["job", "change", "approval"]

/** The rollouts of a preview, the newest first; undefined until they are known. */
const usePushes = (preview: number): ReadonlyArray<JobRecord> | undefined => {
  const query = { "filter[dry_run_job]": preview, sort: "-id", per_page: 5, filter_jobresult: "config,diff" }
  return useAsk("GET /jobs", { query }, { kinds: LIVE }).data?.answer.data.jobs
}

/** Whether it may be rolled out: no rollout of it is under way, and none has succeeded. */
const mayBePushed = (pushes: ReadonlyArray<JobRecord>): boolean =>
  pushes.every(({ outcome }) => outcome !== null && outcome !== "success")

const isPreview = ({ function_name }: JobRecord): boolean => function_name.endsWith(" (dry_run)")

const previewOf = ({ start_arguments }: JobRecord): number | null => {
  const id = start_arguments?.["dry_run_job"]
  return typeof id === "number" ? id : null
}

/** Notes on the preview as a whole. */
const remarksOf = (result: unknown): ReadonlyArray<string> => {
  const remarks: unknown = typeof result === "object" && result !== null && "remarks" in result ? result.remarks : []
  return Array.isArray(remarks) ? remarks.filter((remark) => typeof remark === "string") : []
}

interface Known {
  readonly job: JobRecord
  readonly push: JobRecord | undefined
  readonly pushes: ReadonlyArray<JobRecord>
  readonly diffs: Diffs
  readonly scope: Scope
  readonly checks: ReadonlyArray<Check>
  readonly devices: Data<"GET /job/:id/progress">["devices"]
  /** Of the newest rollout, or of the preview before it. */
  readonly ofNetwork: JobChecks
}

const Standing = ({ diffs, push, scope }: Pick<Known, "diffs" | "push" | "scope">) => {
  if (push !== undefined) return <StatusBadge word={jobWord(push)} raw={push.status} />
  if (diffs.changed === 0 && diffs.failed === 0) return <StatusBadge tone="good">Nothing differs</StatusBadge>
  if (scope.outdated.length > 0) return <StatusBadge tone="warn">Outdated</StatusBadge>
  return <StatusBadge tone="quiet">Previewed</StatusBadge>
}

const Facts = ({ job, push, scope }: Pick<Known, "job" | "push" | "scope">) => {
  const { comment, scheduled_by, ticket_ref } = push ?? job
  const { settings_commit, settings_signature } = push?.settings_commit == null ? job : push
  return (
    <>
      <b>{scheduled_by ?? "The server"}</b> {push === undefined ? "looked at" : "wants to change"}{" "}
      {scopeSentence(push === undefined ? scope.devices : changingOf(scope), scope)}
      {settings_commit !== null && (
        <>
          , from settings <code>{settings_commit.slice(0, 7)}</code>
          <Signer signature={settings_signature} />
        </>
      )}
      {ticket_ref !== null && ` · ${ticket_ref}`}
      {comment !== null && comment !== "" && ` · “${comment}”`} · previewed <When at={job.finish_time} />
    </>
  )
}

/** The actions of whoever may act now. */
const useActions = ({ diffs, push, pushes, scope }: Known, isPlanShown: boolean, openPlan: () => void) => {
  const may = useMay()
  const { approval } = scope
  const what = scopeSentence(changingOf(scope), scope)
  if (approval !== null && approval.decision === null && push?.outcome === null) {
    if (approval.is_yours) return { actions: <TakeBackButton id={approval.job_id} /> }
    if (!approval.may_decide) return {}
    return {
      actions: <RejectButton scope={scope} what={what} />,
      main: <ApproveButton scope={scope} what={what} />
    }
  }
  if (push !== undefined && push.outcome === null) {
    return { actions: <PlainLink to={`/job/${push.id}`}>Open the rollout</PlainLink> }
  }
  if (isPlanShown || !mayBePushed(pushes) || diffs.changed === 0 || !may("POST", "/device_syncto")) return {}
  return {
    main: (
      <Button onClick={openPlan} rightSection={<IconArrowRight size={15} stroke={1.75} />}>
        Roll out…
      </Button>
    )
  }
}

/** A rollout that still waits is told by the head of the screen. */
const hasBegun = ({ outcome, start_time }: JobRecord): boolean => start_time !== null || outcome !== null

/** How far the newest rollout is, and the earlier ones. */
const Rollouts = ({ pushes }: { readonly pushes: ReadonlyArray<JobRecord> }) => (
  <section aria-label="Rollouts of this">
    {pushes.filter(hasBegun).map((push) => {
      const { abort_reason, counts, id, outcome, scheduled_by, scheduled_time, start_time } = push
      return (
        <p key={id} className="review-push">
          <StatusBadge word={jobWord(push)} raw={push.status} />
          <span>
            <PlainLink to={`/job/${id}`}>Rollout {id}</PlainLink> by {scheduled_by ?? "the server"},{" "}
            <When at={start_time ?? scheduled_time} />
            {counts !== null && counts.devices > 0 && `: ${counts.succeeded} of ${counts.devices} done`}
            {counts !== null && counts.failed > 0 && `, ${counts.failed} failed`}
            {outcome === "aborted" && abort_reason !== null && `. ${abort_reason}`}
          </span>
        </p>
      )
    })}
  </section>
)

const Outdated = ({ job, names }: { readonly job: JobRecord; readonly names: ReadonlyArray<string> }) => (
  <Alert color="yellow" variant="light" role="alert" className="review-outdated">
    {foldNames(names, 3)} changed since the preview. <PreviewAgain job={job} />
  </Alert>
)

const Whole = (known: Known) => {
  const { checks, devices, diffs, job, ofNetwork, push, pushes, scope } = known
  const [words, change] = useWords()
  const address = `/change/${job.id}`
  const tab = words["tab"] ?? "differences"
  const { actions, main } = useActions(known, tab === "plan", () => change({ tab: "plan" }))
  const { approval } = scope
  const report = useReport(job.id)
  const mayKeep = useMay()("GET", `/changes/${job.id}/report`)
  const mayPush = mayBePushed(pushes)
  const isOutdated = scope.outdated.length > 0 && (push === undefined || push.start_time === null)
  return (
    <>
      <PageHead
        title={push?.comment || job.comment || `Change of ${sentenceOf(chosenBy(job.start_arguments))}`}
        crumbs={[{ label: "Changes", to: "/change" }]}
        badges={
          <>
            <span className="review-number">#{job.id}</span>
            <Standing diffs={diffs} push={push} scope={scope} />
          </>
        }
        facts={<Facts job={job} push={push} scope={scope} />}
        actions={actions}
        main={main}
        more={mayKeep ? <ReportItems keep={(format) => void report.keep(format)} /> : undefined}
      />
      {report.error !== null && <Problem error={report.error} title="The report was not made" />}
      {approval?.decision === null && approval.is_yours && push?.outcome === null && (
        <Alert color="blue" variant="light" role="status" mb="sm">
          You asked for this; {oneOf(approval.approvers)} decides.
        </Alert>
      )}
      {isOutdated && <Outdated job={job} names={scope.outdated} />}
      <SkippedChecks skipped={ofNetwork.skipped} />
      <Rollouts pushes={pushes} />
      <Tabs
        value={tab}
        onChange={(next) => change({ tab: next === "differences" ? undefined : (next ?? undefined) })}
        keepMounted={false}
        activateTabWithKeyboard={false}
      >
        <Tabs.List aria-label="Parts of the change" mb="md">
          {[
            { value: "differences", label: "Differences", count: diffs.groups.length },
            { value: "switches", label: "Switches", count: devices.length },
            { value: "checks", label: "Checks", count: checks.length + ofNetwork.checks.length },
            { value: "plan", label: "Rollout plan", count: null }
          ].map(({ count, label, value }) => (
            <Tabs.Tab key={value} value={value}>
              {label}
              {count !== null && <span className="review-count">{count}</span>}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="differences">
          <div className="review">
            <Differences
              job={job.id}
              diffs={diffs}
              scope={scope}
              remarks={remarksOf(job.result)}
              words={words}
              change={change}
            />
            <Side address={address} checks={checks} scope={scope} />
          </div>
        </Tabs.Panel>
        <Tabs.Panel value="switches">
          <Switches devices={devices} outdated={scope.outdated} />
        </Tabs.Panel>
        <Tabs.Panel value="checks" className="review-checked">
          <div className="review-card review-card-body review-narrow">
            <CheckList checks={checks} />
          </div>
          {ofNetwork.checks.length > 0 && (
            <section className="review-card" aria-label="Checks of the network">
              <header className="review-card-head">
                <h2>Checks of the network</h2>
              </header>
              <CheckGroups checks={ofNetwork.checks} />
            </section>
          )}
        </Tabs.Panel>
        <Tabs.Panel value="plan">
          <div className="review-narrow">
            {scope.rollout !== null && (
              <div className="review-card review-card-body">
                <PlanCard plan={scope.rollout} />
              </div>
            )}
            {mayPush && diffs.changed > 0 && (
              <Push
                job={job}
                chosen={chosenBy(job.start_arguments)}
                what={scopeSentence(diffs.changed, scope)}
                pushed={() => change({ tab: undefined })}
              />
            )}
            {mayPush && diffs.changed === 0 && <p>Nothing differs, so there is nothing to roll out.</p>}
          </div>
        </Tabs.Panel>
      </Tabs>
    </>
  )
}

const NO_CHECKS: JobChecks = { checks: [], skipped: null }

/** The checks that a rollout has made so far; before it has any, those that its preview has found, unless it leaves them out. */
const networkChecks = (planned: JobChecks = NO_CHECKS, made: JobChecks = NO_CHECKS): JobChecks => ({
  checks: made.checks.length > 0 || made.skipped !== null ? made.checks : planned.checks,
  skipped: made.skipped
})

/** Reads what a finished preview, or a rollout without one, is about. */
const Finished = ({ job }: { readonly job: JobRecord }) => {
  const [words] = useWords()
  const zone = useZone()
  const params = { id: job.id }
  const found = usePushes(job.id)
  const pushes = isPreview(job) ? found : [job]
  const push = pushes?.[0]
  const diffs = useAsk(
    "GET /job/:id/diffs",
    { params, query: { search: words["search"] ?? "" } },
    { keep: true, kinds: isPreview(job) ? [] : LIVE }
  )
  const scope = useAsk(
    "GET /job/:id/scope",
    { params: { id: push?.id ?? job.id } },
    { enabled: pushes !== undefined, keep: true, kinds: ["job", "approval", "sync", "interface", "drift"] }
  )
  const progress = useAsk("GET /job/:id/progress", { params })
  const planned = useAsk("GET /job/:id/checks", { params })
  const made = useAsk(
    "GET /job/:id/checks",
    { params: { id: push?.id ?? job.id } },
    { enabled: push !== undefined, keep: true, kinds: LIVE }
  )
  return (
    <Asked of={diffs} what="the differences">
      {({ data }) => (
        <Asked of={scope} what="what it is about">
          {({ data: about }) => {
            const { devices = [], failures = [] } = progress.data?.answer.data ?? {}
            const proved =
              push === undefined || push.counts === null || push.outcome === null
                ? undefined
                : { done: push.counts.succeeded, of: push.counts.devices }
            const checks = checksOf(
              {
                job,
                groups: data.groups,
                compared: devices.length - data.failed,
                failed: data.failed,
                failures,
                scope: about,
                proved
              },
              new Date(),
              zone
            )
            return (
              <Whole
                job={job}
                push={push}
                pushes={pushes ?? []}
                diffs={data}
                scope={about}
                checks={checks}
                devices={devices}
                ofNetwork={networkChecks(planned.data?.answer.data, push && made.data?.answer.data)}
              />
            )
          }}
        </Asked>
      )}
    </Asked>
  )
}

/** A preview that still compares. */
const Comparing = ({ job }: { readonly job: JobRecord }) => (
  <>
    <PageHead
      title={job.comment || `Change of ${sentenceOf(chosenBy(job.start_arguments))}`}
      crumbs={[{ label: "Changes", to: "/change" }]}
      badges={
        <>
          <span className="review-number">#{job.id}</span>
          <StatusBadge word={jobWord(job)} raw={job.status} />
        </>
      }
    />
    {job.exception === null ? (
      <div role="status">
        <p>
          {job.start_time === null
            ? (job.waiting_for?.message ?? "The preview begins in a moment.")
            : `Comparing: ${counted(job.finished_devices?.length ?? 0, "switch", "switches")} so far. No switch is changed.`}
        </p>
        <Skeleton what="the preview" lines={5} />
      </div>
    ) : (
      <Problem error={job.exception.message} title="The preview could not run" />
    )}
  </>
)

/** A rollout leads to the address of its preview. */
const Redirect = ({ to }: { readonly to: number }) => {
  const router = useRouter()
  useEffect(() => router.history.replace(`/ui/change/${to}`), [router, to])
  return null
}

export default function Review() {
  const id = usePart("id")
  const asked = useAsk(
    "GET /job/:id",
    { params: { id }, query: { filter_jobresult: "config,diff" } },
    { kinds: ["job"] }
  )
  return (
    <Asked of={asked} what="the change">
      {({ data: { jobs } }) =>
        jobs.map((job) => {
          const preview = previewOf(job)
          if (preview !== null) return <Redirect key={job.id} to={preview} />
          const isUnfinished = isPreview(job) && (job.finish_time === null || job.exception !== null)
          return isUnfinished ? <Comparing key={job.id} job={job} /> : <Finished key={job.id} job={job} />
        })
      }
    </Asked>
  )
}
