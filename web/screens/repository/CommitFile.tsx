/** A file of a commit with its findings at the lines: what is wrong, what may stand there, and who may mend it. */
import { useQuery } from "@tanstack/react-query"
import { Fragment, useEffect, useRef } from "react"
import type { Data } from "../../../src/api/Calls.ts"
import { SignedBy } from "../../parts/SignedBy.tsx"
import { commitWords } from "../../../src/domain/words/ServerWords.ts"
import { ask } from "../../api/call.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useMay } from "../../app/useSession.ts"
import { Asked } from "../../parts/Asked.tsx"
import { CopyButton } from "../../parts/KeyValues.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { StatusBadge } from "../../parts/StatusBadge.tsx"
import { ToneIcon } from "../../parts/StatusWord.tsx"
import { type Finding, isKeyOf } from "./findings.ts"
import { FILES, rowsOfFiles } from "./modelRows.ts"
import type { RepositoryName } from "./WhichRepository.tsx"

type Commit = Data<"GET /repository/:name/commits">["commits"][number]

const readModels = async () => {
  const models = await Promise.all(FILES.map((file) => ask("GET /settings/model/:file", { params: { file } })))
  return rowsOfFiles(models.map(({ answer }, index) => [FILES[index] ?? "", answer]))
}

/** What may stand at the key of a finding, by the model of the settings. */
const Allowed = ({ path }: { readonly path: string }) => {
  const may = useMay()
  const { data } = useQuery({
    queryKey: ["models of the settings files"],
    queryFn: readModels,
    enabled: may("GET", "/settings/model/base_system.yml")
  })
  const row = data?.find((one) => isKeyOf(one.path, path))
  if (row === undefined) return null
  return (
    <span className="review-line">
      What may stand there: {row.type}
      {row.rules !== "" && `, ${row.rules}`}.{row.description !== "" && ` ${row.description}`}
    </span>
  )
}

const Note = ({
  commit,
  finding,
  name
}: {
  readonly finding: Finding
  readonly commit: Commit
  readonly name: RepositoryName
}) => (
  <div className="repo-note" data-tone={finding.tone} role="note">
    <ToneIcon tone={finding.tone} size={16} />
    <div>
      <b>
        {finding.line === null ? (finding.path ?? "The whole file") : `Line ${finding.line}`}: {finding.message}
      </b>
      {finding.path !== null && <span className="review-line">At {finding.path}</span>}
      {name === "settings" && finding.path !== null && <Allowed path={finding.path} />}
      {finding.tone === "bad" && (
        <span className="review-line">
          Mend it in git, as whoever may push to the repository; {commit.author} made this commit. Then fetch again.
        </span>
      )}
    </div>
    <CopyButton name="the finding" text={`${finding.file ?? ""}:${finding.line ?? ""}: ${finding.message}`} />
  </div>
)

interface LinesProps {
  readonly text: string
  readonly path: string
  readonly name: RepositoryName
  readonly commit: Commit
  readonly findings: ReadonlyArray<Finding>
}

/** Lines that are shown around the first finding of a long file; the rest follows by scrolling. */
const Lines = ({ commit, findings, name, path, text }: LinesProps) => {
  const place = useRef<HTMLDivElement>(null)
  const lines = text.replace(/\n$/, "").split("\n")
  const first = findings.find(({ line }) => line !== null)?.line ?? 0
  useEffect(() => {
    const found = place.current
    // within its own box: the page stays where it is
    if (found?.parentElement) found.parentElement.scrollTop = Math.max(0, found.offsetTop - 120)
  }, [first, text])
  const without = findings.filter(({ line }) => line === null || line > lines.length)
  return (
    <>
      {without.map((finding) => (
        <Note key={`${finding.path} ${finding.message}`} finding={finding} commit={commit} name={name} />
      ))}
      <div className="source repo-source" role="region" aria-label={path} tabIndex={0}>
        {lines.map((line, index) => {
          const own = findings.filter((finding) => finding.line === index + 1)
          const [worst] = own
          return (
            // lines have no other name than their number
            // oxlint-disable-next-line no-array-index-key
            <Fragment key={index}>
              <div
                className="source-line"
                {...(worst === undefined ? {} : { "data-finding": worst.tone })}
                {...(index + 1 === first ? { ref: place } : {})}
              >
                <span className="source-number">{index + 1}</span>
                {line}
              </div>
              {own.map((finding) => (
                <Note key={finding.message} finding={finding} commit={commit} name={name} />
              ))}
            </Fragment>
          )
        })}
      </div>
    </>
  )
}

interface Props {
  readonly name: RepositoryName
  readonly commit: Commit
  readonly isInForce: boolean
  readonly path: string
  readonly findings: ReadonlyArray<Finding>
}

/** A finding may be about a folder, which has no text. Only findings of the commit in force are. */
const useIsFile = (name: RepositoryName, path: string, isInForce: boolean): boolean => {
  const may = useMay()
  const isAsked = isInForce && path !== "" && may("GET", `/repository/${name}/files`)
  const { data } = useAsk(
    "GET /repository/:name/files",
    { params: { name } },
    { kinds: ["repository"], enabled: isAsked }
  )
  return !isAsked || data?.answer.data.files.some((file) => file.path === path) === true
}

const Text = ({ commit, findings, isInForce, name, path }: Props) => {
  const query = isInForce ? { path } : { path, commit: commit.commit }
  const asked = useAsk("GET /repository/:name/file", { params: { name }, query }, { kinds: ["repository"] })
  return (
    <Asked of={asked} what={path}>
      {({ data }) => <Lines text={data.text} path={path} name={name} commit={commit} findings={findings} />}
    </Asked>
  )
}

export const CommitFile = (props: Props) => {
  const { commit, findings, isInForce, name, path } = props
  const may = useMay()
  const own = findings.filter(({ file }) => file === path)
  const isFile = useIsFile(name, path, isInForce)
  const anywhere = findings.filter(({ file }) => file === null)
  return (
    <section className="review-card repo-card" aria-label="Findings">
      <header className="review-card-head">
        <h2>{path === "" ? commit.subject : path}</h2>
        <StatusBadge of={commitWords} value={commit.state} />
      </header>
      <SignedBy signature={commit.signature} />
      {anywhere.map((finding) => (
        <Note key={finding.message} finding={finding} commit={commit} name={name} />
      ))}
      {!isFile &&
        own.map((finding) => (
          <Note key={`${finding.path} ${finding.message}`} finding={finding} commit={commit} name={name} />
        ))}
      {isFile && path !== "" && commit.state !== "replaced" && may("GET", `/repository/${name}/file`) && (
        <Text key={`${commit.commit} ${path}`} {...props} findings={own} />
      )}
      {findings.length === 0 && path === "" && (
        <Empty
          title={
            isInForce ? "No findings" : commit.state === "replaced" ? "Replaced by a later commit" : "Not checked yet"
          }
        >
          {isInForce
            ? "Every key, file and group is known, and every variable is defined."
            : commit.state === "replaced"
              ? "Its files are in git."
              : "Fetch now: the newest commit is checked before it comes into force."}
        </Empty>
      )}
      {isInForce && (
        <p className="repo-foot">
          <PlainLink to={`/repository?tab=files&name=${name}`}>All files in force</PlainLink>
          {name === "settings" && <PlainLink to="/repository?tab=model">All keys</PlainLink>}
          {name === "templates" && <PlainLink to="/repository?tab=render">Try a template</PlainLink>}
        </p>
      )}
    </section>
  )
}
