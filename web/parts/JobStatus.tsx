/** The standing of a job in a word: its end when it has ended, what it waits for while it waits. */
import { jobWord } from "../../src/domain/words/JobWords.ts"
import { WordShown } from "./Worded.tsx"

export const JobStatus = ({ job }: { readonly job: Parameters<typeof jobWord>[0] }) => (
  <WordShown word={jobWord(job)} raw={job.outcome === null ? job.status : `${job.status}, ${job.outcome}`} />
)
