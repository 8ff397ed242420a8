/**
 * The commits that a job works on from its beginning to its end, whatever comes into force meanwhile. Handed down with the
 * fiber: settings and templates answer with these commits inside a job that has some, and with those in force elsewhere.
 */
import { Context } from "effect"

/** Commits by repository; null where none was in force. `branches` are those of the templates that groups ask for. */
export interface CommitSet {
  readonly settings: string | null
  readonly templates: string | null
  readonly branches: Readonly<Record<string, string>>
}

/** What the work is done on; null: on what is in force. */
export const WorkingCommits = Context.Reference<CommitSet | null>("switchyard/domain/WorkingCommits", {
  defaultValue: () => null
})
