/** What containerlab files say that the lab does without, and why: the tables behind `Containerlab.ts`. */

const CONTAINERS = "the lab starts no containers"
const COMMANDS = "the lab runs nothing in a node, and all its switches are up together"
const FILES = "a simulated switch reads no file but its configuration"
const ADDRESSES = "a switch answers at the addresses of its configuration"
const MARKS = "it changes nothing about a switch"

const because = (why: string, keys: string): ReadonlyArray<readonly [string, string]> =>
  keys.split(" ").map((key) => [key, why])

/** Keys of a node, of `defaults`, and of an entry of `kinds` or `groups`, with the reason why they are ignored. */
export const ignoredOfNode: ReadonlyMap<string, string> = new Map([
  ...because(CONTAINERS, "image image-pull-policy restart-policy auto-remove runtime sandbox kernel network-mode"),
  ...because(CONTAINERS, "cpu cpu-set memory shm-size cap-add devices sysctls ulimits user env env-files components"),
  ...because(COMMANDS, "exec cmd entrypoint stages wait-for startup-delay healthcheck"),
  ...because(FILES, "binds license extras enforce-startup-config suppress-startup-config certificate"),
  ...because(ADDRESSES, "mgmt-ipv4 mgmt-ipv6 mgmt_ipv4 mgmt_ipv6 publish dns aliases"),
  ...because(MARKS, "labels position"),
  ["type", "`model` says which box a switch is"],
  ["config", "the lab fills in no templates of configurations"],
  ["credentials", "`users` and the configuration say who may log in"]
])

/** `ports` is a number of ports for the lab and a list of published ones for containerlab. */
export const WHY_NO_PUBLISHED_PORTS = ADDRESSES

/** Keys beside `topology`, with the reason why they are ignored. */
export const ignoredOfFile: ReadonlyMap<string, string> = new Map([
  ["mgmt", "switches answer on addresses of this machine and have no network of their own for that"],
  ["prefix", CONTAINERS],
  ["settings", CONTAINERS],
  ["debug", CONTAINERS]
])

/** Keys of a link, with the reason why they are ignored. */
export const ignoredOfLink: ReadonlyMap<string, string> = new Map([
  ["mtu", "packets do not pass the lab's links"],
  ["vars", "the lab fills in no templates of configurations"],
  ["labels", MARKS]
])

/** Keys of an end of a link beside `node` and `interface`. */
export const WHY_NO_END_SETTINGS = "the switch's configuration says what its ports have"

/** Types of links, and names instead of a node, that lead out of the lab or nowhere. */
export const outwardLinks: ReadonlyMap<string, string> = new Map([
  ["host", "the lab has no ports on this machine"],
  ["mgmt-net", "the lab has no management network of containers"],
  ["macvlan", "the lab has no ports on this machine"],
  ["vxlan", "the lab has no tunnels to other machines"],
  ["vxlan-stitch", "the lab has no tunnels to other machines"],
  ["dummy", "nothing is at its other end"]
])

/** Kinds that are no network device, or that have no vendor in their name. */
const otherKinds = new Set(
  (
    "linux host bridge ovs-bridge ext-container k8s-kind generic_vm srl crpd xrd cvx rare border0 mysocketio sonic-vs sonic-vm " +
    "openbsd freebsd openwrt ostinato vr-sros vr-vmx vr-vqfx vr-vsrx vr-vjunosrouter vr-vjunosswitch vr-vjunosevolved vr-xrv " +
    "vr-xrv9k vr-csr vr-n9kv vr-nxos vr-c8000v vr-cat9kv vr-ftdv vr-ftosv vr-aoscx vr-pan vr-ros vr-fortios"
  ).split(" ")
)

const VENDORS =
  /^(?:vr-)?(?:6wind|arrcus|aruba|checkpoint|cisco|cumulus|dell|extreme|f5|fdio|fortinet|huawei|ipinfusion|juniper|keysight|mikrotik|nokia|nvidia|paloalto|vyosnetworks|vyatta)_/

/** True for a kind of containerlab that the lab cannot simulate. */
export const isOtherKind = (kind: string): boolean => otherKinds.has(kind) || VENDORS.test(kind)
