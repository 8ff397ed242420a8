/** The screens: address, title, place in the navigation, and the call that a user must be allowed to make to see them. */
import type { ComponentType } from "react"
import {
  type Icon,
  IconBell,
  IconBook,
  IconCpu,
  IconGitBranch,
  IconGitPullRequest,
  IconHeartbeat,
  IconHistory,
  IconInbox,
  IconLayoutDashboard,
  IconListCheck,
  IconPlugConnected,
  IconSearch,
  IconServer2,
  IconServerCog,
  IconTopologyStar3,
  IconUsers
} from "@tabler/icons-react"
import {
  type ReadCount,
  useAlertsCount,
  useApprovalsCount,
  useDevicesCount,
  useJobsCount,
  useNewCount,
  useRepositoryCount,
  useServerCount
} from "./counts.ts"

/** The groups of the navigation, in their order; the first and the last have no heading. */
export const GROUPS = ["", "Network", "Change", "Operations", "foot"] as const

export interface Screen {
  readonly path: string
  readonly label: string
  /** Its place in the navigation; screens without one are reached from others. */
  readonly entry?: {
    readonly group: (typeof GROUPS)[number]
    readonly icon: Icon
    /** The letters that open it after `g`; the first one is shown. */
    readonly leaps: ReadonlyArray<string>
    readonly count?: ReadCount
  }
  /** The path of the entry that it belongs to, for screens without an entry of their own. */
  readonly under?: string
  /** The path that the user must be allowed to read; a screen without one is open to everyone. */
  readonly reads?: string
  readonly load: () => Promise<{ readonly default: ComponentType }>
}

export const screens: ReadonlyArray<Screen> = [
  {
    path: "/",
    label: "Overview",
    entry: { group: "", icon: IconLayoutDashboard, leaps: ["o", "n"] },
    reads: "/overview",
    load: () => import("../screens/overview/Overview.tsx")
  },
  {
    path: "/first-run",
    label: "Set up Switchyard",
    under: "/",
    reads: "/setup",
    load: () => import("../screens/first-run/FirstRun.tsx")
  },
  {
    path: "/overview",
    label: "Overview",
    under: "/",
    reads: "/overview",
    load: () => import("../screens/overview/Overview.tsx")
  },
  {
    path: "/find",
    label: "Find",
    entry: { group: "", icon: IconSearch, leaps: ["f"] },
    reads: "/find",
    load: () => import("../screens/find/Find.tsx")
  },
  {
    path: "/approvals",
    label: "Approvals",
    entry: { group: "", icon: IconInbox, leaps: ["p"], count: useApprovalsCount },
    reads: "/approvals/jobs",
    load: () => import("../screens/approvals/Approvals.tsx")
  },
  {
    path: "/devices",
    label: "Devices",
    entry: { group: "Network", icon: IconServer2, leaps: ["d"], count: useDevicesCount },
    reads: "/devices",
    load: () => import("../screens/devices/Devices.tsx")
  },
  {
    path: "/topology",
    label: "Topology",
    entry: { group: "Network", icon: IconTopologyStar3, leaps: ["t"] },
    reads: "/topology",
    load: () => import("../screens/topology/Topology.tsx")
  },
  {
    path: "/new",
    label: "New switches",
    entry: { group: "Network", icon: IconPlugConnected, leaps: ["w"], count: useNewCount },
    reads: "/new_devices",
    load: () => import("../screens/new/New.tsx")
  },
  {
    path: "/onboarding",
    label: "Onboarding",
    entry: { group: "Network", icon: IconServerCog, leaps: ["e"] },
    reads: "/onboarding",
    load: () => import("../screens/onboarding/Onboarding.tsx")
  },
  {
    path: "/firmware",
    label: "Firmware",
    entry: { group: "Network", icon: IconCpu, leaps: ["i"] },
    reads: "/firmware_versions",
    load: () => import("../screens/firmware/Firmware.tsx")
  },
  {
    path: "/change",
    label: "Changes",
    entry: { group: "Change", icon: IconGitPullRequest, leaps: ["c"] },
    reads: "/jobs",
    load: () => import("../screens/change/Changes.tsx")
  },
  {
    path: "/change/$id",
    label: "Change",
    under: "/change",
    reads: "/jobs",
    load: () => import("../screens/change/Review.tsx")
  },
  {
    path: "/jobs",
    label: "Jobs",
    entry: { group: "Change", icon: IconListCheck, leaps: ["j"], count: useJobsCount },
    reads: "/jobs",
    load: () => import("../screens/jobs/Jobs.tsx")
  },
  {
    path: "/repository",
    label: "Repository",
    entry: { group: "Change", icon: IconGitBranch, leaps: ["r"], count: useRepositoryCount },
    reads: "/repository/settings",
    load: () => import("../screens/repository/Repository.tsx")
  },
  {
    path: "/proposal/$id",
    label: "Proposal",
    under: "/repository",
    reads: "/proposals",
    load: () => import("../screens/proposal/Proposal.tsx")
  },
  {
    path: "/alerts",
    label: "Alerts",
    entry: { group: "Operations", icon: IconBell, leaps: ["l"], count: useAlertsCount },
    reads: "/alerts",
    load: () => import("../screens/alerts/Alerts.tsx")
  },
  {
    path: "/audit",
    label: "Audit",
    entry: { group: "Operations", icon: IconHistory, leaps: ["a"] },
    reads: "/audit",
    load: () => import("../screens/audit/Audit.tsx")
  },
  {
    path: "/access",
    label: "Access",
    entry: { group: "Operations", icon: IconUsers, leaps: ["u"] },
    reads: "/auth/tokens",
    load: () => import("../screens/access/Access.tsx")
  },
  {
    path: "/server",
    label: "Server",
    entry: { group: "Operations", icon: IconHeartbeat, leaps: ["s"], count: useServerCount },
    reads: "/system/status",
    load: () => import("../screens/health/Server.tsx")
  },
  {
    path: "/manual",
    label: "Manual",
    entry: { group: "foot", icon: IconBook, leaps: ["m"] },
    load: () => import("../screens/manual/Manual.tsx")
  },
  { path: "/manual/$page", label: "Manual", under: "/manual", load: () => import("../screens/manual/Manual.tsx") },
  { path: "/job/$id", label: "Job", under: "/jobs", reads: "/jobs", load: () => import("../screens/job/Job.tsx") },
  {
    path: "/ports",
    label: "Ports by a list",
    under: "/devices",
    reads: "/interfaces.csv",
    load: () => import("../screens/ports/BulkPorts.tsx")
  },
  {
    path: "/device/$name",
    label: "Device",
    under: "/devices",
    reads: "/devices",
    load: () => import("../screens/device/Device.tsx")
  }
]

/** A screen of the navigation. */
export type Entry = Screen & Required<Pick<Screen, "entry">>

const isEntry = (screen: Screen): screen is Entry => screen.entry !== undefined

export const entries: ReadonlyArray<Entry> = screens.filter(isEntry)

/**
 * Where a user begins: the first of these that they may read, else the first screen that they may. With a call, only for users who may make
 * it: many read what waits, and approvers decide.
 */
export const LANDINGS: ReadonlyArray<{
  readonly path: string
  readonly call?: readonly [method: string, path: string]
}> = [
  { path: "/" },
  { path: "/find" },
  { path: "/approvals", call: ["POST", "/job/1/approve"] },
  { path: "/repository" },
  { path: "/audit" }
]

/** The first entries of the bar of a phone; others follow where these may not be read. */
export const FIRST_ON_PHONE: ReadonlyArray<string> = ["/", "/find", "/approvals", "/devices", "/jobs"]
