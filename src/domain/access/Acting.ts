/**
 * In whose name a fiber works: the caller of a request, or whoever scheduled a job. The database notes it beside each change
 * (docs/security.md#audit), so that nothing between the request and the statement has to pass it on.
 */
import { Context } from "effect"
import type { Way } from "./Identity.ts"

export interface Acting {
  readonly name: string
  /** `server` for what nobody has asked for, `none` for somebody who did not prove who they are. */
  readonly way: Way | "server" | "none"
  /** The address that the request came from; null where there is none. */
  readonly address: string | null
  /** The job that does it; null outside jobs. */
  readonly job: number | null
  /** The key of the person (`Person.ts`): what is asked for is theirs. */
  readonly person?: string
}

/** The server itself. */
export const server: Acting = { name: "server", way: "server", address: null, job: null }

/** Who acts in this fiber. */
export const Acting = Context.Reference<Acting>("switchyard/domain/access/Acting", { defaultValue: () => server })
