# Made by `npm run docs` from the OpenAPI document of the server. Do not edit.
"""The records of the API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired, TypeAlias


class AbortedResult(TypedDict):
    """Why a job of any function was aborted before it began"""

    message: str


class AcceptedLink(TypedDict):
    device_a: str
    device_a_port: str
    device_b: str
    device_b_port: str


class AddedDevice(TypedDict):
    id: int
    hostname: str
    site_id: int | None
    description: str | None
    management_ip: str | None
    secondary_management_ip: str | None
    dhcp_ip: str | None
    infra_ip: str | None
    oob_ip: str | None
    serial: str | None
    ztp_mac: str | None
    platform: str | None
    vendor: str | None
    model: str | None
    os_version: str | None
    synchronized: bool
    state: DeviceState
    device_type: DeviceType
    confhash: str | None
    last_seen: str | None
    port: int | None
    manageable: bool


class AddedSyncEvent(TypedDict):
    hostname: str
    cause: str
    timestamp: float | None
    by: str


class Alert(TypedDict):
    id: int
    rule: str
    cause: str
    level: str
    title: str
    count: int
    receivers: list[str]
    opened_at: str
    send_at: str
    sent_at: str | None
    resolved_at: str | None
    is_open: bool
    acknowledged_at: str | None
    acknowledged_by: str | None
    acknowledged_comment: str | None
    reasons: list[AlertReason]


class AlertOverview(TypedDict):
    source: Literal["settings", "DATA_DIR"] | None
    problem: str | None
    receivers: list[AlertReceiver]
    rules: list[AlertRule]
    deliveries: DeliveryCounts
    alerts: list[Alert]


class AlertReason(TypedDict):
    sentence: str
    devices: list[str]
    job_id: int | None
    repository: str | None


class AlertReceiver(TypedDict):
    name: str
    type: str
    problem: str | None


class AlertRule(TypedDict):
    name: str
    level: str
    to: list[str]
    sentence: str


class ApiToken(TypedDict):
    id: int
    name: str
    roles: list[str]
    created_by: str
    owner: str | None
    is_machine: bool
    created_at: str
    expires_at: str
    last_used: str | None
    revoked_at: str | None


class ApprovalAnswer(TypedDict):
    status: int
    message: Any


class ApprovalRisk(TypedDict):
    level: Literal["low", "medium", "high"]
    reason: str | None
    devices: int


class ApprovalWait(TypedDict):
    reason: Literal["approval"]
    why: str
    dry_run_job: int | None
    until: str
    message: str


class ApprovedHostKey(TypedDict):
    hostname: str
    approved: bool
    message: str | None


class ArpCount(TypedDict):
    count: float


class Attention(TypedDict):
    items: list[AttentionItem]


class AttentionItem(TypedDict):
    key: str
    kind: Literal["silent", "rollout", "approval", "commit", "changed_by_hand", "alert", "new_device", "certificate"]
    since: str | None
    until: str | None
    count: int
    total: int | None
    sentence: str
    detail: str | None
    devices: list[str]
    uplinks: list[str]
    action: Literal["show_devices", "open_job", "decide", "show_commit", "confirm_commit", "compare", "show_alerts", "set_up", "renew"]
    place: AttentionPlace


class AttentionPlace(TypedDict):
    screen: Literal["device", "devices", "job", "approvals", "repository", "alerts", "new_devices"]
    of: str | None


class AuditChain(TypedDict):
    checked: int
    problem: str | None
    event_id: int | None
    since: str | None
    removed: int
    checked_at: str


class AuditEvent(TypedDict):
    id: int
    at: str
    kind: str
    action: str
    actor: str
    way: str
    address: str | None
    device_id: int | None
    hostname: str | None
    job_id: int | None
    data: dict[str, Any]


class BadRequest(TypedDict):
    status: Literal["error"]
    message: FailureMessage
    problems: NotRequired[list[Remark]]


class BgpState(TypedDict):
    state: str
    is_established: bool
    prefixes_received: float | None
    asn: float | None


class BlamedLine(TypedDict):
    text: str
    job_id: int


class BranchCheck(TypedDict):
    name: str
    sentence: str
    devices: int
    hostnames: list[str]


class BranchDevices(TypedDict):
    concerned: int
    rendered: int
    changed: int
    failed: int


class BranchDiffGroup(TypedDict):
    key: str
    count: int
    hostnames: list[str]
    added: int
    removed: int
    diff: str
    score: float | None
    risks: list[RiskyLine]
    risk: ChangeRisk


class BranchFailure(TypedDict):
    hostname: str
    message: str
    by_the_branch: bool


class CertificateAuthority(TypedDict):
    certificate: str
    subject: str
    not_after: str


class ChangeReport(TypedDict):
    change: int
    url: str | None
    title: str
    ticket_ref: str | None
    state: Literal["previewed", "waiting", "running", "done", "partly_done", "failed", "stopped", "undone"]
    proposals: list[ReportedProposal]
    jobs: list[ReportedJob]
    approvals: list[ReportedApproval]
    approved_by: list[str]
    groups: list[ReportedGroup]
    devices: list[ReportedDevice]
    checks: list[ReportedChecks]
    events: list[ReportedEvent]
    left_out: list[str]


class ChangeRisk(TypedDict):
    level: Literal["low", "medium", "high"]
    reason: str | None


class ChangedConfiguration(TypedDict):
    hostname: str
    added: int
    removed: int


class ChangedInterface(TypedDict):
    configtype: NotRequired[str]
    data: NotRequired[InterfaceData | None]


class CheckCondition(TypedDict):
    must: Literal["equal"]
    fields: list[str]


class CheckCondition2(TypedDict):
    must: Literal["no_lost"]


class CheckCondition3(TypedDict):
    must: Literal["no_new"]


class CheckCondition4(TypedDict):
    must: Literal["at_least_share"]
    percent: float
    of: str | None


class CheckCondition5(TypedDict):
    must: Literal["at_least"]
    count: int
    of: str | None


class CheckCondition6(TypedDict):
    must: Literal["at_most"]
    count: int
    of: str | None


class CheckCondition7(TypedDict):
    must: Literal["grows_at_most"]
    field: str
    by: float


class CheckCondition8(TypedDict):
    must: Literal["within"]
    field: str
    least: float | None
    most: float | None


class CheckCondition9(TypedDict):
    must: Literal["every"]
    values: dict[str, bool | float | str]


CheckCondition: TypeAlias = "CheckCondition | CheckCondition2 | CheckCondition3 | CheckCondition4 | CheckCondition5 | CheckCondition6 | CheckCondition7 | CheckCondition8 | CheckCondition9"


class CheckQuestion(TypedDict):
    reads: Literal["neighbours", "interfaces", "bgp", "ospf", "routes", "mlag", "vrrp", "port_channels", "errors", "macs", "arp", "spanning_tree", "environment", "processes", "ntp"]
    role: NotRequired[Literal["access", "uplink", "downlink", "mlag_peer", "fabric"]]


class CheckQuestion2(TypedDict):
    reads: Literal["log"]
    severity: Literal["emergency", "alert", "critical", "error", "warning", "notice", "informational", "debugging"]


class CheckQuestion3(TypedDict):
    reads: Literal["ping"]
    to: str
    source: NotRequired[str]
    vrf: NotRequired[str]
    count: int


class CheckQuestion4(TypedDict):
    reads: Literal["http"]
    url: str
    query: dict[str, str]
    path: str
    name: list[str]
    numbers: bool


CheckQuestion5 = TypedDict(
    "CheckQuestion5",
    {
        "reads": "Literal[\"plugin\"]",
        "plugin": "str",
        "function": "str",
        "with": "dict[str, bool | float | str]",
    },
)


CheckQuestion: TypeAlias = "CheckQuestion | CheckQuestion2 | CheckQuestion3 | CheckQuestion4 | CheckQuestion5"


class CheckResult(TypedDict):
    name: str
    on: NotRequired[str]
    held: bool | None
    before: str | None
    now: str | None
    sentence: str
    tried: int
    seconds: float
    ignored: NotRequired[str]


class CheckResultOnDevice(TypedDict):
    hostname: str
    name: str
    on: NotRequired[str]
    held: bool | None
    before: str | None
    now: str | None
    sentence: str
    tried: int
    seconds: float
    ignored: NotRequired[str]


class CheckScope(TypedDict):
    groups: list[str] | None
    device_types: list[Literal["UNKNOWN", "ACCESS", "DIST", "CORE"]] | None
    platforms: list[str] | None


class CheckedBranch(TypedDict):
    repository: Literal["settings", "templates"]
    branch: str
    commit: str
    committer: str
    at: str
    signature: NotRequired[CommitSignature | None]
    in_force: str | None
    accepted: bool
    problems: list[Remark]
    warnings: list[Remark]
    effects: CommitEffects
    ignored: list[str]
    devices: BranchDevices
    groups: list[BranchDiffGroup]
    checks: NotRequired[list[BranchCheck]]
    failures: list[BranchFailure]
    truncated: bool


class ChecksInForce(TypedDict):
    commit: str | None
    checks: list[ShownCheck]


class CommitEffects(TypedDict):
    groups: list[GroupEffect]
    rules: list[RuleEffect]
    vlans: list[VlanEffect]
    keys: list[RemovedKey]
    removed: list[RemovedKind]
    configurations: ConfigurationEffect
    undefined_names: list[UndefinedName]
    confirm: list[str]
    truncated: bool


class CommitRefusal(TypedDict):
    job_id: int
    at: str | None
    by: str | None
    message: str
    problems: list[Remark]


class CommitSignature(TypedDict):
    state: Literal["signed", "unsigned", "foreign", "expired", "withdrawn", "wrong", "unknown"]
    signer: str | None
    key: str | None
    why: str | None


class CommitsOfRepository(TypedDict):
    in_force: str | None
    commits: list[RepositoryCommit]


class ComputedSecretUse(TypedDict):
    file: str
    line: int


class ConfigHit(TypedDict):
    hostname: str
    job_id: int | None
    finish_time: str | None
    count: int
    lines: list[FoundLine]


ConfigSource: TypeAlias = "Literal[\"running\", \"generated\"] | int"


ConfigType: TypeAlias = "Literal[\"UNKNOWN\", \"UNMANAGED\", \"CONFIGFILE\", \"CUSTOM\", \"TEMPLATE\", \"ACCESS_AUTO\", \"ACCESS_UNTAGGED\", \"ACCESS_TAGGED\", \"ACCESS_UPLINK\", \"ACCESS_DOWNLINK\", \"MLAG_PEER\"]"


class ConfigurationEffect(TypedDict):
    managed: int
    concerned: int
    rendered: int
    is_sample: bool
    changed: int
    losing: int
    failed: int
    added: int
    removed: int
    devices: list[ChangedConfiguration]


class ConfirmResultRollout(TypedDict):
    stopped: str


class ConfirmResult(TypedDict):
    """The result of a confirmation of proved changes"""

    devices: NotRequired[dict[str, DeviceResult]]
    rollout: NotRequired[ConfirmResultRollout]


class Conflict(TypedDict):
    status: Literal["error"]
    message: FailureMessage
    effects: NotRequired[CommitEffects]


class ConnectionCount(TypedDict):
    state: str
    count: int


class CountedGroup(TypedDict):
    name: str
    count: int
    of: int


class CountedName(TypedDict):
    name: str
    count: int


class CountedVersion(TypedDict):
    os_version: str | None
    count: int


class DatabaseStatus(TypedDict):
    version: str
    is_embedded: bool
    size_bytes: float
    schema_version: int
    connections: list[ConnectionCount]


class DecisionRequest(TypedDict):
    comment: str


class DefaultImage(TypedDict):
    default: str
    file: str


class DeletedDevice(TypedDict):
    id: int
    hostname: str
    site_id: int | None
    description: str | None
    management_ip: str | None
    secondary_management_ip: str | None
    dhcp_ip: str | None
    infra_ip: str | None
    oob_ip: str | None
    serial: str | None
    ztp_mac: str | None
    platform: str | None
    vendor: str | None
    model: str | None
    os_version: str | None
    synchronized: bool
    state: DeviceState
    device_type: DeviceType
    confhash: str | None
    last_seen: str | None
    port: int | None


class Delivery(TypedDict):
    id: str
    alert_id: int
    rule: str
    receiver: str
    action: Literal["trigger", "resolve"]
    state: Literal["waiting", "sent", "dead"]
    attempts: int
    created_at: str
    next_at: str | None
    ended_at: str | None
    answer: str | None


class DeliveryCounts(TypedDict):
    waiting: int
    dead: int
    oldest_seconds: float


class Device(TypedDict):
    id: int
    hostname: str
    site_id: int | None
    description: str | None
    management_ip: str | None
    secondary_management_ip: str | None
    dhcp_ip: str | None
    infra_ip: str | None
    oob_ip: str | None
    serial: str | None
    ztp_mac: str | None
    platform: str | None
    vendor: str | None
    model: str | None
    os_version: str | None
    synchronized: bool
    state: DeviceState
    device_type: DeviceType
    confhash: str | None
    last_seen: str | None
    port: int | None
    manageable: bool
    primary_group: str


class DeviceActor(TypedDict):
    hostname: str
    state: DeviceState
    activity: Literal["idle", "reading", "changing", "operating", "upgrading"]
    call: str | None
    job_id: int | None
    since: str | None
    next: list[str]
    change: DeviceChangeStep | None
    waiting: list[WaitingCall]


class DeviceCertificate(TypedDict):
    serial: str
    hostname: str
    address: str
    issued_at: str
    not_after: str
    revoked_at: str | None
    reason: Literal["unspecified", "keyCompromise", "superseded", "cessationOfOperation"] | None


class DeviceChangeStep(TypedDict):
    id: int
    job_id: int
    phase: Literal["planned", "loading", "discarding", "committing", "committed", "checking", "proved", "confirming", "outlasting", "saving", "restoring", "looking", "withdrawing", "expiring", "confirmed", "reverted", "unchanged", "discarded", "unknown"]
    step: str | None
    step_since: str | None
    next: list[str]


class DeviceCounts(TypedDict):
    total: int
    by_state: dict[str, int]
    unsynchronized: int
    unsynchronized_by: dict[str, int]
    drifted: int
    unreachable: int
    in_change: int


class DevicePlace(TypedDict):
    hostname: str
    port: str
    own_port: str
    heard_by: Literal["switch", "neighbour"]
    linknet_id: int | None
    was: str | None
    was_state: DeviceState | None


class DeviceProgress(TypedDict):
    hostname: str
    phase: Literal["planned", "loading", "discarding", "committing", "committed", "checking", "proved", "confirming", "outlasting", "saving", "restoring", "looking", "withdrawing", "expiring", "confirmed", "reverted", "unchanged", "discarded", "unknown"] | None
    reason: str | None
    failed: bool | None
    changed: bool
    score: float | None
    timer_until: str | None
    silent_since: str | None
    certain_until: str | None
    stage: int | None
    not_begun: bool
    step: str | None
    why: str | None
    said: str | None


class DeviceResult(TypedDict):
    failed: bool
    job_tasks: list[JobTask]


DeviceState: TypeAlias = "Literal[\"UNKNOWN\", \"PRE_CONFIGURED\", \"DHCP_BOOT\", \"DISCOVERED\", \"INIT\", \"MANAGED\", \"MANAGED_NOIF\", \"UNMANAGED\"]"


class DeviceStateAnswer(TypedDict):
    reading: DeviceStateReading | None
    problem: DeviceStateProblem | None


class DeviceStateProblem(TypedDict):
    type: str
    message: str


class DeviceStateReading(TypedDict):
    reads: Literal["neighbours"]
    items: dict[str, NeighbourState]


class DeviceStateReading2(TypedDict):
    reads: Literal["interfaces"]
    items: dict[str, InterfaceUpState]


class DeviceStateReading3(TypedDict):
    reads: Literal["bgp"]
    items: dict[str, BgpState]


class DeviceStateReading4(TypedDict):
    reads: Literal["ospf"]
    items: dict[str, OspfState]


class DeviceStateReading5(TypedDict):
    reads: Literal["routes"]
    items: dict[str, RouteCount]


class DeviceStateReading6(TypedDict):
    reads: Literal["mlag"]
    items: dict[str, MlagState]


class DeviceStateReading7(TypedDict):
    reads: Literal["vrrp"]
    items: dict[str, VrrpState]


class DeviceStateReading8(TypedDict):
    reads: Literal["port_channels"]
    items: dict[str, PortChannelState]


class DeviceStateReading9(TypedDict):
    reads: Literal["errors"]
    items: dict[str, PortErrorCounts]


class DeviceStateReading10(TypedDict):
    reads: Literal["macs"]
    items: dict[str, MacCount]


class DeviceStateReading11(TypedDict):
    reads: Literal["arp"]
    items: dict[str, ArpCount]


class DeviceStateReading12(TypedDict):
    reads: Literal["spanning_tree"]
    items: dict[str, SpanningTreeState]


class DeviceStateReading13(TypedDict):
    reads: Literal["environment"]
    items: dict[str, EnvironmentState]


class DeviceStateReading14(TypedDict):
    reads: Literal["processes"]
    items: dict[str, ProcessState]


class DeviceStateReading15(TypedDict):
    reads: Literal["log"]
    items: dict[str, LogLine]


class DeviceStateReading16(TypedDict):
    reads: Literal["ping"]
    items: dict[str, PingResult]


class DeviceStateReading17(TypedDict):
    reads: Literal["ntp"]
    items: dict[str, TimeSource]


DeviceStateReading: TypeAlias = "DeviceStateReading | DeviceStateReading2 | DeviceStateReading3 | DeviceStateReading4 | DeviceStateReading5 | DeviceStateReading6 | DeviceStateReading7 | DeviceStateReading8 | DeviceStateReading9 | DeviceStateReading10 | DeviceStateReading11 | DeviceStateReading12 | DeviceStateReading13 | DeviceStateReading14 | DeviceStateReading15 | DeviceStateReading16 | DeviceStateReading17"


DeviceType: TypeAlias = "Literal[\"UNKNOWN\", \"ACCESS\", \"DIST\", \"CORE\"]"


class DeviceUpgrade(TypedDict):
    hostname: str
    group: int
    state: Literal["waiting", "working", "returning", "done", "failed", "stopped", "not_begun"]
    step: UpgradeStep | None
    steps_done: list[UpgradeStep]
    file: str | None
    version_before: str | None
    version: str | None
    message: str | None
    said: str | None


class DevicesResult(TypedDict):
    """The result of a job on devices"""

    devices: NotRequired[dict[str, DeviceResult]]
    skipped_devices: NotRequired[dict[str, str]]


class DiffGroup(TypedDict):
    key: str
    count: int
    hostnames: list[str]
    diff: str
    added: int
    removed: int
    score: float | None
    risks: list[RiskyLine]
    risk: ChangeRisk
    viewed: bool


class DiscoverDeviceRequest(TypedDict):
    ztp_mac: str
    dhcp_ip: str


class DiskStatus(TypedDict):
    free_bytes: float
    size_bytes: float


class DistanceGroup(TypedDict):
    key: str
    diff: str
    count: int
    places: int
    lines: int
    hostnames: list[str]


class DistanceRecord(TypedDict):
    measured_at: str
    settings_commit: str | None
    templates_commit: str | None
    devices: int
    reached: int
    unrendered: int
    lines: int
    differing: int
    distance: float


class EarlierCommit(TypedDict):
    commit: str
    until: str


class EffectiveSettings(TypedDict):
    settings: dict[str, Any]
    settings_origin: dict[str, str]


class EndedSession(TypedDict):
    revoked: bool
    end_session_url: str | None


class EnvironmentState(TypedDict):
    ok: bool
    state: str
    value: float | None


class Event(TypedDict):
    id: int
    at: str
    kind: str
    action: str
    actor: str
    way: str
    address: str | None
    device_id: int | None
    hostname: str | None
    job_id: int | None
    data: dict[str, Any]
    is_audit: bool
    object: dict[str, Any] | None


class EventPage(TypedDict):
    events: list[Event]
    next: int
    more: bool
    truncated: int | None


class Explanation(TypedDict):
    allowed: bool
    reason: str
    in_words: str
    roles: list[str]
    allowed_by: list[str]
    role: str | None
    file: str | None
    line: int | None
    held: list[HeldRole]


class ExportedInterface(TypedDict):
    configtype: str
    data: InterfaceData | None


class ExportedInterfaces(TypedDict):
    interfaces: dict[str, ExportedInterface]


class FactChange(TypedDict):
    old: Any
    new: Any


class FactsResult(TypedDict):
    """The facts of a device that have changed"""

    devices: NotRequired[dict[str, DeviceResult]]
    diff: NotRequired[dict[str, FactChange]]
    remarks: NotRequired[list[str]]


FailedProofPolicy: TypeAlias = "Literal[\"leave\", \"retry\"]"


FailureGroup = TypedDict(
    "FailureGroup",
    {
        "class": "str",
        "step": "str",
        "sentence": "str",
        "did": "str | None",
        "advice": "str | None",
        "count": "int",
        "devices": "list[str]",
        "uplinks": "list[str]",
        "said": "str | None",
    },
)


class FailureMessage3(TypedDict):
    errors: list[str]
    updated: NotRequired[dict[str, Any]]


FailureMessage: TypeAlias = "str | list[str] | FailureMessage3"


class FaultReport(TypedDict):
    status: Literal["DOWN"]
    checks: list[HealthCheck]
    remark: NotRequired[str]


FileResult: TypeAlias = "str"


class FindAnswer(TypedDict):
    hits: list[FindHit]
    truncated: bool
    tables: FindTables


class FindHit(TypedDict):
    kind: Literal["mac", "arp", "device", "port", "vlan"]
    hostname: str
    port: str | None
    vlan: int | None
    mac: str | None
    ip: str | None
    description: str | None
    first_seen: str | None
    last_seen: str | None
    on_uplink: bool | None
    vlan_name: str | None
    location: str | None


class FindTables(TypedDict):
    devices: int
    read: int
    oldest: str | None
    newest: str | None


class Finding(TypedDict):
    kind: Literal["job", "change", "device", "session", "lock", "certificate", "database", "disk", "clock", "machine", "repository", "alert", "role", "protection", "token"]
    level: Literal["bad", "warn"]
    about: str
    since: str | None
    what: str
    why: str
    next: str
    repair: FindingRepair | None


class FindingRepair(TypedDict):
    says: str
    method: Literal["POST", "PUT", "DELETE"]
    path: str
    body: dict[str, Any]


class FirmwareDownload(TypedDict):
    job_id: int
    status: str
    by: str | None
    url: str | None
    file: str | None
    bytes: int | None
    total: int | None


class FirmwareFiles(TypedDict):
    files: list[str]
    defaults: list[DefaultImage]


class FirmwareImage(TypedDict):
    file: str
    size: int | None
    sha1: str | None
    defaults: list[str]


class FirmwareImages(TypedDict):
    images: list[FirmwareImage]
    downloads: list[FirmwareDownload]


class Forbidden(TypedDict):
    status: Literal["error"]
    message: FailureMessage


class ForgeApproval(TypedDict):
    login: str
    person: str | None
    decision: Literal["approved", "rejected"]
    commit: str | None
    at: str
    counts: bool
    why_not: str | None


class ForgeEventOutcome(TypedDict):
    taken: bool
    why: str
    proposal: int | None


class FoundLine(TypedDict):
    number: int
    section: str
    text: str


class Freeze(TypedDict):
    name: str
    groups: list[str] | None
    device_types: list[str] | None
    timezone: str
    reason: str | None
    is_in_force: bool
    begins_at: str | None
    ends_at: str | None
    spans: list[WindowSpan]


class GeneratedConfig(TypedDict):
    hostname: NotRequired[str]
    generated_config: NotRequired[str]
    available_variables: NotRequired[dict[str, Any]]


class GroupEffect(TypedDict):
    name: str
    before: int
    after: int
    gained: int
    lost: int
    gained_names: list[str]
    lost_names: list[str]
    used_by: list[GroupUse]


class GroupSettings(TypedDict):
    regex: str
    group_priority: int
    templates_branch: str | None


class GroupUse(TypedDict):
    kind: Literal["window", "freeze", "role", "alert rule", "templates_branch", "settings"]
    name: str


class Groups(TypedDict):
    groups: dict[str, list[str]]
    group_settings: dict[str, GroupSettings]


class HealthCheck(TypedDict):
    name: str
    status: Literal["UP", "DOWN"]
    message: NotRequired[str]


class HealthReport(TypedDict):
    status: Literal["UP"]
    checks: list[HealthCheck]
    remark: NotRequired[str]


class HeldRole(TypedDict):
    role: str
    because: str
    line: int | None


class HostKey(TypedDict):
    hostname: str
    fingerprint: str | None
    refused_fingerprint: str | None


class HostKeyApprovals(TypedDict):
    approved: int
    refused: int
    host_keys: list[ApprovedHostKey]


class IgnoredDevice(TypedDict):
    by: str
    at: str
    comment: str | None


class InitLine(TypedDict):
    hostname: str
    device_type: str
    mac: NotRequired[str]
    serial: NotRequired[str]
    replace_hostname: NotRequired[bool]


class InitResult(TypedDict):
    """The result of step 1 of an initialisation; `progress` while it runs"""

    devices: NotRequired[dict[str, DeviceResult]]
    progress: NotRequired[list[InitStep]]


class InitStep(TypedDict):
    time: str
    step: str
    message: str


class Interface(TypedDict):
    device_id: int
    name: str
    configtype: ConfigType
    data: InterfaceData | None
    indexnum: int


class InterfaceChange(TypedDict):
    configtype: NotRequired[ConfigType | None]
    data: NotRequired[InterfaceData | None]


class InterfaceChanges(TypedDict):
    interfaces: dict[str, InterfaceChange]


class InterfaceData(TypedDict):
    untagged_vlan: NotRequired[str | int | None]
    tagged_vlan_list: NotRequired[list[str | int] | None]
    vxlan: NotRequired[str | None]
    neighbor: NotRequired[str | None]
    neighbor_id: NotRequired[int | None]
    description: NotRequired[str | None]
    enabled: NotRequired[bool | None]
    aggregate_id: NotRequired[int | None]
    bpdu_filter: NotRequired[bool | None]
    redundant_link: NotRequired[bool | None]
    tags: NotRequired[list[str] | None]
    cli_append_str: NotRequired[str | None]


class InterfacePreview(TypedDict):
    updated: dict[str, ChangedInterface]
    errors: list[str]
    diff: str


class InterfaceStatus(TypedDict):
    is_up: bool | None
    is_enabled: bool | None
    description: str
    last_flapped: float
    mtu: float | None
    speed: int | None
    mac_address: str
    errors: NotRequired[PortErrors]


class InterfaceUpState(TypedDict):
    is_up: bool
    is_enabled: bool | None


class InterfacesResult(TypedDict):
    """The ports that were written"""

    interfaces: NotRequired[list[WrittenInterface]]


class InternalError(TypedDict):
    status: Literal["error"]
    message: FailureMessage
    problems: NotRequired[list[Remark]]


class Job(TypedDict):
    id: int
    status: JobStatus
    scheduled_time: str | None
    start_time: str | None
    finish_time: str | None
    function_name: str
    scheduled_by: str | None
    comment: str | None
    ticket_ref: str | None
    next_job_id: int | None
    result: JobResult | None
    exception: JobException | None
    traceback: str | None
    finished_devices: list[str] | None
    change_score: int | None
    outcome: JobOutcome | None
    failed_devices: list[str] | None
    counts: JobCounts | None
    start_arguments: dict[str, Any] | None
    waiting_for: JobWaiting | None
    settings_commit: str | None
    templates_commit: str | None
    settings_signature: CommitSignature | None
    templates_signature: CommitSignature | None
    abort_reason: str | None
    aborted_by: str | None


class JobApproval(TypedDict):
    job_id: int
    function_name: str
    title: str | None
    ticket_ref: str | None
    status: JobStatus
    outcome: JobOutcome | None
    reason: str
    dry_run_job: int | None
    asked_by: str
    asked_at: str
    expires_at: str
    decision: Literal["approved", "rejected", "expired", "unneeded", "withdrawn"] | None
    decided_by: str | None
    decided_at: str | None
    comment: str | None
    is_yours: bool
    may_decide: bool
    why_not: str | None
    approvers: list[str]
    devices: int | None
    risk: ApprovalRisk | None


class JobCheck(TypedDict):
    name: str
    sentence: str
    held: int
    failed: int
    unread: int
    undecided: int
    planned: list[str]
    rule: str | None
    results: list[CheckResultOnDevice]
    left_out: int


class JobChecksSkipped(TypedDict):
    reason: str
    by: str | None


class JobChecks(TypedDict):
    checks: list[JobCheck]
    skipped: JobChecksSkipped | None


class JobCounts(TypedDict):
    devices: int
    succeeded: int
    failed: int
    changed: int
    not_begun: NotRequired[int]


class JobDiffs(TypedDict):
    groups: list[DiffGroup]
    changed: int
    unchanged: int
    failed: int
    left_out: int


class JobException(TypedDict):
    message: str
    type: str
    args: list[str]
    traceback: str


class JobLock(TypedDict):
    job_id: int
    name: str
    start_time: str
    abort: bool


JobOutcome: TypeAlias = "Literal[\"success\", \"partial\", \"failed\", \"aborted\"]"


class JobProgress(TypedDict):
    devices: list[DeviceProgress]
    unpausable: str | None
    failures: list[FailureGroup]
    totals: JobTotals
    seconds_left: int | None
    undoable: int
    undone_by: list[int]


class JobQueueCounts(TypedDict):
    running: int
    waiting: int
    failed_today: int


JobResult: TypeAlias = "SyncResult | ConfirmResult | DevicesResult | InitResult | InterfacesResult | RefreshResult | FactsResult | UpgradeResult | FileResult | AbortedResult"


class JobScope(TypedDict):
    devices: int
    hostnames: list[str]
    would_change: int | None
    not_compared: int | None
    outdated: list[str]
    device_types: list[CountedName]
    groups: list[CountedGroup]
    sites: list[CountedName]
    machines: int | None
    uplinks: list[TouchedUplinks]
    rollout: RolloutPlan | None
    window: ScopeWindow | None
    approval: JobApproval | None


class JobStarted(TypedDict):
    status: Literal["success"]
    data: str
    job_id: int
    warnings: NotRequired[list[str]]


JobStatus: TypeAlias = "Literal[\"UNKNOWN\", \"SCHEDULED\", \"RUNNING\", \"FINISHED\", \"EXCEPTION\", \"ABORTED\", \"ABORTING\"]"


class JobTask(TypedDict):
    task_name: str
    result: Any
    diff: str
    failed: bool
    proof: NotRequired[Literal["loaded-again", "promised-text", "lines"]]
    remarks: NotRequired[list[str]]
    said: NotRequired[list[SaidLine]]
    not_shown: NotRequired[list[NotShownLine]]
    checks: NotRequired[list[CheckResult]]
    planned_checks: NotRequired[list[PlannedCheck]]


class JobTotals(TypedDict):
    devices: int
    done: int
    failed: int
    working: int
    waiting: int
    not_begun: int


JobWaiting: TypeAlias = "LockWait | TimerWait | ApprovalWait | WindowWait | PlaceWait | PauseWait"


class LearnedLine(TypedDict):
    id: int
    platform: str
    release: str
    section: list[str]
    line: str
    shown: list[str]
    state: Literal["spelled", "default", "not_taken", "not_used"]
    learned_at: str


class Lease(TypedDict):
    ztp_mac: str
    dhcp_ip: str
    platform: str
    outcome: Literal["taken", "refused", "waits"]
    step: Literal["create", "discovery", "address", "none"]
    message: str
    host: str
    since: str
    reported_at: str


class LeaseQueue(TypedDict):
    host: str
    waiting: int
    reported_at: str


class LineOfDevice(TypedDict):
    hostname: str
    line: int
    text: str


class LineOrigins(TypedDict):
    hostname: str
    lines: list[OriginOfLine]
    commits: list[WritingCommit]
    jobs: list[StoredConfig]
    has_older: bool


class LinesFromSource(TypedDict):
    searched: int
    lines: list[LineOfDevice]
    next: str | None


class Linknet(TypedDict):
    id: int
    ipv4_network: str | None
    device_a_id: int
    device_a_ip: str | None
    device_a_port: str
    device_b_id: int
    device_b_ip: str | None
    device_b_port: str
    site_id: int | None
    description: str | None


class LldpNeighbor(TypedDict):
    hostname: str
    port: str


class LldpNeighborDetail(TypedDict):
    parent_interface: str
    remote_port: str
    remote_port_description: str
    remote_chassis_id: str
    remote_system_name: str
    remote_system_description: str
    remote_system_capab: list[str]
    remote_system_enable_capab: list[str]


class LockWait(TypedDict):
    reason: Literal["lock"]
    lock: str
    job_id: int
    function_name: str
    since: str
    waits_since: NotRequired[str]
    message: str


class LogLine(TypedDict):
    severity: Literal["emergency", "alert", "critical", "error", "warning", "notice", "informational", "debugging"]
    message: str
    at: float | None


class LoginMethods(TypedDict):
    needed: bool
    password: bool
    provider: LoginProvider | None
    token: bool
    site: str | None
    is_new: bool


class LoginProvider(TypedDict):
    name: str
    path: str


class LoopLag(TypedDict):
    median: float
    p99: float


class MacCount(TypedDict):
    count: float


class MgmtDomain(TypedDict):
    id: int
    ipv4_gw: str | None
    ipv6_gw: str | None
    device_a_id: int
    device_a_ip: str | None
    device_b_id: int
    device_b_ip: str | None
    site_id: int | None
    vlan: int | None
    description: str | None
    esi_mac: str | None
    device_a: str
    device_b: str


MissingLinesPolicy: TypeAlias = "Literal[\"warn\", \"fail\"]"


class MlagState(TypedDict):
    state: str
    is_active: bool
    peer_link_up: bool | None
    sane: bool | None


class MovedAddress(TypedDict):
    hostname: str
    field: str
    address: str


class Mute(TypedDict):
    id: int
    hostname: str | None
    group: str | None
    rule: str | None
    reason: str
    begins_at: str
    ends_at: str
    created_by: str
    is_in_force: bool


NamingPort = TypedDict(
    "NamingPort",
    {
        "hostname": "str",
        "interface": "str",
        "as": "Literal[\"untagged\", \"tagged\", \"vxlan\"]",
    },
)


class NeighbourState(TypedDict):
    hostname: str | None
    port: str | None


class NewDeviceCounts(TypedDict):
    waiting: int
    ignored: int


class NotFound(TypedDict):
    status: Literal["error"]
    message: FailureMessage


class NotShownLine(TypedDict):
    line_number: int
    line: str
    is_new: bool


class OfferedHostKey(TypedDict):
    hostname: str
    fingerprint: str


class OnboardedDevice(TypedDict):
    hostname: str
    device_type: str
    platform: str | None
    management_ip: str | None
    state: OnboardingState
    message: str | None
    source: str
    origin: str
    added_by: str
    added_at: str
    fingerprint: str | None
    refused_fingerprint: str | None
    shown: OnboardedFacts | None
    config_from: Literal["session", "file"] | None
    config_at: str | None
    lines: int | None
    extra: int | None
    missing: int | None
    distance: float | None
    measured_at: str | None


class OnboardedFacts(TypedDict):
    hostname: str | None
    serial: str | None
    model: str | None
    os_version: str | None
    mac: str | None
    ports: int
    neighbours: int


class OnboardingDistance(TypedDict):
    now: DistanceRecord
    groups: list[DistanceGroup]
    left_out: int
    unrendered: dict[str, str]
    is_measuring: bool


class OnboardingError(TypedDict):
    file: str
    line: int | None
    field: str
    message: str


class OnboardingFile(TypedDict):
    path: str
    text: str
    modified_at: NotRequired[str]


class OnboardingResult(TypedDict):
    stored: bool
    hostnames: list[str]
    errors: list[OnboardingError]
    job_id: int | None


OnboardingState: TypeAlias = "Literal[\"waiting\", \"host_key\", \"failed\", \"unrendered\", \"differs\", \"ready\", \"managed\"]"


class OpenedSession(TypedDict):
    access_token: str
    expires_in: int


class OriginOfLine(TypedDict):
    line: int
    text: str
    job_id: int | None
    template: TemplateLine | None
    settings: list[SettingLine]
    port: str | None


class OspfState(TypedDict):
    state: str
    is_full: bool


class Overview(TypedDict):
    devices: DeviceCounts
    jobs: JobQueueCounts
    new_devices: NewDeviceCounts


class OverviewHistory(TypedDict):
    hours: int
    step: int
    points: list[OverviewPoint]


class OverviewPoint(TypedDict):
    at: str
    total: int
    in_sync: int
    unsynchronized: int
    unsynchronized_by: dict[str, int]
    drifted: int
    silent: int


class PauseWait(TypedDict):
    reason: Literal["pause"]
    by: str
    why: str | None
    since: str
    message: str


class PayloadTooLarge(TypedDict):
    status: Literal["error"]
    message: FailureMessage


class Permission(TypedDict):
    methods: NotRequired[list[str]]
    endpoints: NotRequired[list[str]]
    pages: NotRequired[list[str]]
    rights: NotRequired[list[str]]
    fields: NotRequired[dict[str, list[str]]]
    states: NotRequired[list[str]]
    groups: NotRequired[list[str]]
    device_types: NotRequired[list[str]]
    interfaces: NotRequired[list[str]]
    jobs: NotRequired[list[str]]
    live: NotRequired[bool]
    max_devices: NotRequired[int]
    approval: NotRequired[bool]


class Person(TypedDict):
    person: str
    way: str
    name: str
    roles: list[str]
    tokens: int
    seen_at: str | None
    withdrawn_at: str | None
    withdrawn_by: str | None


class PersonExplanation(TypedDict):
    person: str
    name: str
    allowed: bool
    reason: str
    in_words: str
    roles: list[str]
    allowed_by: list[str]
    role: str | None
    file: str | None
    line: int | None
    held: list[HeldRole]


class PersonRequest(TypedDict):
    person: str


class PingResult(TypedDict):
    sent: float
    received: float
    loss_percent: float
    rtt_ms: float | None


PlaceWait = TypedDict(
    "PlaceWait",
    {
        "reason": "Literal[\"place\"]",
        "class": "Literal[\"person\", \"schedule\", \"upkeep\"]",
        "places": "int",
        "message": "str",
    },
)


class PlannedCheck(TypedDict):
    name: str
    sentence: str


class PlannedStage(TypedDict):
    is_canary: bool
    count: int
    hostnames: list[str]


class PluginEntry(TypedDict):
    filename: str
    vars: NotRequired[dict[str, Any]]


class PluginState(TypedDict):
    filename: str
    loaded: bool
    problem: str | None
    hooks: list[str]
    checks: list[str]
    failed_calls: int
    retried_calls: int
    last_error: str | None
    last_error_at: str | None


class PortChannelState(TypedDict):
    members: list[str]
    active: list[str]


class PortErrorCounts(TypedDict):
    in_errors: float | None
    out_errors: float | None
    in_discards: float | None
    out_discards: float | None
    total: float


PortErrors = TypedDict(
    "PortErrors",
    {
        "in": "float",
        "out": "float",
        "in_discards": "float",
        "out_discards": "float",
    },
)


class PortFileDiff(TypedDict):
    hostnames: list[str]
    diff: str


class PortFileError(TypedDict):
    line: int
    column: str
    message: str


class PortFileResult(TypedDict):
    stored: bool
    errors: list[PortFileError]
    updated: dict[str, dict[str, ChangedInterface]]
    diffs: list[PortFileDiff]
    version: str


class PortMachine(TypedDict):
    port: str
    mac: str
    ip: str | None
    vlan: int | None
    first_seen: str
    last_seen: str


class PortOptics(TypedDict):
    media: str
    serial: str
    rx_power: float | None
    tx_power: float | None
    bias: float | None
    temperature: float | None


class PortOptions(TypedDict):
    vlans: list[PortVlan]
    profiles: list[PortProfile]
    location: str | None


class PortProfile(TypedDict):
    name: str
    description: str


class PortReading(TypedDict):
    is_up: bool | None
    is_enabled: bool | None
    description: str
    last_flapped: float
    mtu: float | None
    speed: int | None
    mac_address: str
    errors: NotRequired[PortErrors]
    light: NotRequired[PortOptics]


class PortReadingProblem(TypedDict):
    busy: bool
    message: str


class PortReadings(TypedDict):
    read_at: str | None
    age: float | None
    problem: PortReadingProblem | None
    ports: dict[str, PortReading]
    machines: list[PortMachine]


class PortVlan(TypedDict):
    id: int
    name: str


class PreconditionFailed(TypedDict):
    status: Literal["error"]
    message: FailureMessage


class PreviousConfig(TypedDict):
    job_id: int
    finish_time: str
    config: NotRequired[str]
    failed: bool


class ProcessState(TypedDict):
    uptime: float | None


class ProcessStatus(TypedDict):
    uptime_seconds: float
    memory_bytes: float
    open_files: int | None
    loop_lag_seconds: LoopLag
    loop_utilization: float


class Proposal(TypedDict):
    id: int
    repository: Literal["settings", "templates"]
    branch: str
    title: str | None
    state: Literal["open", "merged", "closed", "superseded"]
    opened_by: str
    opened_there: bool
    opened_at: str
    ended_at: str | None
    ended_by: str | None
    why: str | None
    merged_commit: str | None
    superseded_by: int | None
    commit: str | None
    committer: str | None
    committed_at: str | None
    signature: CommitSignature | None
    earlier: list[EarlierCommit]
    check: Literal["waiting", "checking", "accepted", "refused", "failed"]
    error: str | None
    checked_at: str | None
    in_force: str | None
    devices: BranchDevices | None
    ways: int
    risk: ProposalRisk | None
    needs_confirmation: bool
    forge: ProposalAtForge | None


class ProposalAtForge(TypedDict):
    number: int | None
    url: str | None
    told: str | None
    error: str | None
    given_up: bool


class ProposalRisk(TypedDict):
    level: Literal["low", "medium", "high"]
    reason: str | None
    devices: int


class ProposedDiffGroup(TypedDict):
    key: str
    count: int
    hostnames: list[str]
    added: int
    removed: int
    diff: str
    score: float | None
    risks: list[RiskyLine]
    risk: ChangeRisk
    viewed: bool


class ProposedLink(TypedDict):
    device_a: str
    device_a_port: str
    device_b: str
    device_b_port: str
    agreement: Literal["both", "one", "contradiction"]
    reason: str


class ProposedPort(TypedDict):
    configtype: str
    data: dict[str, Any]


class ProposedSetting(TypedDict):
    file: str
    key: str
    why: str


class QueueStatus(TypedDict):
    jobs: list[QueuedJobs]
    oldest_seconds: float


class QueuedJobs(TypedDict):
    function_name: str
    status: str
    count: int


class RefreshResult(TypedDict):
    """The commit that came into force as a sentence, or why it did not"""

    message: NotRequired[str]
    error: NotRequired[str]
    repository: str
    commit: NotRequired[str]
    signature: NotRequired[CommitSignature | None]


class RefusedAutoPush(TypedDict):
    refused: str
    message: str
    lines: list[str]


class Remark(TypedDict):
    file: str | None
    line: int | None
    column: int | None
    path: str | None
    message: str


class RemovedKey(TypedDict):
    file: str
    key: str


class RemovedKind(TypedDict):
    kind: Literal["VLANs", "directories of devices", "groups", "templates"]
    before: int
    removed: int
    names: list[str]


class RenderedTemplate(TypedDict):
    template: str | None
    text: str
    log: list[TemplateLogLine]
    warnings: list[Remark]


class ReplicaStatus(TypedDict):
    address: str
    is_healthy: bool
    heard_seconds: float


class ReportedApproval(TypedDict):
    job_id: int
    reason: str
    asked_by: str
    asked_at: str
    decision: str | None
    decided_by: str | None
    decided_at: str | None
    comment: str | None


class ReportedChecksSkipped(TypedDict):
    reason: str
    by: str | None


class ReportedChecks(TypedDict):
    job_id: int
    checks: list[JobCheck]
    skipped: ReportedChecksSkipped | None


class ReportedDevice(TypedDict):
    job_id: int
    hostname: str
    phase: str | None
    reason: str | None
    failed: bool | None
    changed: bool
    proof: Literal["loaded-again", "promised-text", "lines"] | None
    began_at: str | None
    ended_at: str | None
    why: str | None


class ReportedEvent(TypedDict):
    at: str
    id: int
    by: str
    text: str


class ReportedGroup(TypedDict):
    hostnames: list[str]
    added: int
    removed: int
    risk: ChangeRisk
    diff: str


class ReportedJob(TypedDict):
    id: int
    part: Literal["preview", "rollout", "confirmation", "undo"]
    function_name: str
    status: JobStatus
    outcome: JobOutcome | None
    by: str | None
    comment: str | None
    ticket_ref: str | None
    requested_at: str | None
    began_at: str | None
    ended_at: str | None
    settings_commit: str | None
    templates_commit: str | None
    settings_signature: CommitSignature | None
    templates_signature: CommitSignature | None
    change_score: int | None
    aborted_by: str | None
    abort_reason: str | None
    emergency: str | None
    waited_for_window: bool
    canary: int | list[str] | None
    batch_size: int | None


class ReportedProposal(TypedDict):
    id: int
    repository: str
    branch: str
    title: str | None
    commit: str | None
    merged_commit: str | None
    signature: CommitSignature | None
    opened_by: str
    opened_at: str
    ended_at: str | None
    ended_by: str | None
    url: str | None
    approvals: list[ForgeApproval]


class RepositoryBranch(TypedDict):
    branch: str
    commit: str
    author: str
    at: str
    subject: str
    in_force: bool
    signature: CommitSignature | None


class RepositoryBranches(TypedDict):
    branches: list[RepositoryBranch]


class RepositoryCommit(TypedDict):
    commit: str
    author: str
    committer: str
    at: str
    subject: str
    message: str
    state: Literal["in_force", "refused", "not_applied", "replaced", "waiting"]
    refusal: CommitRefusal | None
    signature: CommitSignature | None


class RepositoryFile(TypedDict):
    path: str
    size: int


class RepositoryFileText(TypedDict):
    path: str
    text: str


class RepositoryFiles(TypedDict):
    commit: str | None
    files: list[RepositoryFile]


class RequestApproval(TypedDict):
    id: int
    operation: str
    method: str
    path: str
    body: Any
    asked_by: str
    asked_at: str
    expires_at: str
    decision: str | None
    decided_by: str | None
    decided_at: str | None
    comment: str | None
    answer: ApprovalAnswer | None


class RequestTimeout(TypedDict):
    status: Literal["error"]
    message: FailureMessage


class RetainedRows(TypedDict):
    kind: str
    rows: int
    bytes: float | None
    oldest: str | None
    due: int
    removed: int
    looked_at: str


class RiskyLine(TypedDict):
    line: str
    weight: float


class Role(TypedDict):
    name: str
    is_ready: bool
    is_held: bool
    permissions: list[Permission]
    line: int | None
    lines: list[int | None]


class RolloutPlan(TypedDict):
    stages: list[PlannedStage]
    at_once: int
    confirm_mode: Literal[0, 1, 2]
    timer_seconds: int | None
    stops_at: int | None
    takes_back: bool
    urgent: bool
    emergency: str | None
    waits_for_window: bool
    seconds: int | None


class RouteCount(TypedDict):
    count: float


class RuleEffect(TypedDict):
    kind: Literal["window", "freeze", "role", "alert rule", "templates_branch", "settings"]
    name: str
    before: int
    after: int
    gained: int
    lost: int
    gained_names: list[str]
    lost_names: list[str]


class SaidLine(TypedDict):
    line_number: int
    line: str
    answer: str


class SavedView(TypedDict):
    id: int
    owner: str
    list: str
    name: str
    query: str
    shared: bool
    saved_at: str


class ScopeWindow(TypedDict):
    is_open: bool
    closes_at: str | None
    opens_at: str | None
    why: str | None


class Secret(TypedDict):
    name: str
    kind: Literal["login", "template", "device", "plugin", "alert", "repository", "server"]
    standing: Literal["used", "missing", "optional", "unused", "waiting"]
    source: Literal["environment", "file", "database"] | None
    set_at: str | None
    set_by: str | None
    uses: list[SecretUse]
    devices: int
    hostnames: list[str]


class SecretScope(TypedDict):
    by: Literal["all", "type", "group", "platform", "state", "device"]
    name: str


class SecretUse(TypedDict):
    of: Literal["templates", "settings", "alerts", "plugins", "switches", "server"]
    file: str | None
    line: int | None
    scope: SecretScope | None


class SentStackMember(TypedDict):
    member_no: NotRequired[int | None]
    hardware_id: str
    priority: NotRequired[int | None]


class ServerStatus(TypedDict):
    version: str
    git_version: str
    status: Literal["UP", "DOWN"]
    checks: list[HealthCheck]
    remark: str | None
    process: ProcessStatus
    disk: DiskStatus | None
    database: DatabaseStatus | None
    queue: QueueStatus | None
    retained: list[RetainedRows] | None
    dead_letters: int | None
    replicas: list[ReplicaStatus] | None


class ServiceUnavailable(TypedDict):
    status: Literal["error"]
    message: FailureMessage


class SettingLine(TypedDict):
    name: str
    file: str
    line: int | None
    commit: str | None


class SettingPlace(TypedDict):
    file: str
    line: int | None


class SettingsProposal(TypedDict):
    patch: str
    files: list[str]
    keys: list[ProposedSetting]
    ports: dict[str, dict[str, ProposedPort]]
    before: int
    after: int
    distance_before: float
    distance_after: float


class SetupFinding(TypedDict):
    of: Literal["settings", "templates", "networks"]
    is_good: bool
    message: str
    commit: str | None


class SetupProgress(TypedDict):
    settings: SetupSource
    templates: SetupSource
    networks: str | None
    devices: int
    previewed: bool
    pushed: bool
    can_restart: bool


class SetupSource(TypedDict):
    address: str | None
    commit: str | None


ShownCheck = TypedDict(
    "ShownCheck",
    {
        "name": "str",
        "description": "str | None",
        "for": "CheckScope",
        "when_diff": "str | None",
        "question": "CheckQuestion",
        "only": "str | None",
        "where": "dict[str, bool | float | str]",
        "condition": "CheckCondition",
        "settle": "int",
        "within": "int",
        "before": "Literal[\"warn\", \"refuse\"]",
        "also_neighbours": "bool",
        "set": "str | None",
        "sentence": "str",
        "file": "str | None",
        "line": "int | None",
        "branch": "str | None",
        "devices": "list[str]",
    },
)


class SpanningTreeState(TypedDict):
    root: str
    is_root: bool
    topology_changes: float | None
    since_change: float | None


class StackMember(TypedDict):
    member_no: int | None
    hardware_id: str
    priority: int | None


class StartedInit(TypedDict):
    hostname: str
    device_id: int
    job_id: int


class Statechart(TypedDict):
    initial: str
    states: list[str]
    arrows: list[StatechartArrow]


StatechartArrow = TypedDict(
    "StatechartArrow",
    {
        "from": "str | None",
        "to": "str",
        "event": "str",
        "rule": "str | None",
    },
)


class Statecharts(TypedDict):
    life: Statechart
    activity: Statechart
    change: Statechart


class StoppedRollout(TypedDict):
    stopped: str
    reverted: list[str]
    not_started: list[str]


class StoredConfig(TypedDict):
    job_id: int
    finish_time: str
    function_name: str
    failed: bool
    has_config: bool
    by: str | None
    found_by: str | None
    made_by: str | None
    comment: str | None
    settings_commit: str | None
    templates_commit: str | None
    settings_signature: CommitSignature | None
    templates_signature: CommitSignature | None


class SyncBeside(TypedDict):
    job_id: int
    hostnames: list[str]


class SyncEvent(TypedDict):
    cause: str
    timestamp: float
    by: str
    found_by: str
    made_by: str | None
    job_id: int | None
    failed_proof: NotRequired[str]


class SyncResult(TypedDict):
    """The result of a synchronization"""

    devices: NotRequired[dict[str, DeviceResult]]
    skipped_devices: NotRequired[dict[str, str]]
    remarks: NotRequired[list[str]]
    rollout: NotRequired[StoppedRollout]
    auto_push: NotRequired[RefusedAutoPush]
    beside: NotRequired[list[SyncBeside]]


class TemplateLine(TypedDict):
    file: str
    line: int
    commit: str | None


class TemplateLogLine(TypedDict):
    level: str
    text: str


class TemplateVariable(TypedDict):
    name: str
    value: Any
    source: Literal["settings", "computed", "database", "secret", "override"]
    level: str | None
    places: list[SettingPlace]


class TemplateVariables(TypedDict):
    hostname: str
    group: str
    branch: str | None
    platform: str | None
    template: str | None
    variables: list[TemplateVariable]


class TimeSource(TypedDict):
    is_synchronized: bool
    offset_ms: float | None
    stratum: float | None


class TimerWait(TypedDict):
    reason: Literal["timer"]
    devices: list[str]
    seconds: int
    message: str


class TooManyRequests(TypedDict):
    status: Literal["error"]
    message: FailureMessage


class Topology(TypedDict):
    nodes: list[TopologyNode]
    edges: list[TopologyEdge]


class TopologyEdge(TypedDict):
    a: int
    a_port: str
    b: int
    b_port: str
    linknet_id: int | None
    agreement: Literal["agreed", "planned", "unread", "seen", "moved"]
    instead: str | None


class TopologyNode(TypedDict):
    id: int
    hostname: str
    device_type: DeviceType
    state: DeviceState
    synchronized: bool
    os_version: str | None
    model: str | None
    primary_group: str
    unreachable: bool
    job_id: int | None
    neighbours_read: str | None


class TouchedUplinks(TypedDict):
    hostname: str
    ports: list[str]


class TriedCheck(TypedDict):
    name: str
    on: NotRequired[str]
    sentence: str
    end: Literal["holds", "fails", "compares", "unread"]
    now: str | None
    why: str


class TrustedIdentity(TypedDict):
    hostname: str
    fingerprint: str
    serial: str | None
    model: str | None
    shown_hostname: str | None


class Unauthorized(TypedDict):
    status: Literal["error"]
    message: FailureMessage
    errorCode: NotRequired[Literal["auth_expired"]]


class UndefinedName(TypedDict):
    file: str | None
    line: int | None
    column: int | None
    path: str | None
    message: str
    devices: int
    hostnames: list[str]


class UnsupportedMediaType(TypedDict):
    status: Literal["error"]
    message: FailureMessage


class UpgradeOrder(TypedDict):
    upgrade_groups: list[list[str]]
    device_count: int
    steps: int
    restart_seconds: int | None


class UpgradeProgress(TypedDict):
    job_id: int
    status: str
    steps: list[UpgradeStep]
    devices: list[DeviceUpgrade]
    restart_seconds: int | None


class UpgradeResultTotals(TypedDict):
    selected_devices: int


class UpgradeResult(TypedDict):
    """The result of an upgrade; the tasks of each device are also a list under its hostname"""

    devices: NotRequired[dict[str, DeviceResult]]
    _totals: NotRequired[UpgradeResultTotals]


UpgradeStep: TypeAlias = "Literal[\"pre_flight\", \"download\", \"activate\", \"reboot\", \"post_flight\"]"


class User(TypedDict):
    name: str
    roles: list[str]
    break_glass: bool
    enabled: bool


class VerifiedReport(TypedDict):
    change: int
    format: str
    event_id: int
    by: str
    at: str
    sealed: bool
    problem: str | None


class Version(TypedDict):
    version: str
    git_version: str


class VersionsOfGroup(TypedDict):
    group: str
    devices: int
    versions: list[CountedVersion]


class ViewedGroups(TypedDict):
    groups: list[str]


class VlanEffect(TypedDict):
    change: Literal["vanished", "renamed", "renumbered", "moved"]
    key: str
    vlan_name: str
    vlan_id: int
    new_key: str | None
    new_name: str | None
    new_id: int | None
    devices: int
    ports: int
    port_list: list[NamingPort]


class VrrpState(TypedDict):
    state: str


class WaitingCall(TypedDict):
    call: str
    job_id: int | None
    since: str


class WaitingCommit(TypedDict):
    commit: str
    at: str
    by: str
    job_id: int
    message: str
    effects: CommitEffects
    signature: CommitSignature | None


class WaitingDevice(TypedDict):
    id: int
    hostname: str
    state: DeviceState
    ztp_mac: str | None
    serial: str | None
    platform: str | None
    vendor: str | None
    model: str | None
    os_version: str | None
    dhcp_ip: str | None
    since: str | None
    neighbours_read: str | None
    places: list[DevicePlace]
    replaces: str | None
    problems: list[str]
    job_id: int | None
    failed_job_id: int | None
    ignored: IgnoredDevice | None


class WaitingHostKey(TypedDict):
    hostname: str
    state: str
    address: str | None
    fingerprint: str | None
    refused_fingerprint: str
    since: str | None


class WholeProposal(TypedDict):
    id: int
    repository: Literal["settings", "templates"]
    branch: str
    title: str | None
    state: Literal["open", "merged", "closed", "superseded"]
    opened_by: str
    opened_there: bool
    opened_at: str
    ended_at: str | None
    ended_by: str | None
    why: str | None
    merged_commit: str | None
    superseded_by: int | None
    commit: str | None
    committer: str | None
    committed_at: str | None
    signature: CommitSignature | None
    earlier: list[EarlierCommit]
    check: Literal["waiting", "checking", "accepted", "refused", "failed"]
    error: str | None
    checked_at: str | None
    in_force: str | None
    devices: BranchDevices | None
    ways: int
    risk: ProposalRisk | None
    needs_confirmation: bool
    forge: ProposalAtForge | None
    problems: list[Remark]
    warnings: list[Remark]
    effects: CommitEffects
    sentences: list[str]
    groups: list[ProposedDiffGroup]
    checks: list[BranchCheck]
    failures: list[BranchFailure]
    truncated: bool
    approvals: list[ForgeApproval]
    approved_by: int


class Window(TypedDict):
    name: str
    groups: list[str] | None
    device_types: list[str] | None
    timezone: str
    is_open: bool
    opens_at: str | None
    closes_at: str | None
    spans: list[WindowSpan]


class WindowOverview(TypedDict):
    in_force: bool
    problem: str | None
    windows: list[Window]
    freezes: list[Freeze]
    asked: WindowVerdict | None


WindowSpan = TypedDict(
    "WindowSpan",
    {
        "from": "str",
        "to": "str",
    },
)


class WindowVerdict(TypedDict):
    devices: int
    may_be_changed: bool
    why_not: str | None
    opens_at: str | None
    closes_at: str | None


class WindowWait(TypedDict):
    reason: Literal["window"]
    why: str
    until: str | None
    message: str


class WritingCommit(TypedDict):
    repository: Literal["settings", "templates"]
    commit: str
    author: str
    at: str
    subject: str
    signature: CommitSignature | None


class WrittenInterface(TypedDict):
    name: str
    configtype: str
    data: dict[str, Any] | None


class UpdateDeviceRequest(TypedDict):
    hostname: NotRequired[str]
    site_id: NotRequired[int | None]
    description: NotRequired[str | None]
    management_ip: NotRequired[str | None]
    secondary_management_ip: NotRequired[str | None]
    infra_ip: NotRequired[str | None]
    dhcp_ip: NotRequired[str | None]
    serial: NotRequired[str | None]
    ztp_mac: NotRequired[str | None]
    platform: NotRequired[str | None]
    vendor: NotRequired[str | None]
    model: NotRequired[str | None]
    os_version: NotRequired[str | None]
    synchronized: NotRequired[bool]
    state: NotRequired[DeviceState]
    device_type: NotRequired[DeviceType]
    port: NotRequired[int | None]
    site: NotRequired[str | None]


class DeleteDeviceRequest(TypedDict):
    factory_default: NotRequired[bool]
    wait_for_window: NotRequired[bool]
    emergency: NotRequired[str]


class CreateDeviceRequest(TypedDict):
    hostname: str
    site_id: NotRequired[int | None]
    description: NotRequired[str | None]
    management_ip: NotRequired[str | None]
    secondary_management_ip: NotRequired[str | None]
    infra_ip: NotRequired[str | None]
    dhcp_ip: NotRequired[str | None]
    serial: NotRequired[str | None]
    ztp_mac: NotRequired[str | None]
    platform: NotRequired[Literal["eos", "junos", "ios", "iosxr", "nxos", "nxos_ssh", "frr"]]
    vendor: NotRequired[str | None]
    model: NotRequired[str | None]
    os_version: NotRequired[str | None]
    synchronized: NotRequired[bool]
    state: DeviceState
    device_type: DeviceType
    port: NotRequired[int | None]
    site: NotRequired[str | None]


class ReplaceStackMembersRequest(TypedDict):
    stackmembers: list[SentStackMember]


class AddSyncEventRequest(TypedDict):
    hostname: str
    cause: str
    by: str
    timestamp: NotRequired[float | None]


class ChangePortsRequest(TypedDict):
    csv: str
    dry_run: NotRequired[bool]
    version: NotRequired[str]


class CreateLinknetRequest(TypedDict):
    device_a: str
    device_b: str
    device_a_port: str
    device_b_port: str
    ipv4_network: NotRequired[str | None]


class DeleteLinknetByBodyRequest(TypedDict):
    id: int


class UpdateLinknetRequest(TypedDict):
    device_a: NotRequired[str]
    device_b: NotRequired[str]
    ipv4_network: NotRequired[str | None]
    device_a_ip: NotRequired[str | None]
    device_b_ip: NotRequired[str | None]
    device_a_port: NotRequired[str]
    device_b_port: NotRequired[str]
    description: NotRequired[str | None]
    site_id: NotRequired[int | None]


class CreateMgmtDomainRequest(TypedDict):
    device_a: NotRequired[str]
    device_b: NotRequired[str]
    vlan: NotRequired[int | None]
    ipv4_gw: NotRequired[str | None]
    ipv6_gw: NotRequired[str | None]
    description: NotRequired[str | None]


class UpdateMgmtDomainRequest(TypedDict):
    vlan: NotRequired[int | None]
    ipv4_gw: NotRequired[str | None]
    ipv6_gw: NotRequired[str | None]
    description: NotRequired[str | None]
    esi_mac: NotRequired[str | None]
    device_a_ip: NotRequired[str | None]
    device_b_ip: NotRequired[str | None]
    site_id: NotRequired[int | None]
    device_a_id: NotRequired[int]
    device_b_id: NotRequired[int]


class UpdateJobRequest(TypedDict):
    action: Literal["ABORT", "PAUSE", "RESUME"]
    abort_reason: NotRequired[str]
    pause_reason: NotRequired[str]


class MarkViewedRequest(TypedDict):
    groups: list[str]
    viewed: NotRequired[bool]


class ClearLockRequest(TypedDict):
    name: str


class InitDeviceRequest(TypedDict):
    hostname: str
    device_type: Literal["ACCESS", "DIST", "CORE"]
    mlag_peer_id: NotRequired[int]
    mlag_peer_hostname: NotRequired[str]
    neighbors: NotRequired[list[str] | None]
    replace_hostname: NotRequired[bool | None]


class SyncDevicesRequestSkipChecks(TypedDict):
    reason: str


class SyncDevicesRequest(TypedDict):
    hostname: NotRequired[str]
    hostnames: NotRequired[list[str]]
    device_type: NotRequired[Literal["ACCESS", "DIST", "CORE"]]
    group: NotRequired[str]
    all: NotRequired[bool]
    dry_run: NotRequired[bool]
    auto_push: NotRequired[bool]
    force: NotRequired[bool]
    resync: NotRequired[bool]
    confirm_older: NotRequired[bool]
    confirm_mode: NotRequired[Literal[0, 1, 2]]
    abort_on_failure: NotRequired[bool]
    urgent: NotRequired[bool]
    batch_size: NotRequired[int]
    max_failures: NotRequired[int]
    revert_on_failure: NotRequired[bool]
    canary: NotRequired[int | list[str]]
    dry_run_job: NotRequired[int]
    start_at: NotRequired[str]
    on_missing_lines: NotRequired[MissingLinesPolicy]
    failed_proof: NotRequired[FailedProofPolicy]
    skip_checks: NotRequired[SyncDevicesRequestSkipChecks]
    wait_for_window: NotRequired[bool]
    emergency: NotRequired[str]
    comment: NotRequired[str]
    ticket_ref: NotRequired[str]


class SyncDeviceRequestSkipChecks(TypedDict):
    reason: str


class SyncDeviceRequest(TypedDict):
    dry_run: NotRequired[bool]
    auto_push: NotRequired[bool]
    force: NotRequired[bool]
    resync: NotRequired[bool]
    confirm_older: NotRequired[bool]
    confirm_mode: NotRequired[Literal[0, 1, 2]]
    abort_on_failure: NotRequired[bool]
    urgent: NotRequired[bool]
    batch_size: NotRequired[int]
    max_failures: NotRequired[int]
    revert_on_failure: NotRequired[bool]
    canary: NotRequired[int | list[str]]
    dry_run_job: NotRequired[int]
    start_at: NotRequired[str]
    on_missing_lines: NotRequired[MissingLinesPolicy]
    failed_proof: NotRequired[FailedProofPolicy]
    skip_checks: NotRequired[SyncDeviceRequestSkipChecks]
    wait_for_window: NotRequired[bool]
    emergency: NotRequired[str]
    comment: NotRequired[str]
    ticket_ref: NotRequired[str]


class OnboardRequest(TypedDict):
    source: Literal["csv", "netbox", "containerlab", "ansible", "configs"]
    name: NotRequired[str]
    text: NotRequired[str]
    files: NotRequired[list[OnboardingFile]]
    filter: NotRequired[str]
    platform: NotRequired[str]
    device_type: NotRequired[str]
    only_good: NotRequired[bool]
    dry_run: NotRequired[bool]


class ReadOnboardedRequest(TypedDict):
    hostnames: NotRequired[list[str]]


class AcceptLinksRequest(TypedDict):
    links: NotRequired[list[AcceptedLink]]
    both: NotRequired[bool]


class InitDevicesRequest(TypedDict):
    devices: list[InitLine]


class IgnoreNewDeviceRequest(TypedDict):
    ignored: bool
    comment: NotRequired[str]


class ReportLeaseRequest(TypedDict):
    ztp_mac: str
    dhcp_ip: str
    platform: str
    report: NotRequired[str]
    again: NotRequired[bool]
    host: NotRequired[str]
    waiting: NotRequired[int]


class RestoreConfigRequestSkipChecks(TypedDict):
    reason: str


class RestoreConfigRequest(TypedDict):
    job_id: int
    dry_run: NotRequired[bool]
    skip_checks: NotRequired[RestoreConfigRequestSkipChecks]
    wait_for_window: NotRequired[bool]
    emergency: NotRequired[str]


class ApplyConfigRequestSkipChecks(TypedDict):
    reason: str


class ApplyConfigRequest(TypedDict):
    full_config: str
    dry_run: NotRequired[bool]
    skip_checks: NotRequired[ApplyConfigRequestSkipChecks]
    wait_for_window: NotRequired[bool]
    emergency: NotRequired[str]
    comment: NotRequired[str]
    ticket_ref: NotRequired[str]


class RevertJobRequestSkipChecks(TypedDict):
    reason: str


class RevertJobRequest(TypedDict):
    dry_run: NotRequired[bool]
    skip_checks: NotRequired[RevertJobRequestSkipChecks]
    wait_for_window: NotRequired[bool]
    emergency: NotRequired[str]
    comment: NotRequired[str]
    ticket_ref: NotRequired[str]


class CheckDriftRequest(TypedDict):
    hostname: NotRequired[str]
    device_type: NotRequired[Literal["ACCESS", "DIST", "CORE"]]
    group: NotRequired[str]
    all: NotRequired[bool]
    comment: NotRequired[str]
    ticket_ref: NotRequired[str]


class BounceInterfacesRequest(TypedDict):
    bounce_interfaces: list[str]


class UpdateFactsRequest(TypedDict):
    hostname: str


class UpdateInterfaceDatabaseRequest(TypedDict):
    hostname: str
    replace: NotRequired[bool]
    delete_all: NotRequired[bool]
    mlag_peer_hostname: NotRequired[str | None]


class PinHostKeyRequest(TypedDict):
    action: Literal["PIN", "FORGET"]
    fingerprint: NotRequired[str]


class ApproveHostKeyRequest(TypedDict):
    fingerprint: str


class ApproveHostKeysRequest(TypedDict):
    host_keys: list[OfferedHostKey]


class TrustDeviceRequest(TypedDict):
    comment: NotRequired[str]


class RenewCertificatesRequest(TypedDict):
    action: str
    hostname: NotRequired[str]
    group: NotRequired[str]
    wait_for_window: NotRequired[bool]
    emergency: NotRequired[str]
    comment: NotRequired[str]
    ticket_ref: NotRequired[str]


class CreateCertificateAuthorityRequest(TypedDict):
    common_name: NotRequired[str]


class RevokeCertificateRequest(TypedDict):
    reason: NotRequired[Literal["unspecified", "keyCompromise", "superseded", "cessationOfOperation"]]


class ReadTablesRequest(TypedDict):
    hostname: NotRequired[str]
    hostnames: NotRequired[list[str]]
    device_type: NotRequired[Literal["ACCESS", "DIST", "CORE"]]
    group: NotRequired[str]
    all: NotRequired[bool]


class DownloadFirmwareRequest(TypedDict):
    url: str
    sha1: str
    verify_tls: bool


class UpgradeFirmwareRequestSkipChecks(TypedDict):
    reason: str


UpgradeFirmwareRequest = TypedDict(
    "UpgradeFirmwareRequest",
    {
        "hostname": "NotRequired[str]",
        "hostnames": "NotRequired[list[str]]",
        "group": "NotRequired[str]",
        "filename": "NotRequired[str]",
        "url": "NotRequired[str]",
        "download": "NotRequired[bool]",
        "activate": "NotRequired[bool]",
        "reboot": "NotRequired[bool]",
        "pre_flight": "NotRequired[bool]",
        "pre-flight": "NotRequired[bool]",
        "post_flight": "NotRequired[bool]",
        "staggered_upgrade": "NotRequired[bool]",
        "post_waittime": "NotRequired[int]",
        "start_at": "NotRequired[str]",
        "skip_checks": "NotRequired[UpgradeFirmwareRequestSkipChecks]",
        "wait_for_window": "NotRequired[bool]",
        "emergency": "NotRequired[str]",
        "comment": "NotRequired[str]",
        "ticket_ref": "NotRequired[str]",
    },
)


class CheckUpgradeRequest(TypedDict):
    group: str


class RefreshRepositoryRequest(TypedDict):
    action: Literal["REFRESH"]
    confirm: NotRequired[str]
    rename_ports: NotRequired[bool]


class CheckBranchRequest(TypedDict):
    branch: NotRequired[str]
    files: NotRequired[dict[str, str]]


class RenderTemplateRequest(TypedDict):
    template: NotRequired[str]
    text: NotRequired[str]
    whole: NotRequired[bool]


class OpenProposalRequest(TypedDict):
    repository: Literal["settings", "templates"]
    branch: str


class TestPluginsRequest(TypedDict):
    action: Literal["selftest"]


class CreateTokenRequest(TypedDict):
    name: str
    roles: NotRequired[list[str]]
    days: NotRequired[int]
    is_machine: NotRequired[bool]


class CreateUserRequest(TypedDict):
    name: str
    roles: NotRequired[list[str]]
    password: str
    break_glass: NotRequired[bool]


class UpdateUserRequest(TypedDict):
    roles: NotRequired[list[str]]
    password: NotRequired[str]
    enabled: NotRequired[bool]


class SetUpRequest(TypedDict):
    settings: NotRequired[str]
    templates: NotRequired[str]
    networks: NotRequired[str]


class SaveViewRequest(TypedDict):
    list: str
    name: str
    query: str
    shared: NotRequired[bool]


class ReplayDeliveriesRequest(TypedDict):
    receiver: NotRequired[str]


CreateMuteRequest = TypedDict(
    "CreateMuteRequest",
    {
        "device": "NotRequired[str]",
        "group": "NotRequired[str]",
        "rule": "NotRequired[str]",
        "reason": "str",
        "minutes": "int",
        "from": "NotRequired[str]",
    },
)


class WaitsForApprovalData(TypedDict):
    approval_id: int
    waits_until: str
    operation: str


class WaitsForApproval(TypedDict):
    status: Literal["success"]
    message: str
    data: WaitsForApprovalData


class AcceptLinksResult(TypedDict):
    links: list[ProposedLink]
    ports: int


class AcceptPortsResult(TypedDict):
    hostnames: list[str]
    ports: int


class AcknowledgeAlertResult(TypedDict):
    acknowledged_alert: Alert


class AdmitPersonResult(TypedDict):
    admitted_person: Person


class ApproveHostKeyResult(TypedDict):
    host_key: HostKey


class ApproveJobResult(TypedDict):
    jobs: list[Job]


class ApproveRequestResult(TypedDict):
    approval: RequestApproval


class BlameConfigResult(TypedDict):
    hostname: str
    jobs: list[StoredConfig]
    lines: list[BlamedLine]
    has_older: bool


class ClearLockResult(TypedDict):
    name: str
    status: Literal["deleted"]


class CloseProposalResult(TypedDict):
    proposal: Proposal


class CreateCertificateAuthorityResult(TypedDict):
    certificate_authority: CertificateAuthority


class CreateDeviceResult(TypedDict):
    added_device: AddedDevice
    taken_over: NotRequired[list[MovedAddress]]


class CreateMgmtDomainResult(TypedDict):
    added_mgmtdomain: MgmtDomain


class CreateMuteResult(TypedDict):
    added_mute: Mute


class CreateTokenResult(TypedDict):
    token: str
    added_token: ApiToken


class CreateUserResult(TypedDict):
    added_user: User


class DeleteDeviceResultData(TypedDict):
    deleted_device: DeletedDevice


class DeleteDeviceResult(TypedDict):
    status: Literal["success"]
    data: DeleteDeviceResultData
    warnings: NotRequired[list[str]]


class DeleteLinknetResult(TypedDict):
    deleted_linknet: Linknet


class DeleteLinknetByBodyResult(TypedDict):
    deleted_linknet: Linknet


class DeleteMgmtDomainResult(TypedDict):
    deleted_mgmtdomain: MgmtDomain


class DeleteMuteResult(TypedDict):
    removed_mute: Mute


class DeleteUserResult(TypedDict):
    deleted_user: User


class DeleteViewResult(TypedDict):
    removed_view: SavedView


DiffConfigsResult = TypedDict(
    "DiffConfigsResult",
    {
        "hostname": "str",
        "from": "ConfigSource",
        "other": "str",
        "to": "ConfigSource",
        "diff": "str",
    },
)


class GenerateConfigResult(TypedDict):
    config: GeneratedConfig


class GetCertificateAuthorityResult(TypedDict):
    certificate_authority: CertificateAuthority


class GetChangeReportResult(TypedDict):
    report: ChangeReport


class GetDeviceResult(TypedDict):
    devices: list[Device]


class GetGroupOsVersionsResult(TypedDict):
    groups: dict[str, dict[str, list[str]]]


class GetGroupOsVersionsAliasResult(TypedDict):
    groups: dict[str, dict[str, list[str]]]


class GetHostKeyResult(TypedDict):
    host_key: HostKey


class GetInterfaceStatusResult(TypedDict):
    interface_status: dict[str, InterfaceStatus]


class GetJobResult(TypedDict):
    jobs: list[Job]


class GetLinknetResult(TypedDict):
    linknets: list[Linknet]


class GetLldpNeighborDetailsResult(TypedDict):
    lldp_neighbors_detail: dict[str, list[LldpNeighborDetail]]


class GetLldpNeighborsResult(TypedDict):
    lldp_neighbors: dict[str, list[LldpNeighbor]]


class GetMgmtDomainResult(TypedDict):
    mgmtdomains: list[MgmtDomain]


class GetOpticsResult(TypedDict):
    optics: dict[str, PortOptics]


class GetProposalResult(TypedDict):
    proposal: WholeProposal


class GetReadingsResult(TypedDict):
    readings: list[DeviceStateAnswer]


class GetRepositoryResult(TypedDict):
    status: Literal["success"]
    data: str
    warnings: NotRequired[list[str]]
    waiting: WaitingCommit | None
    signature: CommitSignature | None


class GetRepositoryProblemsResult(TypedDict):
    commit: str | None
    problems: list[Remark]
    warnings: list[Remark]


class GetRunningConfigResult(TypedDict):
    config: str


class GetServerSettingsResult(TypedDict):
    api: dict[str, Any]


class GetSyncHistoryResult(TypedDict):
    hostnames: dict[str, list[SyncEvent]]


class IgnoreNewDeviceResult(TypedDict):
    ignored: bool


class InitDevicesResult(TypedDict):
    started: list[StartedInit]


class ListApprovalsResult(TypedDict):
    approvals: list[RequestApproval]


class ListAuditEventsResult(TypedDict):
    events: list[AuditEvent]


class ListCertificatesResult(TypedDict):
    certificates: list[DeviceCertificate]


class ListConfigsResult(TypedDict):
    hostname: str
    configs: list[StoredConfig]


class ListDeliveriesResult(TypedDict):
    deliveries: list[Delivery]


class ListDeviceAuditEventsResult(TypedDict):
    events: list[AuditEvent]


class ListDevicesResult(TypedDict):
    devices: list[Device]


class ListFindingsResult(TypedDict):
    findings: list[Finding]


class ListFirmwareResult(TypedDict):
    status: Literal["success"]
    data: FirmwareFiles
    warnings: NotRequired[list[str]]
    files: list[str]
    defaults: list[DefaultImage]


class ListFirmwareVersionsResult(TypedDict):
    groups: list[VersionsOfGroup]
    all: list[CountedVersion]


class ListInterfacesResult(TypedDict):
    interfaces: list[Interface]
    hostname: str
    version: str


class ListJobApprovalsResult(TypedDict):
    approvals: list[JobApproval]


class ListJobAuditEventsResult(TypedDict):
    events: list[AuditEvent]


class ListJobsResult(TypedDict):
    jobs: list[Job]


class ListLearnedLinesResult(TypedDict):
    learned_lines: list[LearnedLine]


class ListLeasesResult(TypedDict):
    leases: list[Lease]
    queues: list[LeaseQueue]


class ListLinknetsResult(TypedDict):
    linknets: list[Linknet]


class ListLocksResult(TypedDict):
    locks: list[JobLock]


class ListMgmtDomainsResult(TypedDict):
    mgmtdomains: list[MgmtDomain]


class ListMutesResult(TypedDict):
    mutes: list[Mute]


class ListNewDevicesResult(TypedDict):
    devices: list[WaitingDevice]


class ListOnboardingResult(TypedDict):
    devices: list[OnboardedDevice]


class ListPersonsResult(TypedDict):
    persons: list[Person]


class ListPluginsResultPlugindata(TypedDict):
    plugins: list[PluginEntry]


class ListPluginsResult(TypedDict):
    loaded_plugins: list[str]
    plugindata: ListPluginsResultPlugindata | None
    plugin_states: list[PluginState]


class ListProposalsResult(TypedDict):
    proposals: list[Proposal]


class ListRolesResult(TypedDict):
    roles: list[Role]
    remark: str | None


class ListSecretsResult(TypedDict):
    secrets: list[Secret]
    computed: list[ComputedSecretUse]


class ListStackMembersResult(TypedDict):
    stackmembers: list[StackMember]


class ListTokensResult(TypedDict):
    tokens: list[ApiToken]


class ListUsersResult(TypedDict):
    users: list[User]


class ListViewsResult(TypedDict):
    views: list[SavedView]


class ListWaitingHostKeysResult(TypedDict):
    host_keys: list[WaitingHostKey]


class ListWhoMayResult(TypedDict):
    persons: list[PersonExplanation]
    allowed_by: list[str]


class LoginResult(TypedDict):
    access_token: str


class MarkProposalViewedResult(TypedDict):
    groups: list[str]


class OnboardingHistoryResult(TypedDict):
    history: list[DistanceRecord]


class OpenProposalResult(TypedDict):
    proposal: Proposal


class PinHostKeyResult(TypedDict):
    host_key: HostKey


class ProposedLinksResult(TypedDict):
    links: list[ProposedLink]


class RefreshLoginResult(TypedDict):
    access_token: str
    token_type: NotRequired[str]
    expires_in: NotRequired[float]
    id_token: NotRequired[str]


class RefreshRepositoryResult(TypedDict):
    status: Literal["success"]
    data: str
    warnings: list[Remark]
    ignored: NotRequired[list[str]]
    effects: CommitEffects
    signature: CommitSignature | None


class RejectJobResult(TypedDict):
    jobs: list[Job]


class RejectRequestResult(TypedDict):
    approval: RequestApproval


class ReplaceStackMembersResult(TypedDict):
    stackmembers: list[StackMember]


class ReplayDeliveriesResult(TypedDict):
    replayed: int


class ReplayDeliveryResult(TypedDict):
    replayed: int


class ReportLeaseResult(TypedDict):
    lease: Lease


class RevokeCertificateResult(TypedDict):
    certificate: DeviceCertificate


class RevokeTokenResult(TypedDict):
    revoked_token: ApiToken


class SaveViewResult(TypedDict):
    saved_view: SavedView


class SearchConfigsResult(TypedDict):
    hits: list[ConfigHit]
    searched: int
    next: str | None


class SetUpResult(TypedDict):
    set: list[str]
    restarts: bool


class TestPluginsResult(TypedDict):
    result: list[bool]


class TestReceiverResult(TypedDict):
    is_taken: bool
    answer: str


class TrustDeviceResult(TypedDict):
    trusted: TrustedIdentity


class TryChecksResult(TypedDict):
    checks: list[TriedCheck]


class TrySetupResult(TypedDict):
    findings: list[SetupFinding]


class UpdateDeviceResult(TypedDict):
    updated_device: Device
    taken_over: NotRequired[list[MovedAddress]]


class UpdateInterfacesResult(TypedDict):
    updated: dict[str, ChangedInterface]


class UpdateJobResult(TypedDict):
    jobs: list[Job]


class UpdateLinknetResultData(TypedDict):
    updated_linknet: Linknet


class UpdateLinknetResult(TypedDict):
    status: Literal["success"]
    data: UpdateLinknetResultData
    warnings: NotRequired[list[str]]


class UpdateLinknetResult2Data(TypedDict):
    unchanged_linknet: Linknet


class UpdateLinknetResult2(TypedDict):
    status: Literal["success"]
    data: UpdateLinknetResult2Data
    warnings: NotRequired[list[str]]


class UpdateMgmtDomainResultData(TypedDict):
    updated_mgmtdomain: MgmtDomain


class UpdateMgmtDomainResult(TypedDict):
    status: Literal["success"]
    data: UpdateMgmtDomainResultData
    warnings: NotRequired[list[str]]


class UpdateMgmtDomainResult2Data(TypedDict):
    unchanged_mgmtdomain: MgmtDomain


class UpdateMgmtDomainResult2(TypedDict):
    status: Literal["success"]
    data: UpdateMgmtDomainResult2Data
    warnings: NotRequired[list[str]]


class UpdateUserResult(TypedDict):
    updated_user: User


class VerifyChangeReportResult(TypedDict):
    verified_report: VerifiedReport


class WithdrawLearnedLineResult(TypedDict):
    withdrawn_line: LearnedLine


class WithdrawPersonResult(TypedDict):
    withdrawn_person: Person
    ended_tokens: int
