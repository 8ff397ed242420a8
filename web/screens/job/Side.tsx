/** Beside a job: its safety net, its facts, and what happened when. */
import { IconShieldCheck } from "@tabler/icons-react"
import { Signer } from "../../parts/SignedBy.tsx"
import { modeWords } from "../../../src/domain/words/ChangeWords.ts"
import { switches } from "../../../src/domain/words/Units.ts"
import { inSentence, textOf } from "../../../src/domain/words/Word.ts"
import { Countdown } from "../../parts/Countdown.tsx"
import { KeyValues } from "../../parts/KeyValues.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { When } from "../../parts/When.tsx"
import type { JobRecord } from "./Job.tsx"
import { isChanging, isPreview } from "./jobKind.ts"
import type { ShownProgress } from "./useProgress.ts"

/** The timers that put an old configuration back; nothing when none runs. */
export const SafetyNet = ({ progress: { armed, timer } }: { readonly progress: ShownProgress }) =>
  timer === undefined ? null : (
    <section className="card safety" aria-label="Safety net" role="timer">
      <IconShieldCheck size={16} stroke={1.75} aria-hidden />
      <p>
        <b>The safety net is armed on {switches(armed.length)}.</b> A switch that is not confirmed in time puts its old
        configuration back by itself. The last timer ends in{" "}
        <b>
          <Countdown until={timer} over="a moment" />
        </b>
        .
      </p>
    </section>
  )

const numberIn = (given: Readonly<Record<string, unknown>> | null, key: string): number | undefined => {
  const value = given?.[key]
  return typeof value === "number" ? value : undefined
}

const canaryOf = (given: Readonly<Record<string, unknown>> | null): string | undefined => {
  const canary = given?.["canary"]
  if (typeof canary === "number") return switches(canary)
  return Array.isArray(canary) ? canary.join(", ") : undefined
}

const shortOf = (commit: string | null) => (commit === null ? undefined : <code>{commit.slice(0, 7)}</code>)

/** The options that a rollout was started with, as facts; what was not chosen is left out. */
const optionsOf = (given: Readonly<Record<string, unknown>> | null) => {
  const stops = numberIn(given, "max_failures")
  const size = numberIn(given, "batch_size")
  const mode = numberIn(given, "confirm_mode_override")
  const emergency = given?.["emergency"]
  const skipped = given?.["skip_checks"]
  return [
    { key: "First switches", value: canaryOf(given) },
    { key: "Switches per stage", value: size },
    { key: "Stops at", value: stops === undefined ? undefined : `${stops} ${stops === 1 ? "failure" : "failures"}` },
    {
      key: "If it stops",
      value: given?.["revert_on_failure"] === true ? "the stage goes back" : undefined
    },
    { key: "Safety timer", value: mode === undefined ? undefined : inSentence(textOf(modeWords, String(mode))) },
    { key: "Urgent", value: given?.["urgent"] === true ? "beside other rollouts" : undefined },
    { key: "Without checks", value: typeof skipped === "string" ? skipped : undefined },
    { key: "Emergency", value: typeof emergency === "string" ? emergency : undefined }
  ]
}

const commitOf = (commit: string | null, signature: JobRecord["settings_signature"]) =>
  commit === null ? undefined : (
    <>
      {shortOf(commit)}
      <Signer signature={signature} />
    </>
  )

export const About = ({ job }: { readonly job: JobRecord }) => {
  const given = job.start_arguments
  const preview = numberIn(given, "dry_run_job")
  const undone = job.function_name.startsWith("revert_job") ? numberIn(given, "job_id") : undefined
  const facts = [
    { key: "Asked for by", value: job.scheduled_by ?? "the server" },
    {
      key: "Started",
      value:
        job.start_time === null && job.scheduled_time !== null ? (
          <>
            not before <When at={job.scheduled_time} />
          </>
        ) : (
          <When at={job.start_time} never="not started" />
        )
    },
    { key: "Ended", value: job.finish_time === null ? undefined : <When at={job.finish_time} /> },
    { key: "Ticket", value: job.ticket_ref },
    {
      key: "Settings",
      value: commitOf(job.settings_commit, job.settings_signature),
      copy: job.settings_commit ?? undefined
    },
    {
      key: "Templates",
      value: commitOf(job.templates_commit, job.templates_signature),
      copy: job.templates_commit ?? undefined
    },
    {
      key: "Pushes exactly",
      value: preview === undefined ? undefined : <PlainLink to={`/change/${preview}`}>preview {preview}</PlainLink>
    },
    {
      key: "Undoes",
      value: undone === undefined ? undefined : <PlainLink to={`/job/${undone}`}>job {undone}</PlainLink>
    },
    ...(isChanging(job) && !isPreview(job) ? optionsOf(given) : []),
    {
      key: "Goes on as",
      value:
        job.next_job_id === null ? undefined : (
          <PlainLink to={`/job/${job.next_job_id}`}>job {job.next_job_id}</PlainLink>
        )
    }
  ]
  return (
    <section className="card" aria-labelledby="about-head">
      <header className="card-head">
        <h2 id="about-head">About this job</h2>
      </header>
      <div className="card-body">
        <KeyValues
          side
          label="About this job"
          items={facts.filter(({ value }) => value !== undefined && value !== null && value !== "")}
        />
      </div>
    </section>
  )
}
