/** Where one line of a configuration comes from: its template, its settings, their commits and signers, its port and its job. */
import { Signer } from "../../parts/SignedBy.tsx"
import type { Data } from "../../../src/api/Calls.ts"
import { useAsk } from "../../api/useAsk.ts"
import { Asked } from "../../parts/Asked.tsx"
import { KeyValues } from "../../parts/KeyValues.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"

type Origins = Data<"GET /device/:hostname/blame">
type Commit = Origins["commits"][number]

/** A line of a file, and the commit that wrote it. */
const Place = ({
  commits,
  ...place
}: {
  readonly commits: ReadonlyArray<Commit>
  readonly repository: Commit["repository"]
  readonly commit: string | null
  readonly file: string
  readonly line: number | null
}) => {
  const { commit, file, line, repository } = place
  const written = commits.find((one) => one.commit === commit && one.repository === repository)
  return (
    <>
      <PlainLink
        to={`/repository?tab=files&name=${repository}&path=${encodeURIComponent(file)}${line === null ? "" : `&line=${line}`}`}
      >
        {file}
        {line === null ? "" : `, line ${line}`}
      </PlainLink>
      {written !== undefined && (
        <span>
          {" "}
          <code title={written.commit}>{written.commit.slice(0, 8)}</code> {written.author}: {written.subject}
          <Signer signature={written.signature} />
        </span>
      )}
    </>
  )
}

export const LineOrigin = ({ hostname, line }: { readonly hostname: string; readonly line: number }) => {
  const asked = useAsk("GET /device/:hostname/blame", { params: { hostname }, query: { line } }, { kinds: ["job"] })
  return (
    <section className="review-card review-card-body" aria-label={`Origin of line ${line}`}>
      <Asked of={asked} what={`the origin of line ${line}`}>
        {({ data: { commits, jobs, lines } }) => {
          const [found] = lines
          if (found === undefined) return <p>The configuration has no line {line} any more.</p>
          const { job_id, port, settings, template, text } = found
          const job = jobs.find((one) => one.job_id === job_id)
          return (
            <>
              <code>{text}</code>
              <KeyValues
                label={`Origin of line ${line}`}
                items={[
                  {
                    key: "Template",
                    value:
                      template === null ? (
                        "No template writes this line now: it was on the switch before Switchyard, or the switch adds it."
                      ) : (
                        <Place commits={commits} repository="templates" {...template} />
                      )
                  },
                  ...settings.map(({ name, ...place }) => ({
                    key: name,
                    value: <Place commits={commits} repository="settings" {...place} />
                  })),
                  ...(port === null ? [] : [{ key: "Port", value: `${port}, from the inventory` }]),
                  ...(job === undefined
                    ? []
                    : [
                        {
                          key: "Brought by",
                          value: (
                            <>
                              <PlainLink to={`/job/${job.job_id}`}>job {job.job_id}</PlainLink>
                              {job.by === null ? "" : ` of ${job.by}`}
                            </>
                          )
                        }
                      ])
                ]}
              />
            </>
          )
        }}
      </Asked>
    </section>
  )
}
