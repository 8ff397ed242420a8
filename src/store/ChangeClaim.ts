/**
 * A claim of a change as a row of the statement that grants it (`ChangeStore.ts`). What is used again goes there sealed, what is
 * only looked at without its secrets.
 */
import { Struct } from "effect"
import type { Claim } from "../../machines/change/ChangeDecision.ts"
import type { ChangePhase, ChangeRow } from "../../machines/change/ChangeRow.ts"
import type { DerivedSecrets } from "../templates/TemplateSecrets.ts"
import type { SecretDigests } from "./ChangeStore.ts"
import type { SeenConfig } from "./ProvedConfigStore.ts"
import type { SecretTexts } from "./SecretTexts.ts"

/** Long texts that are kept together with a claim. */
export interface ClaimTexts {
  /** The difference, when it is another one than was stored last. */
  readonly diff?: string | null
  /** What ran on the device before the change, when it was just read; kept for undoing. */
  readonly before?: string | null
  /** What the device was proved to run now that the change has ended. */
  readonly proved?: SeenConfig & { readonly secrets: SecretDigests | null }
}

/** A claim of one change. */
export interface ClaimRequest {
  readonly id: number
  /** Names this claim: when its answer was lost and it is sent again, the row shows that it was granted. */
  readonly token: string
  readonly claim: Claim
  readonly failure: string | null
  readonly texts: ClaimTexts
}

/** Phases after which there is nothing to undo. */
const CAME_TO_NOTHING: ReadonlySet<ChangePhase> = new Set(["reverted", "unchanged", "discarded"])

type Texts = SecretTexts["Service"]

const sealed = ({ seal }: Texts, text: string | null | undefined): string | null =>
  text === null || text === undefined ? null : seal(text)

/** What is looked at of the row in the database, without secrets; only the difference is used again. */
const storedProtocol = ({ hideIn }: Texts, row: ChangeRow, derived: DerivedSecrets | undefined) => ({
  ...Struct.omit(row, ["diff"]),
  ...(row.remarks === undefined ? {} : { remarks: hideIn(row.remarks, derived) }),
  ...(row.notes === undefined ? {} : { notes: hideIn(row.notes, derived) })
})

/** Whether a claim has texts that may quote the configuration and are only looked at. */
export const quotes = ({ claim: { row }, failure }: ClaimRequest): boolean =>
  failure !== null || row.remarks !== undefined || row.notes !== undefined

/** A claim as a row of its statement; `derived` is what templates have made of secrets for its device. */
export const wantedOf = (
  secrets: Texts,
  { claim: { from, row }, failure, id, texts, token }: ClaimRequest,
  place: number,
  derived: DerivedSecrets | undefined
) => ({
  place,
  id,
  token,
  from_phase: from.phase,
  from_epoch: from.epoch,
  phase: row.phase,
  epoch: row.epoch,
  protocol: storedProtocol(secrets, row, derived),
  new_diff: texts.diff !== undefined,
  diff: sealed(secrets, texts.diff),
  failure: failure === null ? null : secrets.hideKnown(failure, derived),
  // a late commit of an earlier round makes our own candidate look like what ran before: see the statement
  before: sealed(secrets, texts.before),
  came_to_nothing: CAME_TO_NOTHING.has(row.phase),
  proved_hash: texts.proved?.hash ?? null,
  proved_config: sealed(secrets, texts.proved?.config),
  proved_secrets: texts.proved?.secrets ?? null
})

/** The columns of such rows. */
export const WANTED_COLUMNS = `place integer, id integer, token text, from_phase text, from_epoch integer, phase text, epoch integer, protocol jsonb,
  new_diff boolean, diff text, failure text, before text, came_to_nothing boolean, proved_hash text, proved_config text,
  proved_secrets jsonb`

/** The rest of a statement that inserts into `proved_config`: there is one row of a device. */
export const REPLACE_PROVED = `on conflict (device_id) do update set job_id = excluded.job_id,
  hash = excluded.hash, config = excluded.config, secrets = excluded.secrets, proved_at = now()`
