/** The standing of a job in a word: its end when it has ended, what it waits for while it waits. */
import { jobWord } from "../../src/domain/words/JobWords.ts"
import { StatusWord } from "./StatusWord.tsx"

export const JobStatus = ({ job }: { readonly job: Parameters<typeof jobWord>[0] }) => (
  <StatusWord word={jobWord(job)} raw={job.outcome === null ? job.status : `${job.status}, ${job.outcome}`} />
)
