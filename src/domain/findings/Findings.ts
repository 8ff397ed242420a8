/**
 * What is stuck or about to break (docs/operations.md#doctor), by pure rules over facts that the store reads. Each concept has a file of
 * its own; this one puts them together.
 */
import type { Finding } from "../Finding.ts"
import { type CertificateFact, ofCertificate, ofServerTls, type ServerTlsFact } from "./CertificateFindings.ts"
import { type DatabaseFact, ofDatabase } from "./DatabaseFindings.ts"
import { type MachineFacts, ofMachine } from "./MachineFindings.ts"
import {
  type DisputeFact,
  ofDispute,
  ofOverlap,
  ofToken,
  type OverlapFact,
  type TokenFact
} from "./IdentityFindings.ts"
import { ofSessions, type SessionFact } from "./SessionFindings.ts"
import { type ChangeFact, type JobFact, type LockFact, ofChange, ofJob, ofLock } from "./WorkFindings.ts"

/** All of them at one moment. */
export interface Facts extends MachineFacts {
  readonly jobs: ReadonlyArray<JobFact>
  readonly changes: ReadonlyArray<ChangeFact>
  readonly sessions: ReadonlyArray<SessionFact>
  readonly locks: ReadonlyArray<LockFact>
  readonly disputes: ReadonlyArray<DisputeFact>
  readonly overlaps: ReadonlyArray<OverlapFact>
  readonly tokens: ReadonlyArray<TokenFact>
  readonly certificates: ReadonlyArray<CertificateFact>
  readonly database: DatabaseFact
  /** Null for a server without TLS of its own. */
  readonly tls: ServerTlsFact | null
}

/** What is found in the facts, what is bad first. */
export const findingsOf = (facts: Facts): ReadonlyArray<Finding> =>
  [
    ...facts.jobs.flatMap(ofJob),
    ...facts.changes.flatMap(ofChange),
    ...facts.sessions.map(ofSessions),
    ...facts.disputes.map(ofDispute),
    ...facts.overlaps.map(ofOverlap),
    ...facts.tokens.map(ofToken),
    ...facts.locks.flatMap(ofLock),
    ...facts.certificates.flatMap(ofCertificate),
    ...(facts.tls === null ? [] : ofServerTls(facts.tls)),
    ...ofDatabase(facts.database),
    ...ofMachine(facts)
  ].toSorted((one, other) => Number(one.level === "warn") - Number(other.level === "warn"))
