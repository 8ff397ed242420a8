/**
 * Ready sets of checks, which a site includes by name in its `checks.yml` (docs/checks.md#ready-sets): the checks of each, as data of the
 * same form as in the file. The sets avoid false alarms, because a check that fails takes a change back:
 *
 * - What was down before the change does not matter. Most checks look at what was up, and let nothing of it be lost.
 * - What comes and goes without a change is given room: phones and computers at access switches, counters of discarded packets.
 * - Both switches of a pair are not changed in the same moment, so nothing requires that their configurations agree.
 * - Names begin with the name of the set, so that sets can be included together.
 */
import type { ReadySets } from "./CheckFile.ts"

/** Links that were up stay up. A link that goes down shows within a second or two; port-channels form again within a few. */
const links = { settle: "5 s", try_again: "30 s" }

/** Sessions end at once when a link or a neighbour is removed. One that was reset is back within half a minute. */
const sessions = { settle: "10 s", try_again: "30 s" }

const stayUp = { where: { is_up: true }, must: "no_lost", ...links }

const uplinks = { description: "no uplink goes down", reads: { role: "uplink" }, ...stayUp }

const fabricLinks = {
  description: "no link to another switch of the fabric goes down",
  reads: { role: "fabric" },
  ...stayUp
}

/** To remove an access switch, switch it off first: what is down already is not missed. */
const downlinks = { description: "no link to an access switch goes down", reads: { role: "downlink" }, ...stayUp }

/** Phones restart when their VLAN changes, so only the loss of most neighbours is an alarm; uplinks have their own check. */
const halfOfNeighbours = {
  description: "at least half of the LLDP neighbours remain",
  reads: "neighbours",
  must: { at_least_share: "50%" },
  ...links
}

const mostNeighbours = {
  description: "at least 90 % of the LLDP neighbours remain",
  reads: "neighbours",
  must: { at_least_share: "90%" },
  ...links
}

/** A timer of BGP lasts three minutes, longer than most commit timers: only BFD makes a session end early that an ACL has cut. */
const bgp = {
  description: "no BGP session goes down",
  reads: "bgp",
  where: { is_established: true },
  must: "no_lost",
  ...sessions
}

const ospf = {
  description: "no OSPF neighbour goes down",
  reads: "ospf",
  where: { is_full: true },
  must: "no_lost",
  ...sessions
}

/** Lines of a difference that can change what is announced, where no session goes down. */
const ROUTING = "router (bgp|ospf)|neighbor |network |redistribute |route-map|prefix-list|ip route|ip address"

/** The same in the words of Junos. */
const JUNOS_ROUTING =
  "protocols |routing-|policy-|prefix-list|route-filter|community |(bgp|ospf|ospf3|neighbor|group|route|import|export|vrf-import|vrf-export|address|next-hop)[ ;]"

/** A wrong filter takes routes from the neighbours, and every session stays up. */
const routes = {
  description: "at least 90 % of the learnt routes remain, here and on the neighbours",
  when_diff: ROUTING,
  reads: "routes",
  only: " (bgp|ospf)",
  must: { at_least_share: "90%" },
  also: "neighbours",
  ...sessions
}

/** A clock that follows another server needs some answers of it first. Only a change of its servers can disturb it. */
const ntp = {
  description: "the clock follows a source of time",
  when_diff: "^ *(no )?ntp ",
  reads: "ntp",
  where: { is_synchronized: true },
  must: { at_least: 1 },
  settle: "10 s",
  try_again: "90 s"
}

/** Other instances come and go with VLANs. A new root needs up to 30 seconds to be agreed on. */
const treeRoot = {
  description: "the root of the spanning tree is the same",
  reads: "spanning_tree",
  only: "^(MST0|VL1)$",
  must: { equal: ["root"] },
  settle: "5 s",
  try_again: "45 s"
}

const activeMembers = {
  description: "port-channels have as many active members as before",
  reads: "port_channels",
  must: { at_least_share: "100%", of: "active" },
  ...links
}

/** Errors, and not discards, which grow wherever a port is full. */
const inErrors = {
  description: "no port receives many damaged packets",
  reads: "errors",
  must: { grows_at_most: { in_errors: 50 } },
  settle: "10 s",
  try_again: "0 s"
}

const access = { device_types: ["ACCESS"], platforms: ["eos"] }
const distribution = { device_types: ["DIST"], platforms: ["eos"] }
const core = { device_types: ["CORE"], platforms: ["eos"] }
const leaf = { platforms: ["frr"] }
const junosAccess = { device_types: ["ACCESS"], platforms: ["junos"] }
const junosDistribution = { device_types: ["DIST"], platforms: ["junos"] }

export const readySets: ReadySets = {
  access: {
    "access-uplinks": { for: access, ...uplinks },
    "access-neighbours": { for: access, ...halfOfNeighbours },
    "access-port-channels": { for: access, ...activeMembers },
    "access-tree-root": { for: access, ...treeRoot },
    "access-ntp": { for: access, ...ntp }
  },
  distribution: {
    "distribution-fabric-links": { for: distribution, ...fabricLinks },
    "distribution-downlinks": { for: distribution, ...downlinks },
    "distribution-neighbours": { for: distribution, ...mostNeighbours },
    "distribution-bgp": { for: distribution, ...bgp },
    "distribution-ospf": { for: distribution, ...ospf },
    "distribution-routes": { for: distribution, ...routes },
    // `sane` is left out: it is false until the other switch of the pair has the change as well
    "distribution-mlag": {
      description: "MLAG stays active",
      for: distribution,
      reads: "mlag",
      where: { is_active: true },
      must: "no_lost",
      ...links
    },
    "distribution-port-channels": { for: distribution, ...activeMembers },
    "distribution-errors": { for: distribution, ...inErrors },
    "distribution-tree-root": { for: distribution, ...treeRoot },
    "distribution-ntp": { for: distribution, ...ntp }
  },
  core: {
    "core-fabric-links": { for: core, ...fabricLinks },
    "core-neighbours": { for: core, ...mostNeighbours },
    "core-bgp": { for: core, ...bgp },
    "core-ospf": { for: core, ...ospf },
    "core-routes": { for: core, ...routes },
    "core-errors": { for: core, ...inErrors },
    "core-ntp": { for: core, ...ntp }
  },
  // without OSPF, whose daemon most leaves do not start: a daemon that does not run cannot be read
  "frr-leaf": {
    "frr-leaf-fabric-links": {
      description: "no link to another router of the fabric goes down",
      for: leaf,
      reads: { role: "fabric" },
      ...stayUp
    },
    "frr-leaf-neighbours": { for: leaf, ...mostNeighbours },
    // FRR's defaults for data centres end a silent session after nine seconds
    "frr-leaf-bgp": { for: leaf, ...bgp },
    "frr-leaf-routes": { for: leaf, ...routes, only: " bgp" }
  },
  // without port-channels and OSPF, which not every such switch runs
  "junos-access": {
    "junos-access-uplinks": { for: junosAccess, ...uplinks },
    "junos-access-neighbours": { for: junosAccess, ...halfOfNeighbours }
  },
  "junos-distribution": {
    "junos-distribution-fabric-links": { for: junosDistribution, ...fabricLinks },
    "junos-distribution-downlinks": { for: junosDistribution, ...downlinks },
    "junos-distribution-neighbours": { for: junosDistribution, ...mostNeighbours },
    "junos-distribution-bgp": { for: junosDistribution, ...bgp },
    "junos-distribution-routes": { for: junosDistribution, ...routes, only: " bgp", when_diff: JUNOS_ROUTING },
    "junos-distribution-errors": { for: junosDistribution, ...inErrors }
  }
}
