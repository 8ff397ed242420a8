/**
 * Bodies of requests for operations on devices, and bodies that name an action on a job, a lock, a repository or the plugins
 * (docs/api.md, docs/jobs.md#abort).
 */
import { Option, Result, Schema } from "effect"
import * as Body from "../fields/Body.ts"
import { depending, ignorable, otherwise, required, type Rule } from "../fields/Body.ts"
import { accept, convert, flag } from "../fields/Rules.ts"
import { noSuchField } from "../fields/KnownNames.ts"
import { has, isObject, lengthOf, shown } from "../fields/Values.ts"
import { RevocationReason } from "../Certificate.ts"
import {
  actionRule,
  groupRule,
  hostnameRule,
  notes,
  nullAsAbsent,
  selectors,
  windowFaults,
  windowFields
} from "./RequestFields.ts"

/** Ports to bounce, each once. */
export const BounceRequest = Body.make(
  {
    bounce_interfaces: required(
      Schema.Array(Schema.String),
      () => "Unknown action",
      convert(
        (sent) => (Array.isArray(sent) ? Option.some([...new Set(sent.map(shown))]) : Option.none()),
        () => "Unknown action"
      )
    )
  },
  { message: Body.firstOf }
)

const target = required(Schema.String, () => "No target to be updated was specified", hostnameRule)
const isTrue = otherwise(Schema.Boolean, false, (sent) => Result.succeed(sent === true))

// clients send these with every job
const ignored = ["comment", "ticket_ref"]

export const UpdateFactsRequest = Body.make({ hostname: target }, { message: Body.firstOf, ignored })

/** All managed devices without a selector; `all` may request this explicitly. */
export const ReadTablesRequest = Body.make(
  { ...selectors, all: otherwise(Schema.Boolean, true, () => Result.succeed(true)) },
  { message: Body.firstOf }
)
export type ReadTablesRequest = typeof ReadTablesRequest.schema.Type

export const UpdateInterfacesRequest = Body.make(
  {
    hostname: target,
    replace: isTrue,
    delete_all: isTrue,
    mlag_peer_hostname: ignorable(Schema.String, nullAsAbsent(hostnameRule), Schema.NullOr(Schema.String))
  },
  { message: Body.firstOf, ignored }
)
export type UpdateInterfacesRequest = typeof UpdateInterfacesRequest.schema.Type

const isText = (sent: unknown): sent is string => typeof sent === "string"
const NO_ACTION = "Required field 'action' was not specified"

/** `hostname` wins over `group`. The action is checked after the devices. */
export const RenewalRequest = Body.make(
  {
    action: required(
      Schema.String,
      () => NO_ACTION,
      accept(isText, () => NO_ACTION)
    ),
    hostname: ignorable(Schema.String, hostnameRule),
    group: depending(
      Schema.String,
      ({ body }) => (has(body, "hostname") ? Result.succeed(Option.none()) : Result.fail("No devices were specified")),
      groupRule
    ),
    ...windowFields,
    ...notes
  },
  { message: Body.firstOf, together: windowFaults }
)
export type RenewalRequest = typeof RenewalRequest.schema.Type

const FINGERPRINT = /^SHA256:[A-Za-z0-9+/]{43}=?$/
const isFingerprint = (sent: unknown): sent is string => typeof sent === "string" && FINGERPRINT.test(sent)
const NO_FINGERPRINT = "fingerprint must be the refused fingerprint (SHA256:...)"

const NO_OFFERED = "fingerprint must be the one that the device has shown (SHA256:...)"

const HostKeyAction = Schema.Literals(["PIN", "FORGET"])
const NO_HOST_KEY_ACTION = "action must be PIN or FORGET"

/** With `fingerprint` the key is pinned, without it the pinned key is deleted. */
export const HostKeyRequest = Body.make(
  {
    action: required(
      HostKeyAction,
      () => NO_HOST_KEY_ACTION,
      accept(Schema.is(HostKeyAction), () => NO_HOST_KEY_ACTION)
    ),
    fingerprint: depending(
      Schema.String,
      ({ body }) => (body["action"] === "PIN" ? Result.fail(NO_FINGERPRINT) : Result.succeed(Option.none())),
      (sent, place) =>
        place.body["action"] === "PIN"
          ? accept(isFingerprint, () => NO_FINGERPRINT)(sent, place)
          : Result.succeed(undefined)
    )
  },
  { message: Body.firstOf }
)
export type HostKeyRequest = typeof HostKeyRequest.schema.Type

/** The key that the device has offered, as the API showed it. */
export const ApprovalRequest = Body.make(
  {
    fingerprint: required(
      Schema.String,
      () => NO_OFFERED,
      accept(isFingerprint, () => NO_OFFERED)
    )
  },
  { message: Body.firstOf }
)

/** The most keys that one request approves. */
const MOST_KEYS = 1000
const OfferedKey = Schema.Struct({ hostname: Schema.String, fingerprint: Schema.String }).annotate({
  identifier: "OfferedHostKey"
})
export type OfferedKey = typeof OfferedKey.Type

/** The keys, or the first mistake in them. */
const offeredKeys = (sent: unknown): Result.Result<ReadonlyArray<OfferedKey>, string> => {
  if (!Array.isArray(sent) || sent.length === 0 || sent.length > MOST_KEYS)
    return Result.fail(`host_keys must be a list of 1 to ${MOST_KEYS} objects with hostname and fingerprint`)
  const found: Array<OfferedKey> = []
  const names = new Set<string>()
  for (const [index, item] of sent.entries()) {
    const place = `host_keys[${index}]`
    if (!isObject(item)) return Result.fail(`${place} must be an object with hostname and fingerprint`)
    const unknown = Object.keys(item).find((key) => key !== "hostname" && key !== "fingerprint")
    if (unknown !== undefined) return Result.fail(`${place}.${noSuchField(unknown, ["hostname", "fingerprint"])}`)
    const { fingerprint, hostname } = item
    if (!isText(hostname) || hostname === "") return Result.fail(`${place}.hostname must be the name of a device`)
    if (!isFingerprint(fingerprint)) return Result.fail(`${place}.${NO_OFFERED}`)
    if (names.has(hostname)) return Result.fail(`${place}.hostname: ${hostname} is there twice`)
    names.add(hostname)
    found.push({ hostname, fingerprint })
  }
  return Result.succeed(found)
}

/** The keys of several devices, as a user has compared them. */
export const ApprovalsRequest = Body.make(
  {
    host_keys: required(
      Schema.Array(OfferedKey),
      () => "host_keys must be a list of objects with hostname and fingerprint",
      (sent) => offeredKeys(sent)
    )
  },
  { message: Body.firstOf }
)

/** The reason for an operator's acceptance of the facts that a device shows. */
export const TrustRequest = Body.make({ comment: notes.comment }, { message: Body.firstOf })
export type TrustRequest = typeof TrustRequest.schema.Type

const NO_REASON = `reason must be one of ${RevocationReason.literals.join(", ")}`

/** The reason for the revocation of a certificate. */
export const RevocationRequest = Body.make(
  {
    reason: otherwise(
      RevocationReason,
      "unspecified",
      accept(Schema.is(RevocationReason), () => NO_REASON)
    )
  },
  { message: Body.firstOf }
)

const DEFAULT_NAME = "Switchyard device CA"
/** The longest common name (X.520). */
const MAX_NAME = 64

const isName = (sent: unknown): sent is string =>
  typeof sent === "string" && sent.trim() !== "" && lengthOf(sent) <= MAX_NAME

export const AuthorityRequest = Body.make(
  {
    common_name: otherwise(Schema.String, DEFAULT_NAME, (sent, place) =>
      sent === null
        ? Result.succeed(DEFAULT_NAME)
        : accept(isName, () => `common_name must be a text of 1 to ${MAX_NAME} characters`)(sent, place)
    )
  },
  { message: Body.firstOf }
)

// Bodies that name an action: on a job, a lock, a repository or the plugins (docs/jobs.md#abort, docs/api.md#locks,
// docs/settings-repository.md#refresh and docs/plugins.md).

/** The most characters of a reason in the database. */
const MAX_REASON = 255

/** A value of another type counts as absent. */
const reason = ignorable(Schema.String, (sent) =>
  Result.succeed(typeof sent === "string" ? sent.slice(0, MAX_REASON) : undefined)
)

/** The action, in upper case, is checked after the job. */
export const JobActionRequest = Body.make(
  {
    action: required(
      Schema.String,
      () => "Action must be specified",
      actionRule,
      Schema.Literals(["ABORT", "PAUSE", "RESUME"])
    ),
    abort_reason: reason,
    pause_reason: reason
  },
  { message: Body.firstOf }
)
export type JobActionRequest = typeof JobActionRequest.schema.Type

/** The reason for an approval or a rejection. */
export const DecisionRequest = Body.make(
  {
    comment: required(
      Schema.String,
      () => "comment must be specified",
      (sent) =>
        typeof sent === "string" && sent.trim() !== ""
          ? Result.succeed(sent.slice(0, MAX_REASON))
          : Result.fail("comment must be specified")
    )
  },
  { identifier: "DecisionRequest", message: Body.firstOf }
)
export type DecisionRequest = typeof DecisionRequest.schema.Type

const NO_GROUPS = "groups must be a list of keys of groups, 16 hexadecimal digits each, at most 1000"
const MOST_GROUPS = 1000

const isKeys = (sent: unknown): sent is ReadonlyArray<string> =>
  Array.isArray(sent) &&
  sent.length <= MOST_GROUPS &&
  sent.every((key) => typeof key === "string" && /^[0-9a-f]{16}$/.test(key))

/** Groups of equal differences, and whether they were viewed. */
export const ViewedRequest = Body.make(
  {
    groups: required(
      Schema.Array(Schema.String),
      () => NO_GROUPS,
      accept(isKeys, () => NO_GROUPS)
    ),
    viewed: otherwise(
      Schema.Boolean,
      true,
      flag(() => "viewed must be a boolean")
    )
  },
  { message: Body.firstOf }
)
export type ViewedRequest = typeof ViewedRequest.schema.Type

const NO_LOCK = "No lock name specified"

export const ClearLockRequest = Body.make(
  {
    name: required(
      Schema.String,
      () => NO_LOCK,
      (sent) => (sent === null || sent === "" ? Result.fail(NO_LOCK) : Result.succeed(shown(sent)))
    )
  },
  { message: Body.firstOf }
)

/** One action in any case. */
const only =
  <const Name extends string>(name: Name, otherwise: string): Rule<Name> =>
  (sent) =>
    typeof sent === "string" && sent.toUpperCase() === name.toUpperCase()
      ? Result.succeed(name)
      : Result.fail(otherwise)

const isHash = (sent: unknown): sent is string => typeof sent === "string" && /^[0-9a-fA-F]{7,64}$/.test(sent)

/** With the commit that may come into force whatever it removes, and whether ports follow VLANs that it renames. */
export const RefreshRequest = Body.make(
  {
    action: required(Schema.Literal("REFRESH"), () => "No action specified", only("REFRESH", "Invalid action")),
    confirm: ignorable(
      Schema.String,
      nullAsAbsent(
        accept(isHash, () => "confirm should be the hash of the commit that waits, or its first 7 digits or more")
      )
    ),
    rename_ports: ignorable(Schema.Boolean, nullAsAbsent(flag(() => "rename_ports should be a boolean")))
  },
  { message: Body.firstOf }
)
export type RefreshRequest = typeof RefreshRequest.schema.Type

export const SelftestRequest = Body.make(
  {
    action: required(
      Schema.Literal("selftest"),
      () => "No action specified",
      only("selftest", "Unknown action specified")
    )
  },
  { message: Body.firstOf, isLenient: true }
)
