/** What a machine needs for a real fabric, and how what is missing is installed. */
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import * as path from "node:path"

/** A file of each package that is needed. On Debian the packages have these names; elsewhere similar ones. */
const packages: ReadonlyArray<readonly [name: string, file: string]> = [
  ["frr", "/usr/lib/frr/zebra"],
  ["frr-pythontools", "/usr/lib/frr/frr-reload.py"],
  ["lldpd", "/usr/sbin/lldpd"],
  ["openssh-server", "/usr/sbin/sshd"],
  ["dnsmasq-base", "/usr/sbin/dnsmasq"],
  ["udhcpc", "/usr/sbin/udhcpc"],
  ["iproute2", "/sbin/ip"],
  ["iputils-ping", "/usr/bin/ping"],
  ["util-linux", "/usr/bin/nsenter"],
  ["procps", "/usr/sbin/sysctl"]
]

const inPath = (file: string): boolean =>
  ["/usr/sbin", "/usr/bin", "/sbin", "/bin"].some((folder) => existsSync(path.join(folder, path.basename(file))))

const isThere = (file: string): boolean => existsSync(file) || (!file.includes("/frr/") && inPath(file))

/** Whether this process may make namespaces with links and an overlay in them. */
const mayBuild = (): boolean => {
  const attempt = [
    "mount -t tmpfs fabric /mnt && mkdir /mnt/u /mnt/w /mnt/r &&",
    "mount -t overlay fabric -o lowerdir=/,upperdir=/mnt/u,workdir=/mnt/w /mnt/r &&",
    "ip link add try0 type veth peer name try1 && ip link add try2 type bridge"
  ].join(" ")
  const flags = ["--mount", "--propagation", "private", "--pid", "--net", "--fork", "sh", "-c", attempt]
  return spawnSync("unshare", flags, { stdio: "ignore" }).status === 0
}

/** What is known of a machine. */
export interface Machine {
  readonly isLinux: boolean
  readonly isRoot: boolean
  readonly has: (file: string) => boolean
  /** Asked only when all else is there. */
  readonly mayBuild: () => boolean
}

const absentText = (absent: ReadonlyArray<string>): ReadonlyArray<string> =>
  absent.length === 0
    ? []
    : [
        `Missing: ${absent.join(", ")}.`,
        `On Debian: apt-get install --no-install-recommends ${absent.join(" ")} (no service of it has to run)`
      ]

/** Sentences that say what this machine lacks, the last of them how it is installed; empty when nothing is. */
export const missingOn = ({ has, isLinux, isRoot, mayBuild: may }: Machine): ReadonlyArray<string> => {
  if (!isLinux) return ["A real fabric needs Linux."]
  const lacks = [
    ...(isRoot ? [] : ["A real fabric needs root: run it with sudo."]),
    ...absentText(packages.filter(([, file]) => !has(file)).map(([name]) => name))
  ]
  if (lacks.length > 0) return lacks
  return may()
    ? []
    : ["This kernel, or the container around us, does not allow namespaces with an overlay, veth and bridge in them."]
}

/** The same of the machine that this process runs on. */
export const missing = (): ReadonlyArray<string> =>
  missingOn({
    isLinux: process.platform === "linux",
    isRoot: process.getuid?.() === 0,
    has: isThere,
    mayBuild
  })
