/**
 * The checks of a job by name: what failed first, with what was before and what is now. Results that hold are folded; a job that leaves its
 * checks out says so loudly, with the reason and who asked for it.
 */
import { Alert } from "@mantine/core"
import type { Data } from "../../src/api/Calls.ts"
import { checkOfJobWord, heldWord } from "../../src/domain/words/CheckWords.ts"
import { counted, switches } from "../../src/domain/words/Units.ts"
import { Chips } from "./Chips.tsx"
import { PlainLink } from "./PlainLink.tsx"
import { SmallTable } from "./SmallTable.tsx"
import { StatusBadge } from "./StatusBadge.tsx"
import { StatusWord } from "./StatusWord.tsx"

export type JobChecks = Data<"GET /job/:id/checks">
type JobCheck = JobChecks["checks"][number]
type Result = JobCheck["results"][number]

const rawOf = ({ held, ignored }: Result): string => (ignored === undefined ? `held: ${String(held)}` : ignored)

/** When it was read, and how often; a check that failed before the commit was not read again. */
const timesOf = ({ seconds, tried }: Result): string =>
  tried === 0 ? "before the commit" : `${seconds} s after the commit, ${counted(tried, "reading")}`

const Results = ({ label, results }: { readonly label: string; readonly results: ReadonlyArray<Result> }) => (
  <SmallTable
    label={label}
    heads={["Switch", "Check", "Before", "Now", "Read"]}
    rows={results}
    keyOf={({ hostname, on }) => `${hostname} ${on ?? ""}`}
    cells={(result) => [
      <>
        <PlainLink to={`/device/${encodeURIComponent(result.hostname)}`}>{result.hostname}</PlainLink>
        {result.on !== undefined && ` (on ${result.on})`}
      </>,
      <StatusWord key="standing" word={heldWord(result)} raw={rawOf(result)} />,
      result.before ?? "",
      // without a reading the sentence says why
      result.now ?? result.sentence,
      timesOf(result)
    ]}
  />
)

const Entry = ({ check }: { readonly check: JobCheck }) => {
  const { left_out, name, planned, results, rule, sentence } = check
  const open = results.filter(({ held }) => held !== true)
  const held = results.filter((result) => result.held === true)
  return (
    <section className="check" aria-label={`${name}: ${sentence}`}>
      <div className="check-head">
        <h3>{name}</h3>
        <StatusWord tone={checkOfJobWord(check).tone}>
          {`${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}`}
        </StatusWord>
      </div>
      {rule !== null && <p>It {rule}.</p>}
      {planned.length > 0 && <Chips names={planned} />}
      {open.length > 0 && <Results label={`${name}, what did not hold`} results={open} />}
      {held.length > 0 && (
        <details>
          <summary>Where it holds</summary>
          <Results label={`${name}, where it holds`} results={held} />
        </details>
      )}
      {left_out > 0 && <p>{counted(left_out, "more result")} of it are in the record of the job.</p>}
    </section>
  )
}

/** A check that a rollout would make, with its switches; the first of them if there are many. */
export const PlannedCheck = ({
  check
}: {
  readonly check: Data<"GET /proposals/:id">["proposal"]["checks"][number]
}) => {
  const { devices, hostnames, name, sentence } = check
  const count = switches(devices)
  return (
    <section className="check" aria-label={`${name}: would be made on ${count}`}>
      <div className="check-head">
        <h3>{name}</h3>
        <span>would be made on {count}</span>
      </div>
      <p>It {sentence}.</p>
      <Chips names={hostnames} />
      {devices > hostnames.length && <p>and {counted(devices - hostnames.length, "more switch", "more switches")}</p>}
    </section>
  )
}

/** That a job leaves its checks out, why, and who asked for it. */
export const SkippedChecks = ({ skipped }: Pick<JobChecks, "skipped">) =>
  skipped === null ? null : (
    <Alert color="red" variant="light" role="alert" title="Checks are left out" mb="sm">
      {skipped.by ?? "The server"} wanted it without checks: {skipped.reason}
    </Alert>
  )

/** The checks of a job as the body of a card. */
export const CheckGroups = ({ checks }: Pick<JobChecks, "checks">) => (
  <>
    {checks.map((check) => (
      <Entry key={check.name} check={check} />
    ))}
  </>
)

/** How the checks of a job ended as a whole. */
export const ChecksBadge = ({ checks }: Pick<JobChecks, "checks">) => {
  const sum = (of: (check: JobCheck) => number) => checks.reduce((total, check) => total + of(check), 0)
  const ends = {
    failed: sum(({ failed }) => failed),
    unread: sum(({ unread }) => unread),
    undecided: sum(({ undecided }) => undecided),
    held: sum(({ held }) => held)
  }
  return <StatusBadge word={checkOfJobWord(ends)} raw={counted(checks.length, "check")} />
}
