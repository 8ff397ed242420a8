/** Switches that are onboarded, as the API shows them (docs/onboarding.md). */
import { Schema } from "effect"

const nullableText = Schema.NullOr(Schema.String)

/** What a switch itself has shown when it was read. */
export const OnboardedFacts = Schema.Struct({
  hostname: nullableText,
  serial: nullableText,
  model: nullableText,
  os_version: nullableText,
  /** MAC address of the lowest port, with colons; null where the switch shows none. */
  mac: nullableText,
  ports: Schema.Int,
  neighbours: Schema.Int
}).annotate({ identifier: "OnboardedFacts" })
export type OnboardedFacts = typeof OnboardedFacts.Type

/**
 * Where a switch is on its way: `waiting` to be read, `host_key` if its key waits for approval, `failed` if it could not be read, `unrendered`
 * if no configuration can be generated for it, `differs`, `ready` to be managed without a push, or `managed`.
 */
export const onboardingStates = ["waiting", "host_key", "failed", "unrendered", "differs", "ready", "managed"] as const
export const OnboardingState = Schema.Literals(onboardingStates).annotate({ identifier: "OnboardingState" })
export type OnboardingState = typeof OnboardingState.Type

export const OnboardedDevice = Schema.Struct({
  hostname: Schema.String,
  device_type: Schema.String,
  platform: nullableText,
  management_ip: nullableText,
  state: OnboardingState,
  /** Why it could not be read or generated, or what it differs in besides lines; null if nothing is to be said. */
  message: nullableText,
  source: Schema.String,
  /** The file, or the address, that named the switch. */
  origin: Schema.String,
  added_by: Schema.String,
  /** ISO 8601, UTC. */
  added_at: Schema.String,
  /** The SSH host key that the switch is pinned to, and the one that waits for approval. */
  fingerprint: nullableText,
  refused_fingerprint: nullableText,
  shown: Schema.NullOr(OnboardedFacts),
  /** `session`: read from the switch, `file`: from a file of configurations; null without a configuration. */
  config_from: Schema.NullOr(Schema.Literals(["session", "file"])),
  /** When the switch ran it; null if a file does not say. */
  config_at: nullableText,
  /** Lines that run or are generated, and how many of them differ; null before the first measurement. */
  lines: Schema.NullOr(Schema.Int),
  extra: Schema.NullOr(Schema.Int),
  missing: Schema.NullOr(Schema.Int),
  /** Percentage of lines that differ. */
  distance: Schema.NullOr(Schema.Finite),
  measured_at: nullableText
}).annotate({ identifier: "OnboardedDevice" })
export type OnboardedDevice = typeof OnboardedDevice.Type

/** The distance of all onboarded switches at one commit of settings and templates. */
export const DistanceRecord = Schema.Struct({
  /** ISO 8601, UTC. */
  measured_at: Schema.String,
  settings_commit: nullableText,
  templates_commit: nullableText,
  devices: Schema.Int,
  /** Switches without a difference. */
  reached: Schema.Int,
  /** Switches for which nothing can be generated. */
  unrendered: Schema.Int,
  lines: Schema.Int,
  differing: Schema.Int,
  distance: Schema.Finite
}).annotate({ identifier: "DistanceRecord" })
export type DistanceRecord = typeof DistanceRecord.Type
