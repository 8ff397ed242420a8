/** The newest commits with their fate, and the files that have findings. */
import { commitWords } from "../../../src/domain/words/ServerWords.ts"
import type { Data } from "../../../src/api/Calls.ts"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { StatusWord, ToneIcon } from "../../parts/StatusWord.tsx"
import { When } from "../../parts/When.tsx"
import { SignedBy } from "../../parts/SignedBy.tsx"
import { filesWith, type Finding } from "./findings.ts"
import { useRepository } from "./WhichRepository.tsx"

interface Props {
  readonly commits: ReadonlyArray<Data<"GET /repository/:name/commits">["commits"][number]>
  readonly chosen: string | undefined
  readonly findings: ReadonlyArray<Finding>
  readonly path: string
}

export const CommitList = ({ chosen, commits, findings, path }: Props) => {
  const name = useRepository()
  const files = filesWith(findings)
  const address = (commit: string) => `/repository?name=${name}&commit=${commit}`
  return (
    <>
      <section aria-label="Commits">
        <h2 className="repo-label">Commits</h2>
        <ul className="repo-list">
          {commits.map(({ at, author, commit, signature, state, subject }) => (
            <li key={commit}>
              <PlainLink to={address(commit)} className={commit === chosen ? "repo-entry shown" : "repo-entry"}>
                <span className="repo-entry-title">{subject}</span>
                <StatusWord of={commitWords} value={state} />
                <span className="review-line">
                  <code>{commit.slice(0, 7)}</code> {author}, <When at={at} />
                </span>
                <SignedBy signature={signature} />
              </PlainLink>
            </li>
          ))}
        </ul>
      </section>
      {files.length > 0 && (
        <section aria-label="Files with findings">
          <h2 className="repo-label">Files with findings</h2>
          <ul className="repo-list">
            {files.map(({ count, file, tone }) => (
              <li key={file}>
                <PlainLink
                  to={`${address(chosen ?? "")}&path=${encodeURIComponent(file)}`}
                  className={file === path ? "repo-file shown" : "repo-file"}
                >
                  <ToneIcon tone={tone} />
                  <span>{file}</span>
                  <span>{count}</span>
                </PlainLink>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}
