/** The screens: address, title, and the call that a user must be allowed to make to see them. One line each. */
import type { ComponentType } from "react"

export interface Screen {
  readonly path: string
  readonly label: string
  /** The letter that opens it after `g`; screens with a letter are in the navigation. */
  readonly leap?: string
  /** The path that the user must be allowed to read; a screen without one is open to everyone. */
  readonly reads?: string
  readonly load: () => Promise<{ readonly default: ComponentType }>
}

export const screens: ReadonlyArray<Screen> = [
  { path: "/", label: "Now", leap: "n", reads: "/overview", load: () => import("../screens/now/Now.tsx") },
  {
    path: "/devices",
    label: "Devices",
    leap: "d",
    reads: "/devices",
    load: () => import("../screens/devices/Devices.tsx")
  },
  { path: "/find", label: "Find", leap: "f", reads: "/find", load: () => import("../screens/find/Find.tsx") },
  { path: "/jobs", label: "Jobs", leap: "j", reads: "/jobs", load: () => import("../screens/jobs/Jobs.tsx") },
  {
    path: "/firmware",
    label: "Firmware",
    leap: "i",
    reads: "/firmware_versions",
    load: () => import("../screens/firmware/Firmware.tsx")
  },
  {
    path: "/repository",
    label: "Repository",
    leap: "r",
    reads: "/repository/settings",
    load: () => import("../screens/repository/Repository.tsx")
  },
  { path: "/job/$id", label: "Job", reads: "/jobs", load: () => import("../screens/job/Job.tsx") },
  { path: "/change", label: "Change", leap: "c", reads: "/jobs", load: () => import("../screens/change/Change.tsx") },
  {
    path: "/ports",
    label: "Ports by a list",
    reads: "/interfaces.csv",
    load: () => import("../screens/ports/BulkPorts.tsx")
  },
  { path: "/device/$name", label: "Device", reads: "/devices", load: () => import("../screens/device/Device.tsx") },
  { path: "/audit", label: "Audit", leap: "a", reads: "/audit", load: () => import("../screens/audit/Audit.tsx") },
  {
    path: "/access",
    label: "Users and tokens",
    leap: "u",
    reads: "/auth/tokens",
    load: () => import("../screens/access/Access.tsx")
  },
  {
    path: "/server",
    label: "Server",
    leap: "s",
    reads: "/system/status",
    load: () => import("../screens/health/Server.tsx")
  },
  { path: "/manual", label: "Manual", leap: "m", load: () => import("../screens/manual/Manual.tsx") },
  { path: "/manual/$page", label: "Manual", load: () => import("../screens/manual/Manual.tsx") },
  {
    path: "/new",
    label: "New switches",
    leap: "w",
    reads: "/new_devices",
    load: () => import("../screens/new/New.tsx")
  },
  {
    path: "/topology",
    label: "Topology",
    leap: "t",
    reads: "/topology",
    load: () => import("../screens/topology/Topology.tsx")
  }
]
