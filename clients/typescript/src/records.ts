// Made by `npm run docs` from the OpenAPI document of the server. Do not edit.

import type { Filter } from "./transport.js"

/** Why a job of any function was aborted before it began */
export type AbortedResult = { readonly message: string }

export type AcceptedLink = {
  readonly device_a: string
  readonly device_a_port: string
  readonly device_b: string
  readonly device_b_port: string
}

export type AddedDevice = {
  readonly id: number
  readonly hostname: string
  readonly site_id: number | null
  readonly description: string | null
  readonly management_ip: string | null
  readonly secondary_management_ip: string | null
  readonly dhcp_ip: string | null
  readonly infra_ip: string | null
  readonly oob_ip: string | null
  readonly serial: string | null
  readonly ztp_mac: string | null
  readonly platform: string | null
  readonly vendor: string | null
  readonly model: string | null
  readonly os_version: string | null
  readonly synchronized: boolean
  readonly state: DeviceState
  readonly device_type: DeviceType
  readonly confhash: string | null
  readonly last_seen: string | null
  readonly port: number | null
  /** false if the platform has no driver: jobs that would have to log in refuse the device */
  readonly manageable: boolean
}

export type AddedSyncEvent = {
  readonly hostname: string
  readonly cause: string
  readonly timestamp: number | null
  readonly by: string
}

export type Alert = {
  readonly id: number
  readonly rule: string
  readonly cause: string
  readonly level: string
  readonly title: string
  readonly count: number
  readonly receivers: ReadonlyArray<string>
  readonly opened_at: string
  readonly send_at: string
  readonly sent_at: string | null
  readonly resolved_at: string | null
  readonly is_open: boolean
  readonly acknowledged_at: string | null
  readonly acknowledged_by: string | null
  readonly acknowledged_comment: string | null
  readonly reasons: ReadonlyArray<AlertReason>
}

export type AlertOverview = {
  readonly source: "settings" | "DATA_DIR" | null
  readonly problem: string | null
  readonly receivers: ReadonlyArray<AlertReceiver>
  readonly rules: ReadonlyArray<AlertRule>
  readonly deliveries: DeliveryCounts
  readonly alerts: ReadonlyArray<Alert>
}

export type AlertReason = {
  readonly sentence: string
  readonly devices: ReadonlyArray<string>
  readonly job_id: number | null
  readonly repository: string | null
}

export type AlertReceiver = { readonly name: string; readonly type: string; readonly problem: string | null }

export type AlertRule = {
  readonly name: string
  readonly level: string
  readonly to: ReadonlyArray<string>
  readonly sentence: string
}

export type ApiToken = {
  readonly id: number
  readonly name: string
  readonly roles: ReadonlyArray<string>
  readonly created_by: string
  readonly owner: string | null
  readonly is_machine: boolean
  readonly created_at: string
  readonly expires_at: string
  readonly last_used: string | null
  readonly revoked_at: string | null
}

export type ApprovalAnswer = { readonly status: number; readonly message: unknown }

export type ApprovalRisk = {
  readonly level: "low" | "medium" | "high"
  readonly reason: string | null
  readonly devices: number
}

export type ApprovalWait = {
  readonly reason: "approval"
  readonly why: string
  readonly dry_run_job: number | null
  readonly until: string
  readonly message: string
}

export type ApprovedHostKey = { readonly hostname: string; readonly approved: boolean; readonly message: string | null }

export type ArpCount = { readonly count: number }

export type Attention = { readonly items: ReadonlyArray<AttentionItem> }

export type AttentionItem = {
  readonly key: string
  readonly kind:
    | "silent"
    | "rollout"
    | "approval"
    | "commit"
    | "changed_by_hand"
    | "alert"
    | "new_device"
    | "certificate"
  readonly since: string | null
  readonly until: string | null
  readonly count: number
  readonly total: number | null
  readonly sentence: string
  readonly detail: string | null
  readonly devices: ReadonlyArray<string>
  readonly uplinks: ReadonlyArray<string>
  readonly action:
    | "show_devices"
    | "open_job"
    | "decide"
    | "show_commit"
    | "confirm_commit"
    | "compare"
    | "show_alerts"
    | "set_up"
    | "renew"
  readonly place: AttentionPlace
}

export type AttentionPlace = {
  readonly screen: "device" | "devices" | "job" | "approvals" | "repository" | "alerts" | "new_devices"
  readonly of: string | null
}

export type AuditChain = {
  readonly checked: number
  readonly problem: string | null
  readonly event_id: number | null
  readonly since: string | null
  readonly removed: number
  readonly checked_at: string
}

export type AuditEvent = {
  readonly id: number
  readonly at: string
  readonly kind: string
  readonly action: string
  readonly actor: string
  readonly way: string
  readonly address: string | null
  readonly device_id: number | null
  readonly hostname: string | null
  readonly job_id: number | null
  readonly data: Readonly<Record<string, unknown>>
}

export type BadRequest = {
  readonly status: "error"
  readonly message: FailureMessage
  readonly problems?: ReadonlyArray<Remark> | undefined
}

export type BgpState = {
  readonly state: string
  readonly is_established: boolean
  readonly prefixes_received: number | null
  readonly asn: number | null
}

export type BlamedLine = { readonly text: string; readonly job_id: number }

export type BranchCheck = {
  readonly name: string
  readonly sentence: string
  readonly devices: number
  readonly hostnames: ReadonlyArray<string>
}

export type BranchDevices = {
  readonly concerned: number
  readonly rendered: number
  readonly changed: number
  readonly failed: number
}

export type BranchDiffGroup = {
  readonly key: string
  readonly count: number
  readonly hostnames: ReadonlyArray<string>
  readonly added: number
  readonly removed: number
  readonly diff: string
  readonly score: number | null
  readonly risks: ReadonlyArray<RiskyLine>
  readonly risk: ChangeRisk
}

export type BranchFailure = { readonly hostname: string; readonly message: string; readonly by_the_branch: boolean }

export type CertificateAuthority = {
  readonly certificate: string
  readonly subject: string
  readonly not_after: string
}

export type ChangeReport = {
  readonly change: number
  readonly url: string | null
  readonly title: string
  readonly ticket_ref: string | null
  readonly state: "previewed" | "waiting" | "running" | "done" | "partly_done" | "failed" | "stopped" | "undone"
  readonly proposals: ReadonlyArray<ReportedProposal>
  readonly jobs: ReadonlyArray<ReportedJob>
  readonly approvals: ReadonlyArray<ReportedApproval>
  readonly approved_by: ReadonlyArray<string>
  readonly groups: ReadonlyArray<ReportedGroup>
  readonly devices: ReadonlyArray<ReportedDevice>
  readonly checks: ReadonlyArray<ReportedChecks>
  readonly events: ReadonlyArray<ReportedEvent>
  readonly left_out: ReadonlyArray<string>
}

export type ChangeRisk = { readonly level: "low" | "medium" | "high"; readonly reason: string | null }

export type ChangedConfiguration = { readonly hostname: string; readonly added: number; readonly removed: number }

export type ChangedInterface = {
  readonly configtype?: string | undefined
  readonly data?: InterfaceData | null | undefined
}

export type CheckCondition =
  | { readonly must: "equal"; readonly fields: ReadonlyArray<string> }
  | { readonly must: "no_lost" }
  | { readonly must: "no_new" }
  | { readonly must: "at_least_share"; readonly percent: number; readonly of: string | null }
  | { readonly must: "at_least"; readonly count: number; readonly of: string | null }
  | { readonly must: "at_most"; readonly count: number; readonly of: string | null }
  | { readonly must: "grows_at_most"; readonly field: string; readonly by: number }
  | { readonly must: "within"; readonly field: string; readonly least: number | null; readonly most: number | null }
  | { readonly must: "every"; readonly values: Readonly<Record<string, boolean | number | string>> }

export type CheckQuestion =
  | {
      readonly reads:
        | "neighbours"
        | "interfaces"
        | "bgp"
        | "ospf"
        | "routes"
        | "mlag"
        | "vrrp"
        | "port_channels"
        | "errors"
        | "macs"
        | "arp"
        | "spanning_tree"
        | "environment"
        | "processes"
        | "ntp"
      readonly role?: "access" | "uplink" | "downlink" | "mlag_peer" | "fabric" | undefined
    }
  | {
      readonly reads: "log"
      readonly severity:
        | "emergency"
        | "alert"
        | "critical"
        | "error"
        | "warning"
        | "notice"
        | "informational"
        | "debugging"
    }
  | {
      readonly reads: "ping"
      readonly to: string
      readonly source?: string | undefined
      readonly vrf?: string | undefined
      readonly count: number
    }
  | {
      readonly reads: "http"
      readonly url: string
      readonly query: Readonly<Record<string, string>>
      readonly path: string
      readonly name: ReadonlyArray<string>
      readonly numbers: boolean
    }
  | {
      readonly reads: "plugin"
      readonly plugin: string
      readonly function: string
      readonly with: Readonly<Record<string, boolean | number | string>>
    }

export type CheckResult = {
  readonly name: string
  readonly on?: string | undefined
  readonly held: boolean | null
  readonly before: string | null
  readonly now: string | null
  readonly sentence: string
  readonly tried: number
  readonly seconds: number
  readonly ignored?: string | undefined
}

export type CheckResultOnDevice = {
  readonly hostname: string
  readonly name: string
  readonly on?: string | undefined
  readonly held: boolean | null
  readonly before: string | null
  readonly now: string | null
  readonly sentence: string
  readonly tried: number
  readonly seconds: number
  readonly ignored?: string | undefined
}

export type CheckScope = {
  readonly groups: ReadonlyArray<string> | null
  readonly device_types: ReadonlyArray<"UNKNOWN" | "ACCESS" | "DIST" | "CORE"> | null
  readonly platforms: ReadonlyArray<string> | null
}

export type CheckedBranch = {
  readonly repository: "settings" | "templates"
  readonly branch: string
  readonly commit: string
  readonly committer: string
  readonly at: string
  readonly signature?: CommitSignature | null | undefined
  readonly in_force: string | null
  readonly accepted: boolean
  readonly problems: ReadonlyArray<Remark>
  readonly warnings: ReadonlyArray<Remark>
  readonly effects: CommitEffects
  readonly ignored: ReadonlyArray<string>
  readonly devices: BranchDevices
  readonly groups: ReadonlyArray<BranchDiffGroup>
  readonly checks?: ReadonlyArray<BranchCheck> | undefined
  readonly failures: ReadonlyArray<BranchFailure>
  readonly truncated: boolean
}

export type ChecksInForce = { readonly commit: string | null; readonly checks: ReadonlyArray<ShownCheck> }

export type CommitEffects = {
  readonly groups: ReadonlyArray<GroupEffect>
  readonly rules: ReadonlyArray<RuleEffect>
  readonly vlans: ReadonlyArray<VlanEffect>
  readonly keys: ReadonlyArray<RemovedKey>
  readonly removed: ReadonlyArray<RemovedKind>
  readonly configurations: ConfigurationEffect
  readonly undefined_names: ReadonlyArray<UndefinedName>
  readonly confirm: ReadonlyArray<string>
  readonly truncated: boolean
}

export type CommitRefusal = {
  readonly job_id: number
  readonly at: string | null
  readonly by: string | null
  readonly message: string
  readonly problems: ReadonlyArray<Remark>
}

export type CommitSignature = {
  readonly state: "signed" | "unsigned" | "foreign" | "expired" | "withdrawn" | "wrong" | "unknown"
  readonly signer: string | null
  readonly key: string | null
  readonly why: string | null
}

export type CommitsOfRepository = {
  readonly in_force: string | null
  readonly commits: ReadonlyArray<RepositoryCommit>
}

export type ComputedSecretUse = { readonly file: string; readonly line: number }

export type ConfigHit = {
  readonly hostname: string
  readonly job_id: number | null
  readonly finish_time: string | null
  readonly count: number
  readonly lines: ReadonlyArray<FoundLine>
}

export type ConfigSource = "running" | "generated" | number

export type ConfigType =
  | "UNKNOWN"
  | "UNMANAGED"
  | "CONFIGFILE"
  | "CUSTOM"
  | "TEMPLATE"
  | "ACCESS_AUTO"
  | "ACCESS_UNTAGGED"
  | "ACCESS_TAGGED"
  | "ACCESS_UPLINK"
  | "ACCESS_DOWNLINK"
  | "MLAG_PEER"

export type ConfigurationEffect = {
  readonly managed: number
  readonly concerned: number
  readonly rendered: number
  readonly is_sample: boolean
  readonly changed: number
  readonly losing: number
  readonly failed: number
  readonly added: number
  readonly removed: number
  readonly devices: ReadonlyArray<ChangedConfiguration>
}

/** The result of a confirmation of proved changes */
export type ConfirmResult = {
  /** The result of each device, by hostname */
  readonly devices?: Readonly<Record<string, DeviceResult>> | undefined
  readonly rollout?:
    | {
        /** Why it was stopped */
        readonly stopped: string
      }
    | undefined
}

export type Conflict = {
  readonly status: "error"
  readonly message: FailureMessage
  readonly effects?: CommitEffects | undefined
}

export type ConnectionCount = { readonly state: string; readonly count: number }

export type CountedGroup = { readonly name: string; readonly count: number; readonly of: number }

export type CountedName = { readonly name: string; readonly count: number }

export type CountedVersion = { readonly os_version: string | null; readonly count: number }

export type DatabaseStatus = {
  readonly version: string
  readonly is_embedded: boolean
  readonly size_bytes: number
  readonly schema_version: number
  readonly connections: ReadonlyArray<ConnectionCount>
}

export type DecisionRequest = { readonly comment: string }

export type DefaultImage = { readonly default: string; readonly file: string }

export type DeletedDevice = {
  readonly id: number
  readonly hostname: string
  readonly site_id: number | null
  readonly description: string | null
  readonly management_ip: string | null
  readonly secondary_management_ip: string | null
  readonly dhcp_ip: string | null
  readonly infra_ip: string | null
  readonly oob_ip: string | null
  readonly serial: string | null
  readonly ztp_mac: string | null
  readonly platform: string | null
  readonly vendor: string | null
  readonly model: string | null
  readonly os_version: string | null
  readonly synchronized: boolean
  readonly state: DeviceState
  readonly device_type: DeviceType
  readonly confhash: string | null
  readonly last_seen: string | null
  readonly port: number | null
}

export type Delivery = {
  readonly id: string
  readonly alert_id: number
  readonly rule: string
  readonly receiver: string
  readonly action: "trigger" | "resolve"
  readonly state: "waiting" | "sent" | "dead"
  readonly attempts: number
  readonly created_at: string
  readonly next_at: string | null
  readonly ended_at: string | null
  readonly answer: string | null
}

export type DeliveryCounts = { readonly waiting: number; readonly dead: number; readonly oldest_seconds: number }

export type Device = {
  readonly id: number
  readonly hostname: string
  readonly site_id: number | null
  readonly description: string | null
  readonly management_ip: string | null
  readonly secondary_management_ip: string | null
  readonly dhcp_ip: string | null
  readonly infra_ip: string | null
  readonly oob_ip: string | null
  readonly serial: string | null
  readonly ztp_mac: string | null
  readonly platform: string | null
  readonly vendor: string | null
  readonly model: string | null
  readonly os_version: string | null
  readonly synchronized: boolean
  readonly state: DeviceState
  readonly device_type: DeviceType
  readonly confhash: string | null
  readonly last_seen: string | null
  readonly port: number | null
  /** false if the platform has no driver: jobs that would have to log in refuse the device */
  readonly manageable: boolean
  readonly primary_group: string
}

export type DeviceActor = {
  readonly hostname: string
  readonly state: DeviceState
  readonly activity: "idle" | "reading" | "changing" | "operating" | "upgrading"
  readonly call: string | null
  readonly job_id: number | null
  readonly since: string | null
  readonly next: ReadonlyArray<string>
  readonly change: DeviceChangeStep | null
  readonly waiting: ReadonlyArray<WaitingCall>
}

export type DeviceCertificate = {
  readonly serial: string
  readonly hostname: string
  readonly address: string
  readonly issued_at: string
  readonly not_after: string
  readonly revoked_at: string | null
  readonly reason: "unspecified" | "keyCompromise" | "superseded" | "cessationOfOperation" | null
}

export type DeviceChangeStep = {
  readonly id: number
  readonly job_id: number
  readonly phase:
    | "planned"
    | "loading"
    | "discarding"
    | "committing"
    | "committed"
    | "checking"
    | "proved"
    | "confirming"
    | "outlasting"
    | "saving"
    | "restoring"
    | "looking"
    | "withdrawing"
    | "expiring"
    | "confirmed"
    | "reverted"
    | "unchanged"
    | "discarded"
    | "unknown"
  readonly step: string | null
  readonly step_since: string | null
  readonly next: ReadonlyArray<string>
}

export type DeviceCounts = {
  readonly total: number
  readonly by_state: Readonly<Record<string, number>>
  readonly unsynchronized: number
  readonly unsynchronized_by: Readonly<Record<string, number>>
  readonly drifted: number
  readonly unreachable: number
  readonly in_change: number
}

export type DevicePlace = {
  readonly hostname: string
  readonly port: string
  readonly own_port: string
  readonly heard_by: "switch" | "neighbour"
  readonly linknet_id: number | null
  readonly was: string | null
  readonly was_state: DeviceState | null
}

export type DeviceProgress = {
  readonly hostname: string
  readonly phase:
    | "planned"
    | "loading"
    | "discarding"
    | "committing"
    | "committed"
    | "checking"
    | "proved"
    | "confirming"
    | "outlasting"
    | "saving"
    | "restoring"
    | "looking"
    | "withdrawing"
    | "expiring"
    | "confirmed"
    | "reverted"
    | "unchanged"
    | "discarded"
    | "unknown"
    | null
  readonly reason: string | null
  readonly failed: boolean | null
  readonly changed: boolean
  readonly score: number | null
  readonly timer_until: string | null
  readonly silent_since: string | null
  readonly certain_until: string | null
  readonly stage: number | null
  readonly not_begun: boolean
  readonly step: string | null
  readonly why: string | null
  readonly said: string | null
}

export type DeviceResult = { readonly failed: boolean; readonly job_tasks: ReadonlyArray<JobTask> }

export type DeviceState =
  | "UNKNOWN"
  | "PRE_CONFIGURED"
  | "DHCP_BOOT"
  | "DISCOVERED"
  | "INIT"
  | "MANAGED"
  | "MANAGED_NOIF"
  | "UNMANAGED"

export type DeviceStateAnswer = {
  readonly reading: DeviceStateReading | null
  readonly problem: DeviceStateProblem | null
}

export type DeviceStateProblem = { readonly type: string; readonly message: string }

export type DeviceStateReading =
  | { readonly reads: "neighbours"; readonly items: Readonly<Record<string, NeighbourState>> }
  | { readonly reads: "interfaces"; readonly items: Readonly<Record<string, InterfaceUpState>> }
  | { readonly reads: "bgp"; readonly items: Readonly<Record<string, BgpState>> }
  | { readonly reads: "ospf"; readonly items: Readonly<Record<string, OspfState>> }
  | { readonly reads: "routes"; readonly items: Readonly<Record<string, RouteCount>> }
  | { readonly reads: "mlag"; readonly items: Readonly<Record<string, MlagState>> }
  | { readonly reads: "vrrp"; readonly items: Readonly<Record<string, VrrpState>> }
  | { readonly reads: "port_channels"; readonly items: Readonly<Record<string, PortChannelState>> }
  | { readonly reads: "errors"; readonly items: Readonly<Record<string, PortErrorCounts>> }
  | { readonly reads: "macs"; readonly items: Readonly<Record<string, MacCount>> }
  | { readonly reads: "arp"; readonly items: Readonly<Record<string, ArpCount>> }
  | { readonly reads: "spanning_tree"; readonly items: Readonly<Record<string, SpanningTreeState>> }
  | { readonly reads: "environment"; readonly items: Readonly<Record<string, EnvironmentState>> }
  | { readonly reads: "processes"; readonly items: Readonly<Record<string, ProcessState>> }
  | { readonly reads: "log"; readonly items: Readonly<Record<string, LogLine>> }
  | { readonly reads: "ping"; readonly items: Readonly<Record<string, PingResult>> }
  | { readonly reads: "ntp"; readonly items: Readonly<Record<string, TimeSource>> }

export type DeviceType = "UNKNOWN" | "ACCESS" | "DIST" | "CORE"

export type DeviceUpgrade = {
  readonly hostname: string
  readonly group: number
  readonly state: "waiting" | "working" | "returning" | "done" | "failed" | "stopped" | "not_begun"
  readonly step: UpgradeStep | null
  readonly steps_done: ReadonlyArray<UpgradeStep>
  readonly file: string | null
  readonly version_before: string | null
  readonly version: string | null
  readonly message: string | null
  readonly said: string | null
}

/** The result of a job on devices */
export type DevicesResult = {
  /** The result of each device, by hostname */
  readonly devices?: Readonly<Record<string, DeviceResult>> | undefined
  /** Devices that were left out, each with the reason */
  readonly skipped_devices?: Readonly<Record<string, string>> | undefined
}

export type DiffGroup = {
  readonly key: string
  readonly count: number
  readonly hostnames: ReadonlyArray<string>
  readonly diff: string
  readonly added: number
  readonly removed: number
  readonly score: number | null
  readonly risks: ReadonlyArray<RiskyLine>
  readonly risk: ChangeRisk
  readonly viewed: boolean
}

export type DiscoverDeviceRequest = { readonly ztp_mac: string; readonly dhcp_ip: string }

export type DiskStatus = { readonly free_bytes: number; readonly size_bytes: number }

export type DistanceGroup = {
  readonly key: string
  readonly diff: string
  readonly count: number
  readonly places: number
  readonly lines: number
  readonly hostnames: ReadonlyArray<string>
}

export type DistanceRecord = {
  readonly measured_at: string
  readonly settings_commit: string | null
  readonly templates_commit: string | null
  readonly devices: number
  readonly reached: number
  readonly unrendered: number
  readonly lines: number
  readonly differing: number
  readonly distance: number
}

export type EarlierCommit = { readonly commit: string; readonly until: string }

export type EffectiveSettings = {
  readonly settings: Readonly<Record<string, unknown>>
  readonly settings_origin: Readonly<Record<string, string>>
}

export type EndedSession = { readonly revoked: boolean; readonly end_session_url: string | null }

export type EnvironmentState = { readonly ok: boolean; readonly state: string; readonly value: number | null }

export type Event = {
  readonly id: number
  readonly at: string
  readonly kind: string
  readonly action: string
  readonly actor: string
  readonly way: string
  readonly address: string | null
  readonly device_id: number | null
  readonly hostname: string | null
  readonly job_id: number | null
  readonly data: Readonly<Record<string, unknown>>
  readonly is_audit: boolean
  readonly object: Readonly<Record<string, unknown>> | null
}

export type EventPage = {
  readonly events: ReadonlyArray<Event>
  readonly next: number
  readonly more: boolean
  readonly truncated: number | null
}

export type Explanation = {
  readonly allowed: boolean
  readonly reason: string
  readonly in_words: string
  readonly roles: ReadonlyArray<string>
  readonly allowed_by: ReadonlyArray<string>
  readonly role: string | null
  readonly file: string | null
  readonly line: number | null
  readonly held: ReadonlyArray<HeldRole>
}

export type ExportedInterface = { readonly configtype: string; readonly data: InterfaceData | null }

export type ExportedInterfaces = { readonly interfaces: Readonly<Record<string, ExportedInterface>> }

export type FactChange = { readonly old: unknown; readonly new: unknown }

/** The facts of a device that have changed */
export type FactsResult = {
  /** The result of each device, by hostname */
  readonly devices?: Readonly<Record<string, DeviceResult>> | undefined
  readonly diff?: Readonly<Record<string, FactChange>> | undefined
  readonly remarks?: ReadonlyArray<string> | undefined
}

export type FailedProofPolicy = "leave" | "retry"

export type FailureGroup = {
  readonly class: string
  readonly step: string
  readonly sentence: string
  readonly did: string | null
  readonly advice: string | null
  readonly count: number
  readonly devices: ReadonlyArray<string>
  readonly uplinks: ReadonlyArray<string>
  readonly said: string | null
}

export type FailureMessage =
  | string
  | ReadonlyArray<string>
  | { readonly errors: ReadonlyArray<string>; readonly updated?: Readonly<Record<string, unknown>> | undefined }

export type FaultReport = {
  readonly status: "DOWN"
  readonly checks: ReadonlyArray<HealthCheck>
  readonly remark?: string | undefined
}

/** What happened to the image, as a sentence */
export type FileResult = string

export type FindAnswer = {
  readonly hits: ReadonlyArray<FindHit>
  readonly truncated: boolean
  readonly tables: FindTables
}

export type FindHit = {
  readonly kind: "mac" | "arp" | "device" | "port" | "vlan"
  readonly hostname: string
  readonly port: string | null
  readonly vlan: number | null
  readonly mac: string | null
  readonly ip: string | null
  readonly description: string | null
  readonly first_seen: string | null
  readonly last_seen: string | null
  readonly on_uplink: boolean | null
  readonly vlan_name: string | null
  readonly location: string | null
}

export type FindTables = {
  readonly devices: number
  readonly read: number
  readonly oldest: string | null
  readonly newest: string | null
}

export type Finding = {
  readonly kind:
    | "job"
    | "change"
    | "device"
    | "session"
    | "lock"
    | "certificate"
    | "database"
    | "disk"
    | "clock"
    | "machine"
    | "repository"
    | "alert"
    | "role"
    | "protection"
    | "token"
  readonly level: "bad" | "warn"
  readonly about: string
  readonly since: string | null
  readonly what: string
  readonly why: string
  readonly next: string
  readonly repair: FindingRepair | null
}

export type FindingRepair = {
  readonly says: string
  readonly method: "POST" | "PUT" | "DELETE"
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
}

export type FirmwareDownload = {
  readonly job_id: number
  readonly status: string
  readonly by: string | null
  readonly url: string | null
  readonly file: string | null
  readonly bytes: number | null
  readonly total: number | null
}

export type FirmwareFiles = { readonly files: ReadonlyArray<string>; readonly defaults: ReadonlyArray<DefaultImage> }

export type FirmwareImage = {
  readonly file: string
  readonly size: number | null
  readonly sha1: string | null
  readonly defaults: ReadonlyArray<string>
}

export type FirmwareImages = {
  readonly images: ReadonlyArray<FirmwareImage>
  readonly downloads: ReadonlyArray<FirmwareDownload>
}

export type Forbidden = { readonly status: "error"; readonly message: FailureMessage }

export type ForgeApproval = {
  readonly login: string
  readonly person: string | null
  readonly decision: "approved" | "rejected"
  readonly commit: string | null
  readonly at: string
  readonly counts: boolean
  readonly why_not: string | null
}

export type ForgeEventOutcome = { readonly taken: boolean; readonly why: string; readonly proposal: number | null }

export type FoundLine = { readonly number: number; readonly section: string; readonly text: string }

export type Freeze = {
  readonly name: string
  readonly groups: ReadonlyArray<string> | null
  readonly device_types: ReadonlyArray<string> | null
  readonly timezone: string
  readonly reason: string | null
  readonly is_in_force: boolean
  readonly begins_at: string | null
  readonly ends_at: string | null
  readonly spans: ReadonlyArray<WindowSpan>
}

export type GeneratedConfig = {
  readonly hostname?: string | undefined
  readonly generated_config?: string | undefined
  readonly available_variables?: Readonly<Record<string, unknown>> | undefined
}

export type GroupEffect = {
  readonly name: string
  readonly before: number
  readonly after: number
  readonly gained: number
  readonly lost: number
  readonly gained_names: ReadonlyArray<string>
  readonly lost_names: ReadonlyArray<string>
  readonly used_by: ReadonlyArray<GroupUse>
}

export type GroupSettings = {
  readonly regex: string
  readonly group_priority: number
  readonly templates_branch: string | null
}

export type GroupUse = {
  readonly kind: "window" | "freeze" | "role" | "alert rule" | "templates_branch" | "settings"
  readonly name: string
}

export type Groups = {
  readonly groups: Readonly<Record<string, ReadonlyArray<string>>>
  readonly group_settings: Readonly<Record<string, GroupSettings>>
}

export type HealthCheck = {
  readonly name: string
  readonly status: "UP" | "DOWN"
  readonly message?: string | undefined
}

export type HealthReport = {
  readonly status: "UP"
  readonly checks: ReadonlyArray<HealthCheck>
  readonly remark?: string | undefined
}

export type HeldRole = { readonly role: string; readonly because: string; readonly line: number | null }

export type HostKey = {
  readonly hostname: string
  readonly fingerprint: string | null
  readonly refused_fingerprint: string | null
}

export type HostKeyApprovals = {
  readonly approved: number
  readonly refused: number
  readonly host_keys: ReadonlyArray<ApprovedHostKey>
}

export type IgnoredDevice = { readonly by: string; readonly at: string; readonly comment: string | null }

export type InitLine = {
  readonly hostname: string
  readonly device_type: string
  readonly mac?: string | undefined
  readonly serial?: string | undefined
  readonly replace_hostname?: boolean | undefined
}

/** The result of step 1 of an initialisation; `progress` while it runs */
export type InitResult = {
  /** The result of each device, by hostname */
  readonly devices?: Readonly<Record<string, DeviceResult>> | undefined
  readonly progress?: ReadonlyArray<InitStep> | undefined
}

export type InitStep = { readonly time: string; readonly step: string; readonly message: string }

export type Interface = {
  readonly device_id: number
  readonly name: string
  readonly configtype: ConfigType
  readonly data: InterfaceData | null
  readonly indexnum: number
}

export type InterfaceChange = {
  readonly configtype?: ConfigType | null | undefined
  readonly data?: InterfaceData | null | undefined
}

export type InterfaceChanges = { readonly interfaces: Readonly<Record<string, InterfaceChange>> }

export type InterfaceData = {
  readonly untagged_vlan?: string | number | null | undefined
  readonly tagged_vlan_list?: ReadonlyArray<string | number> | null | undefined
  readonly vxlan?: string | null | undefined
  readonly neighbor?: string | null | undefined
  readonly neighbor_id?: number | null | undefined
  readonly description?: string | null | undefined
  readonly enabled?: boolean | null | undefined
  readonly aggregate_id?: number | null | undefined
  readonly bpdu_filter?: boolean | null | undefined
  readonly redundant_link?: boolean | null | undefined
  readonly tags?: ReadonlyArray<string> | null | undefined
  readonly cli_append_str?: string | null | undefined
}

export type InterfacePreview = {
  readonly updated: Readonly<Record<string, ChangedInterface>>
  readonly errors: ReadonlyArray<string>
  readonly diff: string
}

export type InterfaceStatus = {
  readonly is_up: boolean | null
  readonly is_enabled: boolean | null
  readonly description: string
  readonly last_flapped: number
  readonly mtu: number | null
  readonly speed: number | null
  readonly mac_address: string
  readonly errors?: PortErrors | undefined
}

export type InterfaceUpState = { readonly is_up: boolean; readonly is_enabled: boolean | null }

/** The ports that were written */
export type InterfacesResult = { readonly interfaces?: ReadonlyArray<WrittenInterface> | undefined }

export type InternalError = {
  readonly status: "error"
  readonly message: FailureMessage
  readonly problems?: ReadonlyArray<Remark> | undefined
}

export type Job = {
  readonly id: number
  readonly status: JobStatus
  readonly scheduled_time: string | null
  readonly start_time: string | null
  readonly finish_time: string | null
  readonly function_name: string
  readonly scheduled_by: string | null
  readonly comment: string | null
  readonly ticket_ref: string | null
  readonly next_job_id: number | null
  readonly result: JobResult | null
  readonly exception: JobException | null
  readonly traceback: string | null
  readonly finished_devices: ReadonlyArray<string> | null
  readonly change_score: number | null
  readonly outcome: JobOutcome | null
  readonly failed_devices: ReadonlyArray<string> | null
  readonly counts: JobCounts | null
  readonly start_arguments: Readonly<Record<string, unknown>> | null
  readonly waiting_for: JobWaiting | null
  readonly settings_commit: string | null
  readonly templates_commit: string | null
  readonly settings_signature: CommitSignature | null
  readonly templates_signature: CommitSignature | null
  readonly abort_reason: string | null
  readonly aborted_by: string | null
}

export type JobApproval = {
  readonly job_id: number
  readonly function_name: string
  readonly title: string | null
  readonly ticket_ref: string | null
  readonly status: JobStatus
  readonly outcome: JobOutcome | null
  readonly reason: string
  readonly dry_run_job: number | null
  readonly asked_by: string
  readonly asked_at: string
  readonly expires_at: string
  readonly decision: "approved" | "rejected" | "expired" | "unneeded" | "withdrawn" | null
  readonly decided_by: string | null
  readonly decided_at: string | null
  readonly comment: string | null
  readonly is_yours: boolean
  readonly may_decide: boolean
  readonly why_not: string | null
  readonly approvers: ReadonlyArray<string>
  readonly devices: number | null
  readonly risk: ApprovalRisk | null
}

export type JobCheck = {
  readonly name: string
  readonly sentence: string
  readonly held: number
  readonly failed: number
  readonly unread: number
  readonly undecided: number
  readonly planned: ReadonlyArray<string>
  readonly rule: string | null
  readonly results: ReadonlyArray<CheckResultOnDevice>
  readonly left_out: number
}

export type JobChecks = {
  readonly checks: ReadonlyArray<JobCheck>
  readonly skipped: { readonly reason: string; readonly by: string | null } | null
}

export type JobCounts = {
  readonly devices: number
  readonly succeeded: number
  readonly failed: number
  readonly changed: number
  readonly not_begun?: number | undefined
}

export type JobDiffs = {
  readonly groups: ReadonlyArray<DiffGroup>
  readonly changed: number
  readonly unchanged: number
  readonly failed: number
  readonly left_out: number
}

export type JobException = {
  readonly message: string
  readonly type: string
  readonly args: ReadonlyArray<string>
  readonly traceback: string
}

export type JobLock = {
  readonly job_id: number
  readonly name: string
  readonly start_time: string
  readonly abort: boolean
}

export type JobOutcome = "success" | "partial" | "failed" | "aborted"

export type JobProgress = {
  readonly devices: ReadonlyArray<DeviceProgress>
  readonly unpausable: string | null
  readonly failures: ReadonlyArray<FailureGroup>
  readonly totals: JobTotals
  readonly seconds_left: number | null
  readonly undoable: number
  readonly undone_by: ReadonlyArray<number>
}

export type JobQueueCounts = { readonly running: number; readonly waiting: number; readonly failed_today: number }

/** `x-by-function` names the schema of each function; a dry run has the same */
export type JobResult =
  | SyncResult
  | ConfirmResult
  | DevicesResult
  | InitResult
  | InterfacesResult
  | RefreshResult
  | FactsResult
  | UpgradeResult
  | FileResult
  | AbortedResult

export type JobScope = {
  readonly devices: number
  readonly hostnames: ReadonlyArray<string>
  readonly would_change: number | null
  readonly not_compared: number | null
  readonly outdated: ReadonlyArray<string>
  readonly device_types: ReadonlyArray<CountedName>
  readonly groups: ReadonlyArray<CountedGroup>
  readonly sites: ReadonlyArray<CountedName>
  readonly machines: number | null
  readonly uplinks: ReadonlyArray<TouchedUplinks>
  readonly rollout: RolloutPlan | null
  readonly window: ScopeWindow | null
  readonly approval: JobApproval | null
}

export type JobStarted = {
  readonly status: "success"
  readonly data: string
  readonly job_id: number
  readonly warnings?: ReadonlyArray<string> | undefined
}

export type JobStatus = "UNKNOWN" | "SCHEDULED" | "RUNNING" | "FINISHED" | "EXCEPTION" | "ABORTED" | "ABORTING"

export type JobTask = {
  readonly task_name: string
  readonly result: unknown
  readonly diff: string
  readonly failed: boolean
  readonly proof?: "loaded-again" | "promised-text" | "lines" | undefined
  readonly remarks?: ReadonlyArray<string> | undefined
  readonly said?: ReadonlyArray<SaidLine> | undefined
  readonly not_shown?: ReadonlyArray<NotShownLine> | undefined
  readonly checks?: ReadonlyArray<CheckResult> | undefined
  readonly planned_checks?: ReadonlyArray<PlannedCheck> | undefined
}

export type JobTotals = {
  readonly devices: number
  readonly done: number
  readonly failed: number
  readonly working: number
  readonly waiting: number
  readonly not_begun: number
}

export type JobWaiting = LockWait | TimerWait | ApprovalWait | WindowWait | PlaceWait | PauseWait

export type LearnedLine = {
  readonly id: number
  readonly platform: string
  readonly release: string
  readonly section: ReadonlyArray<string>
  readonly line: string
  readonly shown: ReadonlyArray<string>
  readonly state: "spelled" | "default" | "not_taken" | "not_used"
  readonly learned_at: string
}

export type Lease = {
  readonly ztp_mac: string
  readonly dhcp_ip: string
  readonly platform: string
  readonly outcome: "taken" | "refused" | "waits"
  readonly step: "create" | "discovery" | "address" | "none"
  readonly message: string
  readonly host: string
  readonly since: string
  readonly reported_at: string
}

export type LeaseQueue = { readonly host: string; readonly waiting: number; readonly reported_at: string }

export type LineOfDevice = { readonly hostname: string; readonly line: number; readonly text: string }

export type LineOrigins = {
  readonly hostname: string
  readonly lines: ReadonlyArray<OriginOfLine>
  readonly commits: ReadonlyArray<WritingCommit>
  readonly jobs: ReadonlyArray<StoredConfig>
  readonly has_older: boolean
}

export type LinesFromSource = {
  readonly searched: number
  readonly lines: ReadonlyArray<LineOfDevice>
  readonly next: string | null
}

export type Linknet = {
  readonly id: number
  readonly ipv4_network: string | null
  readonly device_a_id: number
  readonly device_a_ip: string | null
  readonly device_a_port: string
  readonly device_b_id: number
  readonly device_b_ip: string | null
  readonly device_b_port: string
  readonly site_id: number | null
  readonly description: string | null
}

export type LldpNeighbor = { readonly hostname: string; readonly port: string }

export type LldpNeighborDetail = {
  readonly parent_interface: string
  readonly remote_port: string
  readonly remote_port_description: string
  readonly remote_chassis_id: string
  readonly remote_system_name: string
  readonly remote_system_description: string
  readonly remote_system_capab: ReadonlyArray<string>
  readonly remote_system_enable_capab: ReadonlyArray<string>
}

export type LockWait = {
  readonly reason: "lock"
  readonly lock: string
  readonly job_id: number
  readonly function_name: string
  readonly since: string
  readonly waits_since?: string | undefined
  readonly message: string
}

export type LogLine = {
  readonly severity: "emergency" | "alert" | "critical" | "error" | "warning" | "notice" | "informational" | "debugging"
  readonly message: string
  readonly at: number | null
}

export type LoginMethods = {
  readonly needed: boolean
  readonly password: boolean
  readonly provider: LoginProvider | null
  readonly token: boolean
  readonly site: string | null
  readonly is_new: boolean
}

export type LoginProvider = { readonly name: string; readonly path: string }

export type LoopLag = { readonly median: number; readonly p99: number }

export type MacCount = { readonly count: number }

export type MgmtDomain = {
  readonly id: number
  readonly ipv4_gw: string | null
  readonly ipv6_gw: string | null
  readonly device_a_id: number
  readonly device_a_ip: string | null
  readonly device_b_id: number
  readonly device_b_ip: string | null
  readonly site_id: number | null
  readonly vlan: number | null
  readonly description: string | null
  readonly esi_mac: string | null
  readonly device_a: string
  readonly device_b: string
}

export type MissingLinesPolicy = "warn" | "fail"

export type MlagState = {
  readonly state: string
  readonly is_active: boolean
  readonly peer_link_up: boolean | null
  readonly sane: boolean | null
}

export type MovedAddress = { readonly hostname: string; readonly field: string; readonly address: string }

export type Mute = {
  readonly id: number
  readonly hostname: string | null
  readonly group: string | null
  readonly rule: string | null
  readonly reason: string
  readonly begins_at: string
  readonly ends_at: string
  readonly created_by: string
  readonly is_in_force: boolean
}

export type NamingPort = {
  readonly hostname: string
  readonly interface: string
  readonly as: "untagged" | "tagged" | "vxlan"
}

export type NeighbourState = { readonly hostname: string | null; readonly port: string | null }

export type NewDeviceCounts = { readonly waiting: number; readonly ignored: number }

export type NotFound = { readonly status: "error"; readonly message: FailureMessage }

export type NotShownLine = { readonly line_number: number; readonly line: string; readonly is_new: boolean }

export type OfferedHostKey = { readonly hostname: string; readonly fingerprint: string }

export type OnboardedDevice = {
  readonly hostname: string
  readonly device_type: string
  readonly platform: string | null
  readonly management_ip: string | null
  readonly state: OnboardingState
  readonly message: string | null
  readonly source: string
  readonly origin: string
  readonly added_by: string
  readonly added_at: string
  readonly fingerprint: string | null
  readonly refused_fingerprint: string | null
  readonly shown: OnboardedFacts | null
  readonly config_from: "session" | "file" | null
  readonly config_at: string | null
  readonly lines: number | null
  readonly extra: number | null
  readonly missing: number | null
  readonly distance: number | null
  readonly measured_at: string | null
}

export type OnboardedFacts = {
  readonly hostname: string | null
  readonly serial: string | null
  readonly model: string | null
  readonly os_version: string | null
  readonly mac: string | null
  readonly ports: number
  readonly neighbours: number
}

export type OnboardingDistance = {
  readonly now: DistanceRecord
  readonly groups: ReadonlyArray<DistanceGroup>
  readonly left_out: number
  readonly unrendered: Readonly<Record<string, string>>
  readonly is_measuring: boolean
}

export type OnboardingError = {
  readonly file: string
  readonly line: number | null
  readonly field: string
  readonly message: string
}

export type OnboardingFile = { readonly path: string; readonly text: string; readonly modified_at?: string | undefined }

export type OnboardingResult = {
  readonly stored: boolean
  readonly hostnames: ReadonlyArray<string>
  readonly errors: ReadonlyArray<OnboardingError>
  readonly job_id: number | null
}

export type OnboardingState = "waiting" | "host_key" | "failed" | "unrendered" | "differs" | "ready" | "managed"

export type OpenedSession = { readonly access_token: string; readonly expires_in: number }

export type OriginOfLine = {
  readonly line: number
  readonly text: string
  readonly job_id: number | null
  readonly template: TemplateLine | null
  readonly settings: ReadonlyArray<SettingLine>
  readonly port: string | null
}

export type OspfState = { readonly state: string; readonly is_full: boolean }

export type Overview = {
  readonly devices: DeviceCounts
  readonly jobs: JobQueueCounts
  readonly new_devices: NewDeviceCounts
}

export type OverviewHistory = {
  readonly hours: number
  readonly step: number
  readonly points: ReadonlyArray<OverviewPoint>
}

export type OverviewPoint = {
  readonly at: string
  readonly total: number
  readonly in_sync: number
  readonly unsynchronized: number
  readonly unsynchronized_by: Readonly<Record<string, number>>
  readonly drifted: number
  readonly silent: number
}

export type PauseWait = {
  readonly reason: "pause"
  readonly by: string
  readonly why: string | null
  readonly since: string
  readonly message: string
}

export type PayloadTooLarge = { readonly status: "error"; readonly message: FailureMessage }

export type Permission = {
  readonly methods?: ReadonlyArray<string> | undefined
  readonly endpoints?: ReadonlyArray<string> | undefined
  readonly pages?: ReadonlyArray<string> | undefined
  readonly rights?: ReadonlyArray<string> | undefined
  readonly fields?: Readonly<Record<string, ReadonlyArray<string>>> | undefined
  readonly states?: ReadonlyArray<string> | undefined
  readonly groups?: ReadonlyArray<string> | undefined
  readonly device_types?: ReadonlyArray<string> | undefined
  readonly interfaces?: ReadonlyArray<string> | undefined
  readonly jobs?: ReadonlyArray<string> | undefined
  readonly live?: boolean | undefined
  readonly max_devices?: number | undefined
  readonly approval?: boolean | undefined
}

export type Person = {
  readonly person: string
  readonly way: string
  readonly name: string
  readonly roles: ReadonlyArray<string>
  readonly tokens: number
  readonly seen_at: string | null
  readonly withdrawn_at: string | null
  readonly withdrawn_by: string | null
}

export type PersonExplanation = {
  readonly person: string
  readonly name: string
  readonly allowed: boolean
  readonly reason: string
  readonly in_words: string
  readonly roles: ReadonlyArray<string>
  readonly allowed_by: ReadonlyArray<string>
  readonly role: string | null
  readonly file: string | null
  readonly line: number | null
  readonly held: ReadonlyArray<HeldRole>
}

export type PersonRequest = { readonly person: string }

export type PingResult = {
  readonly sent: number
  readonly received: number
  readonly loss_percent: number
  readonly rtt_ms: number | null
}

export type PlaceWait = {
  readonly reason: "place"
  readonly class: "person" | "schedule" | "upkeep"
  readonly places: number
  readonly message: string
}

export type PlannedCheck = { readonly name: string; readonly sentence: string }

export type PlannedStage = {
  readonly is_canary: boolean
  readonly count: number
  readonly hostnames: ReadonlyArray<string>
}

export type PluginEntry = { readonly filename: string; readonly vars?: Readonly<Record<string, unknown>> | undefined }

export type PluginState = {
  readonly filename: string
  readonly loaded: boolean
  readonly problem: string | null
  readonly hooks: ReadonlyArray<string>
  readonly checks: ReadonlyArray<string>
  readonly failed_calls: number
  readonly retried_calls: number
  readonly last_error: string | null
  readonly last_error_at: string | null
}

export type PortChannelState = { readonly members: ReadonlyArray<string>; readonly active: ReadonlyArray<string> }

export type PortErrorCounts = {
  readonly in_errors: number | null
  readonly out_errors: number | null
  readonly in_discards: number | null
  readonly out_discards: number | null
  readonly total: number
}

export type PortErrors = {
  readonly in: number
  readonly out: number
  readonly in_discards: number
  readonly out_discards: number
}

export type PortFileDiff = { readonly hostnames: ReadonlyArray<string>; readonly diff: string }

export type PortFileError = { readonly line: number; readonly column: string; readonly message: string }

export type PortFileResult = {
  readonly stored: boolean
  readonly errors: ReadonlyArray<PortFileError>
  readonly updated: Readonly<Record<string, Readonly<Record<string, ChangedInterface>>>>
  readonly diffs: ReadonlyArray<PortFileDiff>
  readonly version: string
}

export type PortMachine = {
  readonly port: string
  readonly mac: string
  readonly ip: string | null
  readonly vlan: number | null
  readonly first_seen: string
  readonly last_seen: string
}

export type PortOptics = {
  readonly media: string
  readonly serial: string
  readonly rx_power: number | null
  readonly tx_power: number | null
  readonly bias: number | null
  readonly temperature: number | null
}

export type PortOptions = {
  readonly vlans: ReadonlyArray<PortVlan>
  readonly profiles: ReadonlyArray<PortProfile>
  readonly location: string | null
}

export type PortProfile = { readonly name: string; readonly description: string }

export type PortReading = {
  readonly is_up: boolean | null
  readonly is_enabled: boolean | null
  readonly description: string
  readonly last_flapped: number
  readonly mtu: number | null
  readonly speed: number | null
  readonly mac_address: string
  readonly errors?: PortErrors | undefined
  readonly light?: PortOptics | undefined
}

export type PortReadingProblem = { readonly busy: boolean; readonly message: string }

export type PortReadings = {
  readonly read_at: string | null
  readonly age: number | null
  readonly problem: PortReadingProblem | null
  readonly ports: Readonly<Record<string, PortReading>>
  readonly machines: ReadonlyArray<PortMachine>
}

export type PortVlan = { readonly id: number; readonly name: string }

export type PreconditionFailed = { readonly status: "error"; readonly message: FailureMessage }

export type PreviousConfig = {
  readonly job_id: number
  readonly finish_time: string
  readonly config?: string | undefined
  readonly failed: boolean
}

export type ProcessState = { readonly uptime: number | null }

export type ProcessStatus = {
  readonly uptime_seconds: number
  readonly memory_bytes: number
  readonly open_files: number | null
  readonly loop_lag_seconds: LoopLag
  readonly loop_utilization: number
}

export type Proposal = {
  readonly id: number
  readonly repository: "settings" | "templates"
  readonly branch: string
  readonly title: string | null
  readonly state: "open" | "merged" | "closed" | "superseded"
  readonly opened_by: string
  readonly opened_there: boolean
  readonly opened_at: string
  readonly ended_at: string | null
  readonly ended_by: string | null
  readonly why: string | null
  readonly merged_commit: string | null
  readonly superseded_by: number | null
  readonly commit: string | null
  readonly committer: string | null
  readonly committed_at: string | null
  readonly signature: CommitSignature | null
  readonly earlier: ReadonlyArray<EarlierCommit>
  readonly check: "waiting" | "checking" | "accepted" | "refused" | "failed"
  readonly error: string | null
  readonly checked_at: string | null
  readonly in_force: string | null
  readonly devices: BranchDevices | null
  readonly ways: number
  readonly risk: ProposalRisk | null
  readonly needs_confirmation: boolean
  readonly forge: ProposalAtForge | null
}

export type ProposalAtForge = {
  readonly number: number | null
  readonly url: string | null
  readonly told: string | null
  readonly error: string | null
  readonly given_up: boolean
}

export type ProposalRisk = {
  readonly level: "low" | "medium" | "high"
  readonly reason: string | null
  readonly devices: number
}

export type ProposedDiffGroup = {
  readonly key: string
  readonly count: number
  readonly hostnames: ReadonlyArray<string>
  readonly added: number
  readonly removed: number
  readonly diff: string
  readonly score: number | null
  readonly risks: ReadonlyArray<RiskyLine>
  readonly risk: ChangeRisk
  readonly viewed: boolean
}

export type ProposedLink = {
  readonly device_a: string
  readonly device_a_port: string
  readonly device_b: string
  readonly device_b_port: string
  readonly agreement: "both" | "one" | "contradiction"
  readonly reason: string
}

export type ProposedPort = { readonly configtype: string; readonly data: Readonly<Record<string, unknown>> }

export type ProposedSetting = { readonly file: string; readonly key: string; readonly why: string }

export type QueueStatus = { readonly jobs: ReadonlyArray<QueuedJobs>; readonly oldest_seconds: number }

export type QueuedJobs = { readonly function_name: string; readonly status: string; readonly count: number }

/** The commit that came into force as a sentence, or why it did not */
export type RefreshResult = {
  readonly message?: string | undefined
  readonly error?: string | undefined
  readonly repository: string
  readonly commit?: string | undefined
  readonly signature?: CommitSignature | null | undefined
}

export type RefusedAutoPush = {
  readonly refused: string
  readonly message: string
  readonly lines: ReadonlyArray<string>
}

export type Remark = {
  readonly file: string | null
  readonly line: number | null
  readonly column: number | null
  readonly path: string | null
  readonly message: string
}

export type RemovedKey = { readonly file: string; readonly key: string }

export type RemovedKind = {
  readonly kind: "VLANs" | "directories of devices" | "groups" | "templates"
  readonly before: number
  readonly removed: number
  readonly names: ReadonlyArray<string>
}

export type RenderedTemplate = {
  readonly template: string | null
  readonly text: string
  readonly log: ReadonlyArray<TemplateLogLine>
  readonly warnings: ReadonlyArray<Remark>
}

export type ReplicaStatus = { readonly address: string; readonly is_healthy: boolean; readonly heard_seconds: number }

export type ReportedApproval = {
  readonly job_id: number
  readonly reason: string
  readonly asked_by: string
  readonly asked_at: string
  readonly decision: string | null
  readonly decided_by: string | null
  readonly decided_at: string | null
  readonly comment: string | null
}

export type ReportedChecks = {
  readonly job_id: number
  readonly checks: ReadonlyArray<JobCheck>
  readonly skipped: { readonly reason: string; readonly by: string | null } | null
}

export type ReportedDevice = {
  readonly job_id: number
  readonly hostname: string
  readonly phase: string | null
  readonly reason: string | null
  readonly failed: boolean | null
  readonly changed: boolean
  readonly proof: "loaded-again" | "promised-text" | "lines" | null
  readonly began_at: string | null
  readonly ended_at: string | null
  readonly why: string | null
}

export type ReportedEvent = { readonly at: string; readonly id: number; readonly by: string; readonly text: string }

export type ReportedGroup = {
  readonly hostnames: ReadonlyArray<string>
  readonly added: number
  readonly removed: number
  readonly risk: ChangeRisk
  readonly diff: string
}

export type ReportedJob = {
  readonly id: number
  readonly part: "preview" | "rollout" | "confirmation" | "undo"
  readonly function_name: string
  readonly status: JobStatus
  readonly outcome: JobOutcome | null
  readonly by: string | null
  readonly comment: string | null
  readonly ticket_ref: string | null
  readonly requested_at: string | null
  readonly began_at: string | null
  readonly ended_at: string | null
  readonly settings_commit: string | null
  readonly templates_commit: string | null
  readonly settings_signature: CommitSignature | null
  readonly templates_signature: CommitSignature | null
  readonly change_score: number | null
  readonly aborted_by: string | null
  readonly abort_reason: string | null
  readonly emergency: string | null
  readonly waited_for_window: boolean
  readonly canary: number | ReadonlyArray<string> | null
  readonly batch_size: number | null
}

export type ReportedProposal = {
  readonly id: number
  readonly repository: string
  readonly branch: string
  readonly title: string | null
  readonly commit: string | null
  readonly merged_commit: string | null
  readonly signature: CommitSignature | null
  readonly opened_by: string
  readonly opened_at: string
  readonly ended_at: string | null
  readonly ended_by: string | null
  readonly url: string | null
  readonly approvals: ReadonlyArray<ForgeApproval>
}

export type RepositoryBranch = {
  readonly branch: string
  readonly commit: string
  readonly author: string
  readonly at: string
  readonly subject: string
  readonly in_force: boolean
  readonly signature: CommitSignature | null
}

export type RepositoryBranches = { readonly branches: ReadonlyArray<RepositoryBranch> }

export type RepositoryCommit = {
  readonly commit: string
  readonly author: string
  readonly committer: string
  readonly at: string
  readonly subject: string
  readonly message: string
  readonly state: "in_force" | "refused" | "not_applied" | "replaced" | "waiting"
  readonly refusal: CommitRefusal | null
  readonly signature: CommitSignature | null
}

export type RepositoryFile = { readonly path: string; readonly size: number }

export type RepositoryFileText = { readonly path: string; readonly text: string }

export type RepositoryFiles = { readonly commit: string | null; readonly files: ReadonlyArray<RepositoryFile> }

export type RequestApproval = {
  readonly id: number
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly body: unknown
  readonly asked_by: string
  readonly asked_at: string
  readonly expires_at: string
  readonly decision: string | null
  readonly decided_by: string | null
  readonly decided_at: string | null
  readonly comment: string | null
  readonly answer: ApprovalAnswer | null
}

export type RequestTimeout = { readonly status: "error"; readonly message: FailureMessage }

export type RetainedRows = {
  readonly kind: string
  readonly rows: number
  readonly bytes: number | null
  readonly oldest: string | null
  readonly due: number
  readonly removed: number
  readonly looked_at: string
}

export type RiskyLine = { readonly line: string; readonly weight: number }

export type Role = {
  readonly name: string
  readonly is_ready: boolean
  readonly is_held: boolean
  readonly permissions: ReadonlyArray<Permission>
  readonly line: number | null
  readonly lines: ReadonlyArray<number | null>
}

export type RolloutPlan = {
  readonly stages: ReadonlyArray<PlannedStage>
  readonly at_once: number
  readonly confirm_mode: 0 | 1 | 2
  readonly timer_seconds: number | null
  readonly stops_at: number | null
  readonly takes_back: boolean
  readonly urgent: boolean
  readonly emergency: string | null
  readonly waits_for_window: boolean
  readonly seconds: number | null
}

export type RouteCount = { readonly count: number }

export type RuleEffect = {
  readonly kind: "window" | "freeze" | "role" | "alert rule" | "templates_branch" | "settings"
  readonly name: string
  readonly before: number
  readonly after: number
  readonly gained: number
  readonly lost: number
  readonly gained_names: ReadonlyArray<string>
  readonly lost_names: ReadonlyArray<string>
}

export type SaidLine = { readonly line_number: number; readonly line: string; readonly answer: string }

export type SavedView = {
  readonly id: number
  readonly owner: string
  readonly list: string
  readonly name: string
  readonly query: string
  readonly shared: boolean
  readonly saved_at: string
}

export type ScopeWindow = {
  readonly is_open: boolean
  readonly closes_at: string | null
  readonly opens_at: string | null
  readonly why: string | null
}

export type Secret = {
  readonly name: string
  readonly kind: "login" | "template" | "device" | "plugin" | "alert" | "repository" | "server"
  readonly standing: "used" | "missing" | "optional" | "unused" | "waiting"
  readonly source: "environment" | "file" | "database" | null
  readonly set_at: string | null
  readonly set_by: string | null
  readonly uses: ReadonlyArray<SecretUse>
  readonly devices: number
  readonly hostnames: ReadonlyArray<string>
}

export type SecretScope = {
  readonly by: "all" | "type" | "group" | "platform" | "state" | "device"
  readonly name: string
}

export type SecretUse = {
  readonly of: "templates" | "settings" | "alerts" | "plugins" | "switches" | "server"
  readonly file: string | null
  readonly line: number | null
  readonly scope: SecretScope | null
}

export type SentStackMember = {
  readonly member_no?: number | null | undefined
  readonly hardware_id: string
  readonly priority?: number | null | undefined
}

export type ServerStatus = {
  readonly version: string
  readonly git_version: string
  readonly status: "UP" | "DOWN"
  readonly checks: ReadonlyArray<HealthCheck>
  readonly remark: string | null
  readonly process: ProcessStatus
  readonly disk: DiskStatus | null
  readonly database: DatabaseStatus | null
  readonly queue: QueueStatus | null
  readonly retained: ReadonlyArray<RetainedRows> | null
  readonly dead_letters: number | null
  readonly replicas: ReadonlyArray<ReplicaStatus> | null
}

export type ServiceUnavailable = { readonly status: "error"; readonly message: FailureMessage }

export type SettingLine = {
  readonly name: string
  readonly file: string
  readonly line: number | null
  readonly commit: string | null
}

export type SettingPlace = { readonly file: string; readonly line: number | null }

export type SettingsProposal = {
  readonly patch: string
  readonly files: ReadonlyArray<string>
  readonly keys: ReadonlyArray<ProposedSetting>
  readonly ports: Readonly<Record<string, Readonly<Record<string, ProposedPort>>>>
  readonly before: number
  readonly after: number
  readonly distance_before: number
  readonly distance_after: number
}

export type SetupFinding = {
  readonly of: "settings" | "templates" | "networks"
  readonly is_good: boolean
  readonly message: string
  readonly commit: string | null
}

export type SetupProgress = {
  readonly settings: SetupSource
  readonly templates: SetupSource
  readonly networks: string | null
  readonly devices: number
  readonly previewed: boolean
  readonly pushed: boolean
  readonly can_restart: boolean
}

export type SetupSource = { readonly address: string | null; readonly commit: string | null }

export type ShownCheck = {
  readonly name: string
  readonly description: string | null
  readonly for: CheckScope
  readonly when_diff: string | null
  readonly question: CheckQuestion
  readonly only: string | null
  readonly where: Readonly<Record<string, boolean | number | string>>
  readonly condition: CheckCondition
  readonly settle: number
  readonly within: number
  readonly before: "warn" | "refuse"
  readonly also_neighbours: boolean
  readonly set: string | null
  readonly sentence: string
  readonly file: string | null
  readonly line: number | null
  readonly branch: string | null
  readonly devices: ReadonlyArray<string>
}

export type SpanningTreeState = {
  readonly root: string
  readonly is_root: boolean
  readonly topology_changes: number | null
  readonly since_change: number | null
}

export type StackMember = {
  readonly member_no: number | null
  readonly hardware_id: string
  readonly priority: number | null
}

export type StartedInit = { readonly hostname: string; readonly device_id: number; readonly job_id: number }

export type Statechart = {
  readonly initial: string
  readonly states: ReadonlyArray<string>
  readonly arrows: ReadonlyArray<StatechartArrow>
}

export type StatechartArrow = {
  readonly from: string | null
  readonly to: string
  readonly event: string
  readonly rule: string | null
}

export type Statecharts = { readonly life: Statechart; readonly activity: Statechart; readonly change: Statechart }

export type StoppedRollout = {
  /** Why it was stopped */
  readonly stopped: string
  readonly reverted: ReadonlyArray<string>
  readonly not_started: ReadonlyArray<string>
}

export type StoredConfig = {
  readonly job_id: number
  readonly finish_time: string
  readonly function_name: string
  readonly failed: boolean
  readonly has_config: boolean
  readonly by: string | null
  readonly found_by: string | null
  readonly made_by: string | null
  readonly comment: string | null
  readonly settings_commit: string | null
  readonly templates_commit: string | null
  readonly settings_signature: CommitSignature | null
  readonly templates_signature: CommitSignature | null
}

export type SyncBeside = { readonly job_id: number; readonly hostnames: ReadonlyArray<string> }

export type SyncEvent = {
  readonly cause: string
  readonly timestamp: number
  readonly by: string
  readonly found_by: string
  readonly made_by: string | null
  readonly job_id: number | null
  readonly failed_proof?: string | undefined
}

/** The result of a synchronization */
export type SyncResult = {
  /** The result of each device, by hostname */
  readonly devices?: Readonly<Record<string, DeviceResult>> | undefined
  /** Devices that were left out, each with the reason */
  readonly skipped_devices?: Readonly<Record<string, string>> | undefined
  readonly remarks?: ReadonlyArray<string> | undefined
  readonly rollout?: StoppedRollout | undefined
  readonly auto_push?: RefusedAutoPush | undefined
  readonly beside?: ReadonlyArray<SyncBeside> | undefined
}

export type TemplateLine = { readonly file: string; readonly line: number; readonly commit: string | null }

export type TemplateLogLine = { readonly level: string; readonly text: string }

export type TemplateVariable = {
  readonly name: string
  readonly value: unknown
  readonly source: "settings" | "computed" | "database" | "secret" | "override"
  readonly level: string | null
  readonly places: ReadonlyArray<SettingPlace>
}

export type TemplateVariables = {
  readonly hostname: string
  readonly group: string
  readonly branch: string | null
  readonly platform: string | null
  readonly template: string | null
  readonly variables: ReadonlyArray<TemplateVariable>
}

export type TimeSource = {
  readonly is_synchronized: boolean
  readonly offset_ms: number | null
  readonly stratum: number | null
}

export type TimerWait = {
  readonly reason: "timer"
  readonly devices: ReadonlyArray<string>
  readonly seconds: number
  readonly message: string
}

export type TooManyRequests = { readonly status: "error"; readonly message: FailureMessage }

export type Topology = { readonly nodes: ReadonlyArray<TopologyNode>; readonly edges: ReadonlyArray<TopologyEdge> }

export type TopologyEdge = {
  readonly a: number
  readonly a_port: string
  readonly b: number
  readonly b_port: string
  readonly linknet_id: number | null
  readonly agreement: "agreed" | "planned" | "unread" | "seen" | "moved"
  readonly instead: string | null
}

export type TopologyNode = {
  readonly id: number
  readonly hostname: string
  readonly device_type: DeviceType
  readonly state: DeviceState
  readonly synchronized: boolean
  readonly os_version: string | null
  readonly model: string | null
  readonly primary_group: string
  readonly unreachable: boolean
  readonly job_id: number | null
  readonly neighbours_read: string | null
}

export type TouchedUplinks = { readonly hostname: string; readonly ports: ReadonlyArray<string> }

export type TriedCheck = {
  readonly name: string
  readonly on?: string | undefined
  readonly sentence: string
  readonly end: "holds" | "fails" | "compares" | "unread"
  readonly now: string | null
  readonly why: string
}

export type TrustedIdentity = {
  readonly hostname: string
  readonly fingerprint: string
  readonly serial: string | null
  readonly model: string | null
  readonly shown_hostname: string | null
}

export type Unauthorized = {
  readonly status: "error"
  readonly message: FailureMessage
  readonly errorCode?: "auth_expired" | undefined
}

export type UndefinedName = {
  readonly file: string | null
  readonly line: number | null
  readonly column: number | null
  readonly path: string | null
  readonly message: string
  readonly devices: number
  readonly hostnames: ReadonlyArray<string>
}

export type UnsupportedMediaType = { readonly status: "error"; readonly message: FailureMessage }

export type UpgradeOrder = {
  readonly upgrade_groups: ReadonlyArray<ReadonlyArray<string>>
  readonly device_count: number
  readonly steps: number
  readonly restart_seconds: number | null
}

export type UpgradeProgress = {
  readonly job_id: number
  readonly status: string
  readonly steps: ReadonlyArray<UpgradeStep>
  readonly devices: ReadonlyArray<DeviceUpgrade>
  readonly restart_seconds: number | null
}

/** The result of an upgrade; the tasks of each device are also a list under its hostname */
export type UpgradeResult = {
  /** The result of each device, by hostname */
  readonly devices?: Readonly<Record<string, DeviceResult>> | undefined
  readonly _totals?: { readonly selected_devices: number } | undefined
}

export type UpgradeStep = "pre_flight" | "download" | "activate" | "reboot" | "post_flight"

export type User = {
  readonly name: string
  readonly roles: ReadonlyArray<string>
  readonly break_glass: boolean
  readonly enabled: boolean
}

export type VerifiedReport = {
  readonly change: number
  readonly format: string
  readonly event_id: number
  readonly by: string
  readonly at: string
  readonly sealed: boolean
  readonly problem: string | null
}

export type Version = { readonly version: string; readonly git_version: string }

export type VersionsOfGroup = {
  readonly group: string
  readonly devices: number
  readonly versions: ReadonlyArray<CountedVersion>
}

export type ViewedGroups = { readonly groups: ReadonlyArray<string> }

export type VlanEffect = {
  readonly change: "vanished" | "renamed" | "renumbered" | "moved"
  readonly key: string
  readonly vlan_name: string
  readonly vlan_id: number
  readonly new_key: string | null
  readonly new_name: string | null
  readonly new_id: number | null
  readonly devices: number
  readonly ports: number
  readonly port_list: ReadonlyArray<NamingPort>
}

export type VrrpState = { readonly state: string }

export type WaitingCall = { readonly call: string; readonly job_id: number | null; readonly since: string }

export type WaitingCommit = {
  readonly commit: string
  readonly at: string
  readonly by: string
  readonly job_id: number
  readonly message: string
  readonly effects: CommitEffects
  readonly signature: CommitSignature | null
}

export type WaitingDevice = {
  readonly id: number
  readonly hostname: string
  readonly state: DeviceState
  readonly ztp_mac: string | null
  readonly serial: string | null
  readonly platform: string | null
  readonly vendor: string | null
  readonly model: string | null
  readonly os_version: string | null
  readonly dhcp_ip: string | null
  readonly since: string | null
  readonly neighbours_read: string | null
  readonly places: ReadonlyArray<DevicePlace>
  readonly replaces: string | null
  readonly problems: ReadonlyArray<string>
  readonly job_id: number | null
  readonly failed_job_id: number | null
  readonly ignored: IgnoredDevice | null
}

export type WaitingHostKey = {
  readonly hostname: string
  readonly state: string
  readonly address: string | null
  readonly fingerprint: string | null
  readonly refused_fingerprint: string
  readonly since: string | null
}

export type WholeProposal = {
  readonly id: number
  readonly repository: "settings" | "templates"
  readonly branch: string
  readonly title: string | null
  readonly state: "open" | "merged" | "closed" | "superseded"
  readonly opened_by: string
  readonly opened_there: boolean
  readonly opened_at: string
  readonly ended_at: string | null
  readonly ended_by: string | null
  readonly why: string | null
  readonly merged_commit: string | null
  readonly superseded_by: number | null
  readonly commit: string | null
  readonly committer: string | null
  readonly committed_at: string | null
  readonly signature: CommitSignature | null
  readonly earlier: ReadonlyArray<EarlierCommit>
  readonly check: "waiting" | "checking" | "accepted" | "refused" | "failed"
  readonly error: string | null
  readonly checked_at: string | null
  readonly in_force: string | null
  readonly devices: BranchDevices | null
  readonly ways: number
  readonly risk: ProposalRisk | null
  readonly needs_confirmation: boolean
  readonly forge: ProposalAtForge | null
  readonly problems: ReadonlyArray<Remark>
  readonly warnings: ReadonlyArray<Remark>
  readonly effects: CommitEffects
  readonly sentences: ReadonlyArray<string>
  readonly groups: ReadonlyArray<ProposedDiffGroup>
  readonly checks: ReadonlyArray<BranchCheck>
  readonly failures: ReadonlyArray<BranchFailure>
  readonly truncated: boolean
  readonly approvals: ReadonlyArray<ForgeApproval>
  readonly approved_by: number
}

export type Window = {
  readonly name: string
  readonly groups: ReadonlyArray<string> | null
  readonly device_types: ReadonlyArray<string> | null
  readonly timezone: string
  readonly is_open: boolean
  readonly opens_at: string | null
  readonly closes_at: string | null
  readonly spans: ReadonlyArray<WindowSpan>
}

export type WindowOverview = {
  readonly in_force: boolean
  readonly problem: string | null
  readonly windows: ReadonlyArray<Window>
  readonly freezes: ReadonlyArray<Freeze>
  readonly asked: WindowVerdict | null
}

export type WindowSpan = { readonly from: string; readonly to: string }

export type WindowVerdict = {
  readonly devices: number
  readonly may_be_changed: boolean
  readonly why_not: string | null
  readonly opens_at: string | null
  readonly closes_at: string | null
}

export type WindowWait = {
  readonly reason: "window"
  readonly why: string
  readonly until: string | null
  readonly message: string
}

export type WritingCommit = {
  readonly repository: "settings" | "templates"
  readonly commit: string
  readonly author: string
  readonly at: string
  readonly subject: string
  readonly signature: CommitSignature | null
}

export type WrittenInterface = {
  readonly name: string
  readonly configtype: string
  readonly data: Readonly<Record<string, unknown>> | null
}

export type UpdateDeviceRequest = {
  readonly hostname?: string | undefined
  readonly site_id?: number | null | undefined
  /** at most 255 characters */
  readonly description?: string | null | undefined
  /** IPv4 or IPv6 address without prefix length */
  readonly management_ip?: string | null | undefined
  /** IPv4 or IPv6 address without prefix length */
  readonly secondary_management_ip?: string | null | undefined
  /** IPv4 or IPv6 address without prefix length */
  readonly infra_ip?: string | null | undefined
  /** IPv4 or IPv6 address without prefix length */
  readonly dhcp_ip?: string | null | undefined
  /** stored in upper case, without spaces around it */
  readonly serial?: string | null | undefined
  /** MAC address, with or without separators */
  readonly ztp_mac?: string | null | undefined
  /** at most 64 characters */
  readonly platform?: string | null | undefined
  /** at most 64 characters */
  readonly vendor?: string | null | undefined
  /** at most 64 characters */
  readonly model?: string | null | undefined
  /** at most 64 characters */
  readonly os_version?: string | null | undefined
  readonly synchronized?: boolean | undefined
  readonly state?: DeviceState | undefined
  readonly device_type?: DeviceType | undefined
  readonly port?: number | null | undefined
  /** description of a site, used when site_id is absent */
  readonly site?: string | null | undefined
}

export type DeleteDeviceRequest = {
  readonly factory_default?: boolean | undefined
  readonly wait_for_window?: boolean | undefined
  readonly emergency?: string | undefined
}

export type CreateDeviceRequest = {
  readonly hostname: string
  readonly site_id?: number | null | undefined
  /** at most 255 characters */
  readonly description?: string | null | undefined
  /** IPv4 or IPv6 address without prefix length */
  readonly management_ip?: string | null | undefined
  /** IPv4 or IPv6 address without prefix length */
  readonly secondary_management_ip?: string | null | undefined
  /** IPv4 or IPv6 address without prefix length */
  readonly infra_ip?: string | null | undefined
  /** IPv4 or IPv6 address without prefix length */
  readonly dhcp_ip?: string | null | undefined
  /** stored in upper case, without spaces around it */
  readonly serial?: string | null | undefined
  /** MAC address, with or without separators */
  readonly ztp_mac?: string | null | undefined
  readonly platform?: "eos" | "junos" | "ios" | "iosxr" | "nxos" | "nxos_ssh" | "frr" | undefined
  /** at most 64 characters */
  readonly vendor?: string | null | undefined
  /** at most 64 characters */
  readonly model?: string | null | undefined
  /** at most 64 characters */
  readonly os_version?: string | null | undefined
  readonly synchronized?: boolean | undefined
  readonly state: DeviceState
  readonly device_type: DeviceType
  readonly port?: number | null | undefined
  /** description of a site, used when site_id is absent */
  readonly site?: string | null | undefined
}

export type ReplaceStackMembersRequest = { readonly stackmembers: ReadonlyArray<SentStackMember> }

export type AddSyncEventRequest = {
  readonly hostname: string
  readonly cause: string
  readonly by: string
  readonly timestamp?: number | null | undefined
}

export type ChangePortsRequest = {
  readonly csv: string
  readonly dry_run?: boolean | undefined
  readonly version?: string | undefined
}

export type CreateLinknetRequest = {
  readonly device_a: string
  readonly device_b: string
  readonly device_a_port: string
  readonly device_b_port: string
  readonly ipv4_network?: string | null | undefined
}

export type DeleteLinknetByBodyRequest = { readonly id: number }

export type UpdateLinknetRequest = {
  readonly device_a?: string | undefined
  readonly device_b?: string | undefined
  readonly ipv4_network?: string | null | undefined
  readonly device_a_ip?: string | null | undefined
  readonly device_b_ip?: string | null | undefined
  readonly device_a_port?: string | undefined
  readonly device_b_port?: string | undefined
  readonly description?: string | null | undefined
  readonly site_id?: number | null | undefined
}

export type CreateMgmtDomainRequest = {
  readonly device_a?: string | undefined
  readonly device_b?: string | undefined
  readonly vlan?: number | null | undefined
  readonly ipv4_gw?: string | null | undefined
  readonly ipv6_gw?: string | null | undefined
  readonly description?: string | null | undefined
}

export type UpdateMgmtDomainRequest = {
  readonly vlan?: number | null | undefined
  readonly ipv4_gw?: string | null | undefined
  readonly ipv6_gw?: string | null | undefined
  readonly description?: string | null | undefined
  readonly esi_mac?: string | null | undefined
  readonly device_a_ip?: string | null | undefined
  readonly device_b_ip?: string | null | undefined
  readonly site_id?: number | null | undefined
  readonly device_a_id?: number | undefined
  readonly device_b_id?: number | undefined
}

export type UpdateJobRequest = {
  readonly action: "ABORT" | "PAUSE" | "RESUME"
  readonly abort_reason?: string | undefined
  readonly pause_reason?: string | undefined
}

export type MarkViewedRequest = { readonly groups: ReadonlyArray<string>; readonly viewed?: boolean | undefined }

export type ClearLockRequest = { readonly name: string }

export type InitDeviceRequest = {
  readonly hostname: string
  readonly device_type: "ACCESS" | "DIST" | "CORE"
  readonly mlag_peer_id?: number | undefined
  readonly mlag_peer_hostname?: string | undefined
  readonly neighbors?: ReadonlyArray<string> | null | undefined
  readonly replace_hostname?: boolean | null | undefined
}

export type SyncDevicesRequest = {
  readonly hostname?: string | undefined
  readonly hostnames?: ReadonlyArray<string> | undefined
  readonly device_type?: "ACCESS" | "DIST" | "CORE" | undefined
  readonly group?: string | undefined
  readonly all?: boolean | undefined
  readonly dry_run?: boolean | undefined
  readonly auto_push?: boolean | undefined
  readonly force?: boolean | undefined
  readonly resync?: boolean | undefined
  readonly confirm_older?: boolean | undefined
  readonly confirm_mode?: 0 | 1 | 2 | undefined
  readonly abort_on_failure?: boolean | undefined
  readonly urgent?: boolean | undefined
  readonly batch_size?: number | undefined
  readonly max_failures?: number | undefined
  readonly revert_on_failure?: boolean | undefined
  readonly canary?: number | ReadonlyArray<string> | undefined
  readonly dry_run_job?: number | undefined
  readonly start_at?: string | undefined
  readonly on_missing_lines?: MissingLinesPolicy | undefined
  readonly failed_proof?: FailedProofPolicy | undefined
  readonly skip_checks?: { readonly reason: string } | undefined
  readonly wait_for_window?: boolean | undefined
  readonly emergency?: string | undefined
  readonly comment?: string | undefined
  readonly ticket_ref?: string | undefined
}

export type SyncDeviceRequest = {
  readonly dry_run?: boolean | undefined
  readonly auto_push?: boolean | undefined
  readonly force?: boolean | undefined
  readonly resync?: boolean | undefined
  readonly confirm_older?: boolean | undefined
  readonly confirm_mode?: 0 | 1 | 2 | undefined
  readonly abort_on_failure?: boolean | undefined
  readonly urgent?: boolean | undefined
  readonly batch_size?: number | undefined
  readonly max_failures?: number | undefined
  readonly revert_on_failure?: boolean | undefined
  readonly canary?: number | ReadonlyArray<string> | undefined
  readonly dry_run_job?: number | undefined
  readonly start_at?: string | undefined
  readonly on_missing_lines?: MissingLinesPolicy | undefined
  readonly failed_proof?: FailedProofPolicy | undefined
  readonly skip_checks?: { readonly reason: string } | undefined
  readonly wait_for_window?: boolean | undefined
  readonly emergency?: string | undefined
  readonly comment?: string | undefined
  readonly ticket_ref?: string | undefined
}

export type OnboardRequest = {
  readonly source: "csv" | "netbox" | "containerlab" | "ansible" | "configs"
  readonly name?: string | undefined
  readonly text?: string | undefined
  readonly files?: ReadonlyArray<OnboardingFile> | undefined
  readonly filter?: string | undefined
  readonly platform?: string | undefined
  readonly device_type?: string | undefined
  readonly only_good?: boolean | undefined
  readonly dry_run?: boolean | undefined
}

export type ReadOnboardedRequest = { readonly hostnames?: ReadonlyArray<string> | undefined }

export type AcceptLinksRequest = {
  readonly links?: ReadonlyArray<AcceptedLink> | undefined
  readonly both?: boolean | undefined
}

export type InitDevicesRequest = { readonly devices: ReadonlyArray<InitLine> }

export type IgnoreNewDeviceRequest = { readonly ignored: boolean; readonly comment?: string | undefined }

export type ReportLeaseRequest = {
  readonly ztp_mac: string
  readonly dhcp_ip: string
  readonly platform: string
  readonly report?: string | undefined
  readonly again?: boolean | undefined
  readonly host?: string | undefined
  readonly waiting?: number | undefined
}

export type RestoreConfigRequest = {
  readonly job_id: number
  readonly dry_run?: boolean | undefined
  readonly skip_checks?: { readonly reason: string } | undefined
  readonly wait_for_window?: boolean | undefined
  readonly emergency?: string | undefined
}

export type ApplyConfigRequest = {
  readonly full_config: string
  readonly dry_run?: boolean | undefined
  readonly skip_checks?: { readonly reason: string } | undefined
  readonly wait_for_window?: boolean | undefined
  readonly emergency?: string | undefined
  readonly comment?: string | undefined
  readonly ticket_ref?: string | undefined
}

export type RevertJobRequest = {
  readonly dry_run?: boolean | undefined
  readonly skip_checks?: { readonly reason: string } | undefined
  readonly wait_for_window?: boolean | undefined
  readonly emergency?: string | undefined
  readonly comment?: string | undefined
  readonly ticket_ref?: string | undefined
}

export type CheckDriftRequest = {
  readonly hostname?: string | undefined
  readonly device_type?: "ACCESS" | "DIST" | "CORE" | undefined
  readonly group?: string | undefined
  readonly all?: boolean | undefined
  readonly comment?: string | undefined
  readonly ticket_ref?: string | undefined
}

export type BounceInterfacesRequest = { readonly bounce_interfaces: ReadonlyArray<string> }

export type UpdateFactsRequest = { readonly hostname: string }

export type UpdateInterfaceDatabaseRequest = {
  readonly hostname: string
  readonly replace?: boolean | undefined
  readonly delete_all?: boolean | undefined
  readonly mlag_peer_hostname?: string | null | undefined
}

export type PinHostKeyRequest = { readonly action: "PIN" | "FORGET"; readonly fingerprint?: string | undefined }

export type ApproveHostKeyRequest = { readonly fingerprint: string }

export type ApproveHostKeysRequest = { readonly host_keys: ReadonlyArray<OfferedHostKey> }

export type TrustDeviceRequest = { readonly comment?: string | undefined }

export type RenewCertificatesRequest = {
  readonly action: string
  readonly hostname?: string | undefined
  readonly group?: string | undefined
  readonly wait_for_window?: boolean | undefined
  readonly emergency?: string | undefined
  readonly comment?: string | undefined
  readonly ticket_ref?: string | undefined
}

export type CreateCertificateAuthorityRequest = { readonly common_name?: string | undefined }

export type RevokeCertificateRequest = {
  readonly reason?: "unspecified" | "keyCompromise" | "superseded" | "cessationOfOperation" | undefined
}

export type ReadTablesRequest = {
  readonly hostname?: string | undefined
  readonly hostnames?: ReadonlyArray<string> | undefined
  readonly device_type?: "ACCESS" | "DIST" | "CORE" | undefined
  readonly group?: string | undefined
  readonly all?: boolean | undefined
}

export type DownloadFirmwareRequest = { readonly url: string; readonly sha1: string; readonly verify_tls: boolean }

export type UpgradeFirmwareRequest = {
  readonly hostname?: string | undefined
  readonly hostnames?: ReadonlyArray<string> | undefined
  readonly group?: string | undefined
  readonly filename?: string | undefined
  readonly url?: string | undefined
  readonly download?: boolean | undefined
  readonly activate?: boolean | undefined
  readonly reboot?: boolean | undefined
  readonly pre_flight?: boolean | undefined
  readonly "pre-flight"?: boolean | undefined
  readonly post_flight?: boolean | undefined
  readonly staggered_upgrade?: boolean | undefined
  readonly post_waittime?: number | undefined
  readonly start_at?: string | undefined
  readonly skip_checks?: { readonly reason: string } | undefined
  readonly wait_for_window?: boolean | undefined
  readonly emergency?: string | undefined
  readonly comment?: string | undefined
  readonly ticket_ref?: string | undefined
}

export type CheckUpgradeRequest = { readonly group: string }

export type RefreshRepositoryRequest = {
  readonly action: "REFRESH"
  readonly confirm?: string | undefined
  readonly rename_ports?: boolean | undefined
}

export type CheckBranchRequest = {
  readonly branch?: string | undefined
  readonly files?: Readonly<Record<string, string>> | undefined
}

export type RenderTemplateRequest = {
  readonly template?: string | undefined
  readonly text?: string | undefined
  readonly whole?: boolean | undefined
}

export type OpenProposalRequest = { readonly repository: "settings" | "templates"; readonly branch: string }

export type TestPluginsRequest = { readonly action: "selftest" }

export type CreateTokenRequest = {
  readonly name: string
  readonly roles?: ReadonlyArray<string> | undefined
  readonly days?: number | undefined
  readonly is_machine?: boolean | undefined
}

export type CreateUserRequest = {
  readonly name: string
  readonly roles?: ReadonlyArray<string> | undefined
  readonly password: string
  readonly break_glass?: boolean | undefined
}

export type UpdateUserRequest = {
  readonly roles?: ReadonlyArray<string> | undefined
  readonly password?: string | undefined
  readonly enabled?: boolean | undefined
}

export type SetUpRequest = {
  readonly settings?: string | undefined
  readonly templates?: string | undefined
  readonly networks?: string | undefined
}

export type SaveViewRequest = {
  readonly list: string
  readonly name: string
  readonly query: string
  readonly shared?: boolean | undefined
}

export type ReplayDeliveriesRequest = { readonly receiver?: string | undefined }

export type CreateMuteRequest = {
  readonly device?: string | undefined
  readonly group?: string | undefined
  readonly rule?: string | undefined
  readonly reason: string
  readonly minutes: number
  readonly from?: string | undefined
}

export type WaitsForApproval = {
  readonly status: "success"
  readonly message: string
  readonly data: { readonly approval_id: number; readonly waits_until: string; readonly operation: string }
}

/** The answer of `POST /api/v1.0/onboarding/links`. */
export type AcceptLinksResult = { readonly links: ReadonlyArray<ProposedLink>; readonly ports: number }

/** The answer of `POST /api/v1.0/onboarding/ports`. */
export type AcceptPortsResult = { readonly hostnames: ReadonlyArray<string>; readonly ports: number }

/** The answer of `POST /api/v1.0/alerts/{id}/acknowledge`. */
export type AcknowledgeAlertResult = { readonly acknowledged_alert: Alert }

/** The answer of `POST /api/v1.0/auth/persons/admit`. */
export type AdmitPersonResult = { readonly admitted_person: Person }

/** The answer of `POST /api/v1.0/device/{hostname}/hostkey/approve`. */
export type ApproveHostKeyResult = { readonly host_key: HostKey }

/** The answer of `POST /api/v1.0/job/{id}/approve`. */
export type ApproveJobResult = { readonly jobs: ReadonlyArray<Job> }

/** The answer of `POST /api/v1.0/approvals/{id}/approve`. */
export type ApproveRequestResult = { readonly approval: RequestApproval }

/** The answer of `GET /api/v1.0/device/{hostname}/config_blame`. */
export type BlameConfigResult = {
  readonly hostname: string
  readonly jobs: ReadonlyArray<StoredConfig>
  readonly lines: ReadonlyArray<BlamedLine>
  readonly has_older: boolean
}

/** The query of `GET /api/v1.0/device/{hostname}/blame`. */
export type BlameLinesQuery = {
  /** a line, counted from 1 */
  readonly line?: number | undefined
  /** `given` when absent: the lines that the newest job gave; or those that the last proof has seen */
  readonly of?: string | number | undefined
}

/** The answer of `DELETE /api/v1.0/joblocks`. */
export type ClearLockResult = { readonly name: string; readonly status: "deleted" }

/** The answer of `DELETE /api/v1.0/proposals/{id}`. */
export type CloseProposalResult = { readonly proposal: Proposal }

/** The answer of `POST /api/v1.0/certificate_authority`. */
export type CreateCertificateAuthorityResult = { readonly certificate_authority: CertificateAuthority }

/** The answer of `POST /api/v1.0/device`. */
export type CreateDeviceResult = {
  readonly added_device: AddedDevice
  /** addresses that other records had until now: an earlier lease, or a record in state UNMANAGED */
  readonly taken_over?: ReadonlyArray<MovedAddress> | undefined
}

/** The answer of `POST /api/v1.0/mgmtdomains`. */
export type CreateMgmtDomainResult = { readonly added_mgmtdomain: MgmtDomain }

/** The answer of `POST /api/v1.0/alerts/mutes`. */
export type CreateMuteResult = { readonly added_mute: Mute }

/** The answer of `POST /api/v1.0/auth/tokens`. */
export type CreateTokenResult = { readonly token: string; readonly added_token: ApiToken }

/** The answer of `POST /api/v1.0/auth/users`. */
export type CreateUserResult = { readonly added_user: User }

/** The answer of `DELETE /api/v1.0/linknet/{id}`. */
export type DeleteLinknetResult = { readonly deleted_linknet: Linknet }

/** The answer of `DELETE /api/v1.0/linknets`. */
export type DeleteLinknetByBodyResult = { readonly deleted_linknet: Linknet }

/** The answer of `DELETE /api/v1.0/mgmtdomain/{id}`. */
export type DeleteMgmtDomainResult = { readonly deleted_mgmtdomain: MgmtDomain }

/** The answer of `DELETE /api/v1.0/alerts/mutes/{id}`. */
export type DeleteMuteResult = { readonly removed_mute: Mute }

/** The answer of `DELETE /api/v1.0/auth/users/{name}`. */
export type DeleteUserResult = { readonly deleted_user: User }

/** The answer of `DELETE /api/v1.0/views/{id}`. */
export type DeleteViewResult = { readonly removed_view: SavedView }

/** The answer of `GET /api/v1.0/device/{hostname}/config_diff`. */
export type DiffConfigsResult = {
  readonly hostname: string
  readonly from: ConfigSource
  readonly other: string
  readonly to: ConfigSource
  readonly diff: string
}

/** The query of `GET /api/v1.0/device/{hostname}/config_diff`. */
export type DiffConfigsQuery = {
  /** running when absent */
  readonly from?: string | number | undefined
  /** generated when absent */
  readonly to?: string | number | undefined
  /** the device of `to`, the same when absent */
  readonly other?: string | number | undefined
}

/** The query of `GET /api/v1.0/auth/explain`. */
export type ExplainPermissionQuery = {
  /** method of the call */
  readonly method?: string | number | undefined
  /** path behind /api/v1.0 */
  readonly path?: string | number | undefined
  /** hostname of a device that it would be about */
  readonly device?: string | number | undefined
  /** key of a person; left out: the caller */
  readonly person?: string | number | undefined
}

/** The query of `GET /api/v1.0/device/{hostname}/interfaces_export`. */
export type ExportInterfacesQuery = {
  /** with ACCESS_UPLINK ports; false when absent */
  readonly include_uplinks?: string | number | undefined
  /** with ACCESS_DOWNLINK ports; true when absent */
  readonly include_downlinks?: string | number | undefined
  /** with descriptions; true when absent */
  readonly include_descriptions?: string | number | undefined
}

/** The query of `GET /api/v1.0/find`. */
export type FindQuery = {
  /** the search text */
  readonly q?: string | number | undefined
}

/** The answer of `GET /api/v1.0/device/{hostname}/generate_config`. */
export type GenerateConfigResult = { readonly config: GeneratedConfig }

/** The answer of `GET /api/v1.0/certificate_authority`. */
export type GetCertificateAuthorityResult = { readonly certificate_authority: CertificateAuthority }

/** The answer of `GET /api/v1.0/changes/{id}/report`. */
export type GetChangeReportResult = { readonly report: ChangeReport }

/** The query of `GET /api/v1.0/changes/{id}/report`. */
export type GetChangeReportQuery = {
  /** `json` when absent, or one page to keep */
  readonly format?: string | number | undefined
}

/** The answer of `GET /api/v1.0/device/{id}`. */
export type GetDeviceResult = { readonly devices: ReadonlyArray<Device> }

/** The answer of `GET /api/v1.0/groups/{name}/os_versions`. */
export type GetGroupOsVersionsResult = {
  readonly groups: Readonly<Record<string, Readonly<Record<string, ReadonlyArray<string>>>>>
}

/** The answer of `GET /api/v1.0/groups/{name}/os_version`. */
export type GetGroupOsVersionsAliasResult = {
  readonly groups: Readonly<Record<string, Readonly<Record<string, ReadonlyArray<string>>>>>
}

/** The answer of `GET /api/v1.0/device/{hostname}/host_key`. */
export type GetHostKeyResult = { readonly host_key: HostKey }

/** The answer of `GET /api/v1.0/device/{hostname}/interface_status`. */
export type GetInterfaceStatusResult = { readonly interface_status: Readonly<Record<string, InterfaceStatus>> }

/** The answer of `GET /api/v1.0/job/{id}`. */
export type GetJobResult = { readonly jobs: ReadonlyArray<Job> }

/** The query of `GET /api/v1.0/job/{id}`. */
export type GetJobQuery = {
  /** parts of sync results to leave out, separated by commas: `config`, `diff` */
  readonly filter_jobresult?: string | number | undefined
  /** `true` shows secrets in results to callers who may see them (docs/security.md#who-sees-secrets) */
  readonly show_secrets?: string | number | undefined
}

/** The query of `GET /api/v1.0/job/{id}/diffs`. */
export type GetJobDiffsQuery = {
  /** only groups with all of these words in their difference or in a name */
  readonly search?: string | number | undefined
  /** only the group with this key, with all names */
  readonly group?: string | number | undefined
}

/** The query of `GET /api/v1.0/job/{id}/progress`. */
export type GetJobProgressQuery = {
  /** `true` leaves the list of devices empty: totals and failures only */
  readonly brief?: string | number | undefined
}

/** The answer of `GET /api/v1.0/linknet/{id}`. */
export type GetLinknetResult = { readonly linknets: ReadonlyArray<Linknet> }

/** The answer of `GET /api/v1.0/device/{hostname}/lldp_neighbors_detail`. */
export type GetLldpNeighborDetailsResult = {
  readonly lldp_neighbors_detail: Readonly<Record<string, ReadonlyArray<LldpNeighborDetail>>>
}

/** The answer of `GET /api/v1.0/device/{hostname}/lldp_neighbors`. */
export type GetLldpNeighborsResult = { readonly lldp_neighbors: Readonly<Record<string, ReadonlyArray<LldpNeighbor>>> }

/** The answer of `GET /api/v1.0/mgmtdomain/{id}`. */
export type GetMgmtDomainResult = { readonly mgmtdomains: ReadonlyArray<MgmtDomain> }

/** The answer of `GET /api/v1.0/device/{hostname}/optics`. */
export type GetOpticsResult = { readonly optics: Readonly<Record<string, PortOptics>> }

/** The query of `GET /api/v1.0/overview/history`. */
export type GetOverviewHistoryQuery = {
  /** how far back; default 168 */
  readonly hours?: string | number | undefined
  /** hours between two points; default 6 */
  readonly step?: string | number | undefined
}

/** The query of `GET /api/v1.0/device/{hostname}/port_readings`. */
export type GetPortReadingsQuery = {
  /** seconds; an older reading is replaced by a new one, if the device answers */
  readonly max_age?: string | number | undefined
}

/** The query of `GET /api/v1.0/device/{hostname}/previous_config`. */
export type GetPreviousConfigQuery = {
  /** of this job */
  readonly job_id?: number | undefined
  /** so many jobs before the newest one */
  readonly previous?: number | undefined
  /** the newest one before this time (ISO 8601, UTC) */
  readonly before?: string | number | undefined
}

/** The answer of `GET /api/v1.0/proposals/{id}`. */
export type GetProposalResult = { readonly proposal: WholeProposal }

/** The answer of `GET /api/v1.0/device/{hostname}/readings`. */
export type GetReadingsResult = { readonly readings: ReadonlyArray<DeviceStateAnswer> }

/** The query of `GET /api/v1.0/device/{hostname}/readings`. */
export type GetReadingsQuery = {
  /** kinds with commas between them */
  readonly reads?: string | number | undefined
  /** for log: messages at least as severe; default error */
  readonly severity?: string | number | undefined
  /** for log: how far back; default 3600 */
  readonly seconds?: string | number | undefined
  /** for ping: the address */
  readonly to?: string | number | undefined
  /** for ping: an address or interface of the device */
  readonly source?: string | number | undefined
  /** for ping: default the default VRF */
  readonly vrf?: string | number | undefined
  /** for ping: packets, 1 to 20; default 5 */
  readonly count?: string | number | undefined
}

/** The answer of `GET /api/v1.0/repository/{name}`. */
export type GetRepositoryResult = {
  readonly status: "success"
  readonly data: string
  readonly warnings?: ReadonlyArray<string> | undefined
  readonly waiting: WaitingCommit | null
  readonly signature: CommitSignature | null
}

/** The query of `GET /api/v1.0/repository/{name}/file`. */
export type GetRepositoryFileQuery = {
  /** path in the repository */
  readonly path?: string | number | undefined
  /** the templates of this branch, which a group uses */
  readonly branch?: string | number | undefined
  /** the file as this commit has it, such as a refused one of the list */
  readonly commit?: string | number | undefined
}

/** The answer of `GET /api/v1.0/repository/{name}/problems`. */
export type GetRepositoryProblemsResult = {
  readonly commit: string | null
  readonly problems: ReadonlyArray<Remark>
  readonly warnings: ReadonlyArray<Remark>
}

/** The answer of `GET /api/v1.0/device/{hostname}/running_config`. */
export type GetRunningConfigResult = { readonly config: string }

/** The query of `GET /api/v1.0/device/{hostname}/running_config`. */
export type GetRunningConfigQuery = {
  /** only the lines of this interface */
  readonly interface?: string | number | undefined
}

/** The answer of `GET /api/v1.0/settings/server`. */
export type GetServerSettingsResult = { readonly api: Readonly<Record<string, unknown>> }

/** The query of `GET /api/v1.0/settings`. */
export type GetSettingsQuery = {
  /** settings of this device */
  readonly hostname?: string | number | undefined
  /** settings of this type, or of the device with this type assumed */
  readonly device_type?: string | number | undefined
}

/** The answer of `GET /api/v1.0/device_synchistory`. */
export type GetSyncHistoryResult = { readonly hostnames: Readonly<Record<string, ReadonlyArray<SyncEvent>>> }

/** The query of `GET /api/v1.0/device_synchistory`. */
export type GetSyncHistoryQuery = {
  /** only this device */
  readonly hostname?: string | number | undefined
}

/** The query of `GET /api/v1.0/windows`. */
export type GetWindowsQuery = {
  /** whether this device may be changed */
  readonly device?: string | number | undefined
  /** the same for all devices of a group */
  readonly group?: string | number | undefined
}

/** The answer of `PUT /api/v1.0/new_devices/{id}`. */
export type IgnoreNewDeviceResult = { readonly ignored: boolean }

/** The answer of `POST /api/v1.0/new_devices`. */
export type InitDevicesResult = { readonly started: ReadonlyArray<StartedInit> }

/** The answer of `GET /api/v1.0/approvals`. */
export type ListApprovalsResult = { readonly approvals: ReadonlyArray<RequestApproval> }

/** The answer of `GET /api/v1.0/audit`. */
export type ListAuditEventsResult = { readonly events: ReadonlyArray<AuditEvent> }

/** The query of `GET /api/v1.0/audit`. */
export type ListAuditEventsQuery = {
  /** field to sort by, with `-` before it descending */
  readonly sort?:
    | "id"
    | "-id"
    | "at"
    | "-at"
    | "device_id"
    | "-device_id"
    | "job_id"
    | "-job_id"
    | "kind"
    | "-kind"
    | "action"
    | "-action"
    | "actor"
    | "-actor"
    | "way"
    | "-way"
    | "address"
    | "-address"
    | "hostname"
    | "-hostname"
    | undefined
  /** page number, from 1 */
  readonly page?: number | undefined
  /** records per page */
  readonly per_page?: number | undefined
  /** another name of `per_page` */
  readonly limit?: number | undefined
  /** Values by field: `{ state: "MANAGED", "hostname[contains]": "acc" }`. */
  readonly filter?: Filter | undefined
}

/** The query of `GET /api/v1.0/repository/{name}/branches`. */
export type ListBranchesQuery = {
  /** most branches; 50 when absent */
  readonly limit?: number | undefined
}

/** The answer of `GET /api/v1.0/certificates`. */
export type ListCertificatesResult = { readonly certificates: ReadonlyArray<DeviceCertificate> }

/** The query of `GET /api/v1.0/certificates`. */
export type ListCertificatesQuery = {
  /** only those of this device */
  readonly hostname?: string | number | undefined
}

/** The query of `GET /api/v1.0/repository/{name}/commits`. */
export type ListCommitsQuery = {
  /** most commits; 20 when absent */
  readonly limit?: number | undefined
}

/** The answer of `GET /api/v1.0/device/{hostname}/configs`. */
export type ListConfigsResult = { readonly hostname: string; readonly configs: ReadonlyArray<StoredConfig> }

/** The answer of `GET /api/v1.0/alerts/deliveries`. */
export type ListDeliveriesResult = { readonly deliveries: ReadonlyArray<Delivery> }

/** The query of `GET /api/v1.0/alerts/deliveries`. */
export type ListDeliveriesQuery = {
  /** only these: waiting, sent or dead */
  readonly state?: string | number | undefined
  /** only those to this receiver */
  readonly receiver?: string | number | undefined
  /** field to sort by, with `-` before it descending */
  readonly sort?:
    | "id"
    | "-id"
    | "alert_id"
    | "-alert_id"
    | "attempts"
    | "-attempts"
    | "created_at"
    | "-created_at"
    | "ended_at"
    | "-ended_at"
    | "rule"
    | "-rule"
    | "receiver"
    | "-receiver"
    | "action"
    | "-action"
    | "state"
    | "-state"
    | "answer"
    | "-answer"
    | undefined
  /** page number, from 1 */
  readonly page?: number | undefined
  /** records per page */
  readonly per_page?: number | undefined
  /** another name of `per_page` */
  readonly limit?: number | undefined
  /** Values by field: `{ state: "MANAGED", "hostname[contains]": "acc" }`. */
  readonly filter?: Filter | undefined
}

/** The answer of `GET /api/v1.0/device/{hostname}/audit`. */
export type ListDeviceAuditEventsResult = { readonly events: ReadonlyArray<AuditEvent> }

/** The query of `GET /api/v1.0/device/{hostname}/audit`. */
export type ListDeviceAuditEventsQuery = {
  /** field to sort by, with `-` before it descending */
  readonly sort?:
    | "id"
    | "-id"
    | "at"
    | "-at"
    | "device_id"
    | "-device_id"
    | "job_id"
    | "-job_id"
    | "kind"
    | "-kind"
    | "action"
    | "-action"
    | "actor"
    | "-actor"
    | "way"
    | "-way"
    | "address"
    | "-address"
    | "hostname"
    | "-hostname"
    | undefined
  /** page number, from 1 */
  readonly page?: number | undefined
  /** records per page */
  readonly per_page?: number | undefined
  /** another name of `per_page` */
  readonly limit?: number | undefined
  /** Values by field: `{ state: "MANAGED", "hostname[contains]": "acc" }`. */
  readonly filter?: Filter | undefined
}

/** The answer of `GET /api/v1.0/devices`. */
export type ListDevicesResult = { readonly devices: ReadonlyArray<Device> }

/** The query of `GET /api/v1.0/devices`. */
export type ListDevicesQuery = {
  /** field to sort by, with `-` before it descending */
  readonly sort?:
    | "unsynchronized_by"
    | "-unsynchronized_by"
    | "drifted"
    | "-drifted"
    | "unreachable"
    | "-unreachable"
    | "in_change"
    | "-in_change"
    | "search"
    | "-search"
    | "manageable"
    | "-manageable"
    | "group"
    | "-group"
    | "id"
    | "-id"
    | "site_id"
    | "-site_id"
    | "port"
    | "-port"
    | "hostname"
    | "-hostname"
    | "description"
    | "-description"
    | "management_ip"
    | "-management_ip"
    | "secondary_management_ip"
    | "-secondary_management_ip"
    | "dhcp_ip"
    | "-dhcp_ip"
    | "infra_ip"
    | "-infra_ip"
    | "oob_ip"
    | "-oob_ip"
    | "ztp_mac"
    | "-ztp_mac"
    | "serial"
    | "-serial"
    | "platform"
    | "-platform"
    | "vendor"
    | "-vendor"
    | "model"
    | "-model"
    | "os_version"
    | "-os_version"
    | "confhash"
    | "-confhash"
    | "synchronized"
    | "-synchronized"
    | "state"
    | "-state"
    | "device_type"
    | "-device_type"
    | "last_seen"
    | "-last_seen"
    | undefined
  /** page number, from 1 */
  readonly page?: number | undefined
  /** records per page */
  readonly per_page?: number | undefined
  /** Values by field: `{ state: "MANAGED", "hostname[contains]": "acc" }`. */
  readonly filter?: Filter | undefined
}

/** The query of `GET /api/v1.0/events`. */
export type ListEventsQuery = {
  /** only these kinds; a list with commas, or repeated */
  readonly kind?: string | number | undefined
  /** only of these devices, by hostname or id */
  readonly device?: string | number | undefined
  /** only of the devices of this group */
  readonly group?: string | number | undefined
  /** only of this job */
  readonly job?: number | undefined
  /** only events after this number */
  readonly since?: number | undefined
  /** most events */
  readonly limit?: number | undefined
}

/** The answer of `GET /api/v1.0/system/findings`. */
export type ListFindingsResult = { readonly findings: ReadonlyArray<Finding> }

/** The answer of `GET /api/v1.0/firmware`. */
export type ListFirmwareResult = {
  readonly status: "success"
  readonly data: FirmwareFiles
  readonly warnings?: ReadonlyArray<string> | undefined
  readonly files: ReadonlyArray<string>
  readonly defaults: ReadonlyArray<DefaultImage>
}

/** The answer of `GET /api/v1.0/firmware_versions`. */
export type ListFirmwareVersionsResult = {
  readonly groups: ReadonlyArray<VersionsOfGroup>
  readonly all: ReadonlyArray<CountedVersion>
}

/** The answer of `GET /api/v1.0/device/{hostname}/interfaces`. */
export type ListInterfacesResult = {
  readonly interfaces: ReadonlyArray<Interface>
  readonly hostname: string
  readonly version: string
}

/** The answer of `GET /api/v1.0/approvals/jobs`. */
export type ListJobApprovalsResult = { readonly approvals: ReadonlyArray<JobApproval> }

/** The answer of `GET /api/v1.0/job/{id}/audit`. */
export type ListJobAuditEventsResult = { readonly events: ReadonlyArray<AuditEvent> }

/** The query of `GET /api/v1.0/job/{id}/audit`. */
export type ListJobAuditEventsQuery = {
  /** field to sort by, with `-` before it descending */
  readonly sort?:
    | "id"
    | "-id"
    | "at"
    | "-at"
    | "device_id"
    | "-device_id"
    | "job_id"
    | "-job_id"
    | "kind"
    | "-kind"
    | "action"
    | "-action"
    | "actor"
    | "-actor"
    | "way"
    | "-way"
    | "address"
    | "-address"
    | "hostname"
    | "-hostname"
    | undefined
  /** page number, from 1 */
  readonly page?: number | undefined
  /** records per page */
  readonly per_page?: number | undefined
  /** another name of `per_page` */
  readonly limit?: number | undefined
  /** Values by field: `{ state: "MANAGED", "hostname[contains]": "acc" }`. */
  readonly filter?: Filter | undefined
}

/** The answer of `GET /api/v1.0/jobs`. */
export type ListJobsResult = { readonly jobs: ReadonlyArray<Job> }

/** The query of `GET /api/v1.0/jobs`. */
export type ListJobsQuery = {
  /** field to sort by, with `-` before it descending */
  readonly sort?:
    | "id"
    | "-id"
    | "status"
    | "-status"
    | "scheduled_time"
    | "-scheduled_time"
    | "start_time"
    | "-start_time"
    | "finish_time"
    | "-finish_time"
    | "function_name"
    | "-function_name"
    | "scheduled_by"
    | "-scheduled_by"
    | "comment"
    | "-comment"
    | "ticket_ref"
    | "-ticket_ref"
    | "settings_commit"
    | "-settings_commit"
    | "templates_commit"
    | "-templates_commit"
    | "next_job_id"
    | "-next_job_id"
    | "change_score"
    | "-change_score"
    | "outcome"
    | "-outcome"
    | "result"
    | "-result"
    | "exception"
    | "-exception"
    | "start_arguments"
    | "-start_arguments"
    | "finished_devices"
    | "-finished_devices"
    | "failed_devices"
    | "-failed_devices"
    | "counts"
    | "-counts"
    | "counts_devices"
    | "-counts_devices"
    | "counts_succeeded"
    | "-counts_succeeded"
    | "counts_failed"
    | "-counts_failed"
    | "counts_changed"
    | "-counts_changed"
    | "dry_run_job"
    | "-dry_run_job"
    | "failed_today"
    | "-failed_today"
    | "routine"
    | "-routine"
    | "changes"
    | "-changes"
    | "traceback"
    | "-traceback"
    | undefined
  /** page number, from 1 */
  readonly page?: number | undefined
  /** records per page */
  readonly per_page?: number | undefined
  /** another name of `per_page` */
  readonly limit?: number | undefined
  /** parts of sync results to leave out, separated by commas: `config`, `diff` */
  readonly filter_jobresult?: string | number | undefined
  /** `true` shows secrets in results to callers who may see them (docs/security.md#who-sees-secrets) */
  readonly show_secrets?: string | number | undefined
  /** Values by field: `{ state: "MANAGED", "hostname[contains]": "acc" }`. */
  readonly filter?: Filter | undefined
}

/** The answer of `GET /api/v1.0/learned_lines`. */
export type ListLearnedLinesResult = { readonly learned_lines: ReadonlyArray<LearnedLine> }

/** The query of `GET /api/v1.0/learned_lines`. */
export type ListLearnedLinesQuery = {
  /** only those of this platform */
  readonly platform?: string | number | undefined
  /** only those of this release */
  readonly release?: string | number | undefined
}

/** The answer of `GET /api/v1.0/dhcp_leases`. */
export type ListLeasesResult = { readonly leases: ReadonlyArray<Lease>; readonly queues: ReadonlyArray<LeaseQueue> }

/** The query of `GET /api/v1.0/repository/{name}/lines`. */
export type ListLinesFromSourceQuery = {
  /** path in the repository */
  readonly path?: string | number | undefined
  /** a line, counted from 1 */
  readonly line?: number | undefined
  /** continue after this device */
  readonly after?: string | number | undefined
}

/** The answer of `GET /api/v1.0/linknets`. */
export type ListLinknetsResult = { readonly linknets: ReadonlyArray<Linknet> }

/** The answer of `GET /api/v1.0/joblocks`. */
export type ListLocksResult = { readonly locks: ReadonlyArray<JobLock> }

/** The answer of `GET /api/v1.0/mgmtdomains`. */
export type ListMgmtDomainsResult = { readonly mgmtdomains: ReadonlyArray<MgmtDomain> }

/** The query of `GET /api/v1.0/mgmtdomains`. */
export type ListMgmtDomainsQuery = {
  /** field to sort by, with `-` before it descending */
  readonly sort?:
    | "id"
    | "-id"
    | "device_a_id"
    | "-device_a_id"
    | "device_b_id"
    | "-device_b_id"
    | "site_id"
    | "-site_id"
    | "vlan"
    | "-vlan"
    | "ipv4_gw"
    | "-ipv4_gw"
    | "ipv6_gw"
    | "-ipv6_gw"
    | "device_a_ip"
    | "-device_a_ip"
    | "device_b_ip"
    | "-device_b_ip"
    | "description"
    | "-description"
    | "esi_mac"
    | "-esi_mac"
    | undefined
  /** page number, from 1 */
  readonly page?: number | undefined
  /** records per page */
  readonly per_page?: number | undefined
  /** Values by field: `{ state: "MANAGED", "hostname[contains]": "acc" }`. */
  readonly filter?: Filter | undefined
}

/** The answer of `GET /api/v1.0/alerts/mutes`. */
export type ListMutesResult = { readonly mutes: ReadonlyArray<Mute> }

/** The answer of `GET /api/v1.0/new_devices`. */
export type ListNewDevicesResult = { readonly devices: ReadonlyArray<WaitingDevice> }

/** The answer of `GET /api/v1.0/onboarding`. */
export type ListOnboardingResult = { readonly devices: ReadonlyArray<OnboardedDevice> }

/** The answer of `GET /api/v1.0/auth/persons`. */
export type ListPersonsResult = { readonly persons: ReadonlyArray<Person> }

/** The answer of `GET /api/v1.0/plugins`. */
export type ListPluginsResult = {
  readonly loaded_plugins: ReadonlyArray<string>
  readonly plugindata: { readonly plugins: ReadonlyArray<PluginEntry> } | null
  readonly plugin_states: ReadonlyArray<PluginState>
}

/** The answer of `GET /api/v1.0/proposals`. */
export type ListProposalsResult = { readonly proposals: ReadonlyArray<Proposal> }

/** The query of `GET /api/v1.0/proposals`. */
export type ListProposalsQuery = {
  /** those in this state */
  readonly state?: string | number | undefined
  /** those of this repository */
  readonly repository?: string | number | undefined
}

/** The query of `GET /api/v1.0/repository/{name}/files`. */
export type ListRepositoryFilesQuery = {
  /** the templates of this branch, which a group uses */
  readonly branch?: string | number | undefined
}

/** The answer of `GET /api/v1.0/auth/roles`. */
export type ListRolesResult = { readonly roles: ReadonlyArray<Role>; readonly remark: string | null }

/** The answer of `GET /api/v1.0/secrets`. */
export type ListSecretsResult = {
  readonly secrets: ReadonlyArray<Secret>
  readonly computed: ReadonlyArray<ComputedSecretUse>
}

/** The answer of `GET /api/v1.0/device/{hostname}/stackmember`. */
export type ListStackMembersResult = { readonly stackmembers: ReadonlyArray<StackMember> }

/** The answer of `GET /api/v1.0/auth/tokens`. */
export type ListTokensResult = { readonly tokens: ReadonlyArray<ApiToken> }

/** The answer of `GET /api/v1.0/auth/users`. */
export type ListUsersResult = { readonly users: ReadonlyArray<User> }

/** The answer of `GET /api/v1.0/views`. */
export type ListViewsResult = { readonly views: ReadonlyArray<SavedView> }

/** The answer of `GET /api/v1.0/device_hostkeys`. */
export type ListWaitingHostKeysResult = { readonly host_keys: ReadonlyArray<WaitingHostKey> }

/** The answer of `GET /api/v1.0/auth/who_may`. */
export type ListWhoMayResult = {
  readonly persons: ReadonlyArray<PersonExplanation>
  readonly allowed_by: ReadonlyArray<string>
}

/** The query of `GET /api/v1.0/auth/who_may`. */
export type ListWhoMayQuery = {
  /** method of the call */
  readonly method?: string | number | undefined
  /** path behind /api/v1.0 */
  readonly path?: string | number | undefined
  /** hostname of a device that it would be about */
  readonly device?: string | number | undefined
}

/** The answer of `POST /api/v1.0/auth`. */
export type LoginResult = { readonly access_token: string }

/** The answer of `POST /api/v1.0/proposals/{id}/viewed`. */
export type MarkProposalViewedResult = { readonly groups: ReadonlyArray<string> }

/** The query of `GET /api/v1.0/onboarding/distance`. */
export type OnboardingDistanceQuery = {
  /** only the groups of this switch */
  readonly hostname?: string | number | undefined
}

/** The answer of `GET /api/v1.0/onboarding/history`. */
export type OnboardingHistoryResult = { readonly history: ReadonlyArray<DistanceRecord> }

/** The answer of `POST /api/v1.0/proposals`. */
export type OpenProposalResult = { readonly proposal: Proposal }

/** The answer of `PUT /api/v1.0/device/{hostname}/host_key`. */
export type PinHostKeyResult = { readonly host_key: HostKey }

/** The answer of `GET /api/v1.0/onboarding/links`. */
export type ProposedLinksResult = { readonly links: ReadonlyArray<ProposedLink> }

/** The answer of `POST /api/v1.0/auth/refresh`. */
export type RefreshLoginResult = {
  readonly access_token: string
  readonly token_type?: string | undefined
  readonly expires_in?: number | undefined
  readonly id_token?: string | undefined
}

/** The answer of `PUT /api/v1.0/repository/{name}`. */
export type RefreshRepositoryResult = {
  readonly status: "success"
  readonly data: string
  readonly warnings: ReadonlyArray<Remark>
  readonly ignored?: ReadonlyArray<string> | undefined
  readonly effects: CommitEffects
  readonly signature: CommitSignature | null
}

/** The answer of `POST /api/v1.0/job/{id}/reject`. */
export type RejectJobResult = { readonly jobs: ReadonlyArray<Job> }

/** The answer of `POST /api/v1.0/approvals/{id}/reject`. */
export type RejectRequestResult = { readonly approval: RequestApproval }

/** The answer of `PUT /api/v1.0/device/{hostname}/stackmember`. */
export type ReplaceStackMembersResult = { readonly stackmembers: ReadonlyArray<StackMember> }

/** The answer of `POST /api/v1.0/alerts/replay`. */
export type ReplayDeliveriesResult = { readonly replayed: number }

/** The answer of `POST /api/v1.0/alerts/deliveries/{id}/replay`. */
export type ReplayDeliveryResult = { readonly replayed: number }

/** The answer of `POST /api/v1.0/dhcp_leases`. */
export type ReportLeaseResult = { readonly lease: Lease }

/** The answer of `POST /api/v1.0/certificate/{serial}/revoke`. */
export type RevokeCertificateResult = { readonly certificate: DeviceCertificate }

/** The answer of `DELETE /api/v1.0/auth/tokens/{id}`. */
export type RevokeTokenResult = { readonly revoked_token: ApiToken }

/** The answer of `POST /api/v1.0/views`. */
export type SaveViewResult = { readonly saved_view: SavedView }

/** The answer of `GET /api/v1.0/configs`. */
export type SearchConfigsResult = {
  readonly hits: ReadonlyArray<ConfigHit>
  readonly searched: number
  readonly next: string | null
}

/** The query of `GET /api/v1.0/configs`. */
export type SearchConfigsQuery = {
  /** a part of a line, in any case */
  readonly q?: string | number | undefined
  /** all stored configurations of this device */
  readonly hostname?: string | number | undefined
  /** as it was before this time (ISO 8601, UTC) */
  readonly before?: string | number | undefined
  /** go on after this device: `next` of the answer */
  readonly after?: string | number | undefined
}

/** The answer of `PUT /api/v1.0/setup`. */
export type SetUpResult = { readonly set: ReadonlyArray<string>; readonly restarts: boolean }

/** The answer of `PUT /api/v1.0/plugins`. */
export type TestPluginsResult = { readonly result: ReadonlyArray<boolean> }

/** The answer of `POST /api/v1.0/alerts/receivers/{name}/test`. */
export type TestReceiverResult = { readonly is_taken: boolean; readonly answer: string }

/** The answer of `POST /api/v1.0/device/{hostname}/trust`. */
export type TrustDeviceResult = { readonly trusted: TrustedIdentity }

/** The answer of `GET /api/v1.0/device/{hostname}/checks`. */
export type TryChecksResult = { readonly checks: ReadonlyArray<TriedCheck> }

/** The answer of `POST /api/v1.0/setup/try`. */
export type TrySetupResult = { readonly findings: ReadonlyArray<SetupFinding> }

/** The answer of `PUT /api/v1.0/device/{id}`. */
export type UpdateDeviceResult = {
  readonly updated_device: Device
  /** addresses that other records had until now: an earlier lease, or a record in state UNMANAGED */
  readonly taken_over?: ReadonlyArray<MovedAddress> | undefined
}

/** The answer of `PUT /api/v1.0/device/{hostname}/interfaces`. */
export type UpdateInterfacesResult = { readonly updated: Readonly<Record<string, ChangedInterface>> }

/** The answer of `PUT /api/v1.0/job/{id}`. */
export type UpdateJobResult = { readonly jobs: ReadonlyArray<Job> }

/** The answer of `PUT /api/v1.0/auth/users/{name}`. */
export type UpdateUserResult = { readonly updated_user: User }

/** The answer of `GET /api/v1.0/changes/reports/{sha256}`. */
export type VerifyChangeReportResult = { readonly verified_report: VerifiedReport }

/** The answer of `DELETE /api/v1.0/learned_lines/{id}`. */
export type WithdrawLearnedLineResult = { readonly withdrawn_line: LearnedLine }

/** The answer of `POST /api/v1.0/auth/persons/withdraw`. */
export type WithdrawPersonResult = { readonly withdrawn_person: Person; readonly ended_tokens: number }
