/**
 * The sections of the configuration language: which line opens one, what can be inside of it, and where a line belongs that is typed
 * without indentation. A section that is not listed is recognised by the indentation of its lines. Nothing here acts; ConfigLoader
 * reads it.
 */
import { shortName } from "./Words.ts"

/** A kind of section. Lines are matched without `no` and `default`. */
export interface Kind {
  /** The line that opens it. */
  readonly opens: RegExp
  /** As the prompt shows it. Without one: the line, with hyphens. */
  readonly tag?: (match: RegExpExecArray) => string
  /** Its lines that begin like a line of the top level. */
  readonly own?: RegExp
  /** All lines that it knows. Without one: every line that no section around it claims. */
  readonly only?: RegExp
  readonly inside?: ReadonlyArray<Kind>
}

const simple = (opens: RegExp, ...inside: ReadonlyArray<Kind>): Kind => ({ opens, inside })

// Sections of several sections.

const ADDRESS_FAMILY = simple(/^address-family .+$/)
const IPV4_AND_IPV6 = [simple(/^ipv4$/), simple(/^ipv6$/)]

const SERVICE_VRF: Kind = { opens: /^vrf \S+$/, only: /^(?:shutdown|(?:ip|ipv6) access-group .*)$/ }

const TX_QUEUE: Kind = {
  opens: /^(?:uc-|mc-)?tx-queue \d+$/,
  only: /^(?:priority(?: strict)?$|(?:bandwidth|shape|random-detect|latency|drop|ecn) )/
}

const ETHERNET_SEGMENT: Kind = {
  opens: /^evpn ethernet-segment(?: domain \S+)?$/,
  only: /^(?:identifier|redundancy|designated-forwarder|route-target|mpls|layer-2) /
}

const ADDRESS_LOCKING: Kind = {
  opens: /^address locking$/,
  only: /^(?:address-family|locked-address|disabled|local-interface|dhcp|lease)\b/
}

const FIELD_SET = simple(/^field-set (?:ipv4|ipv6|l4-port|mac|vlan|integer|service)\b.*$/)

// The sections of the interfaces, of routing and of management.

const INTERFACE: Kind = {
  opens: /^interface (?!profile |defaults$|set |shutdown )(\S+)$/,
  tag: (m) => `if-${shortName(m[1] ?? "")}`,
  own: /^(?:poe$|vlan id |mac security profile |address locking ipv|mpls ip$|dhcp server ipv|(?:ip|ipv6) nat service-profile )/,
  inside: [
    ETHERNET_SEGMENT,
    TX_QUEUE,
    { opens: /^encapsulation vlan$/, only: /^client / },
    { opens: /^evpn ethernet-segment domain \S+$/ }
  ]
}

const BGP: Kind = {
  opens: /^router bgp\b.*$/,
  tag: () => "router-bgp",
  own: /^vlan(?:-aware-bundle)? /,
  inside: [
    {
      opens: /^vlan \S+$/,
      only: /^(?:rd|route-target|redistribute|evpn|description|route) /
    },
    {
      opens: /^vlan-aware-bundle \S+$/,
      only: /^(?:rd|route-target|redistribute|evpn|description|route|vlan) /
    },
    {
      opens: /^vpws \S+$/,
      inside: [{ opens: /^pseudowire \S+$/, only: /^evpn / }]
    },
    simple(/^address-family .+$/, ETHERNET_SEGMENT),
    simple(/^vrf \S+$/, ADDRESS_FAMILY, simple(/^evpn multicast$/, ADDRESS_FAMILY)),
    { opens: /^session tracker \S+$/, only: /^recovery / }
  ]
}

const PATH_GROUP = simple(
  /^path-group \S+ id \d+$/,
  simple(/^(?:local interface|peer static router-ip) \S+.*$/),
  simple(/^peer dynamic$/)
)

const ROUTERS: ReadonlyArray<Kind> = [
  BGP,
  simple(/^router isis\b.*$/, ADDRESS_FAMILY, simple(/^segment-routing \S+$/, simple(/^locator \S+$/)), {
    opens: /^traffic-engineering$/,
    only: /^(?:shutdown|is-type .*)$/
  }),
  simple(/^router (?:multicast|pim|igmp)\b.*$/, ...IPV4_AND_IPV6, simple(/^vrf \S+$/, ...IPV4_AND_IPV6)),
  simple(/^router msdp$/, simple(/^peer \S+$/), simple(/^vrf \S+$/, simple(/^peer \S+$/))),
  simple(/^router bfd$/, { opens: /^sbfd$/, only: /^(?:local-interface|initiator|reflector) / }),
  {
    opens: /^router general$/,
    inside: [
      { opens: /^vrf \S+$/, only: /^(?:leak|routes|router-id|software|hardware) / },
      { opens: /^control-functions$/, only: /^code / },
      ADDRESS_FAMILY
    ]
  },
  simple(
    /^router traffic-engineering$/,
    simple(/^segment-routing$/, simple(/^policy endpoint .+$/, simple(/^path-group preference \d+$/))),
    simple(/^flex-algo$/, simple(/^flex-algo \d+ \S+$/))
  ),
  simple(/^router path-selection$/, PATH_GROUP, simple(/^load-balance policy \S+$/), simple(/^policy \S+$/)),
  simple(
    /^router adaptive-virtual-topology$/,
    simple(/^policy \S+$/, simple(/^match application-profile \S+$/)),
    simple(/^profile \S+$/),
    simple(/^vrf \S+$/)
  ),
  simple(
    /^router segment-security$/,
    simple(/^policy \S+$/),
    simple(/^vrf \S+$/, simple(/^segment \S+$/, simple(/^definition$/), simple(/^policies$/)))
  ),
  simple(/^router internet-exit$/, simple(/^(?:exit-group|policy) \S+$/)),
  simple(/^router service-insertion$/, simple(/^connection \S+$/)),
  { opens: /^router l2-vpn$/, own: /^(?:arp|virtual-router|nd) / },
  simple(/^router (?:ospf3|ospfv3)\b.*$/, ADDRESS_FAMILY),
  simple(/^router (?:ospf|rip)\b.*$/),
  simple(/^router \S+(?: .*)?$/, ADDRESS_FAMILY, simple(/^vrf \S+$/), ...IPV4_AND_IPV6)
].map((kind) => ({ ...kind, tag: ([text]) => text.split(" ", 2).join("-") }))

const MANAGEMENT: ReadonlyArray<Kind> = [
  { opens: /^management (ssh|console|telnet|cvx)$/, tag: (m) => `mgmt-${m[1]}`, inside: [SERVICE_VRF] },
  {
    opens: /^management security$/,
    tag: () => "mgmt-security",
    inside: [
      simple(/^ssl profile \S+$/),
      simple(/^password$/),
      simple(/^password policy \S+$/),
      simple(/^session shared-secret profile \S+$/)
    ]
  },
  {
    opens: /^management api http-commands$/,
    tag: () => "mgmt-api-http-cmds",
    inside: [SERVICE_VRF]
  },
  {
    opens: /^management api models$/,
    tag: () => "mgmt-api-models",
    inside: [{ opens: /^provider \S+$/, only: /^path / }]
  },
  {
    opens: /^management api (\S+)$/,
    tag: (m) => `mgmt-api-${m[1]?.replace("commands", "cmds")}`,
    inside: [{ opens: /^transport \S+ \S+$/, own: /^(?:ssl profile|vrf) / }, SERVICE_VRF]
  },
  {
    opens: /^management (\S+)$/,
    tag: (m) => `mgmt-${m[1]}`,
    inside: [
      simple(/^policy show tech-support$/),
      simple(/^server (?:defaults|host \S+|\S+)$/),
      simple(/^group policy \S+$/)
    ]
  }
]

// Lists and policies.

const POLICIES: ReadonlyArray<Kind> = [
  { opens: /^ip access-list standard (\S+)$/, tag: (m) => `std-acl-${m[1]}` },
  { opens: /^ipv6 access-list standard (\S+)$/, tag: (m) => `ipv6-std-acl-${m[1]}` },
  { opens: /^(?:ip|ipv6) prefix-list (\S+)$/, tag: (m) => `pfx-${m[1]}` },
  { opens: /^(?:ip|ipv6|mac) access-list (\S+)$/, tag: (m) => `acl-${m[1]}` },
  { opens: /^route-map (\S+)(?: .*)?$/, tag: (m) => `route-map-${m[1]}` },
  { opens: /^peer-filter (\S+)$/, tag: (m) => `peer-filter-${m[1]}` },
  simple(/^match-list input \S+ \S+$/),
  simple(/^dynamic prefix-list \S+$/),
  {
    opens: /^policy-map (?:type \S+ )?(\S+)$/,
    tag: (m) => `pmap-${m[1]}`,
    inside: [simple(/^(?:\d+ )?class \S+$/)]
  },
  { opens: /^class-map (?:type \S+ )?(?:match-any |match-all )?(\S+)$/, tag: (m) => `cmap-${m[1]}` },
  { opens: /^qos profile (\S+)$/, tag: (m) => `qos-profile-${m[1]}`, inside: [TX_QUEUE] },
  simple(
    /^traffic-policies$/,
    FIELD_SET,
    simple(/^traffic-policy \S+$/, simple(/^match \S+ (?:ipv4|ipv6|mac|any)\b.*$/, simple(/^actions$/)))
  ),
  simple(
    /^application traffic recognition$/,
    simple(/^application (?:ipv4|l4) \S+$/),
    simple(/^category \S+$/),
    { opens: /^application-profile \S+$/, only: /^(?:application|category) / },
    FIELD_SET
  )
]

// Services of the box.

const SUBNET: Kind = {
  opens: /^subnet \S+$/,
  own: /^dns /,
  inside: [
    simple(/^reservations$/, { opens: /^mac-address \S+$/, own: /^hostname / }),
    simple(/^range \S+ \S+$/),
    simple(/^client class .*$/)
  ]
}

const MONITORS: ReadonlyArray<Kind> = [
  {
    opens: /^monitor connectivity$/,
    own: /^interface set /,
    inside: [simple(/^host \S+$/), { opens: /^vrf \S+$/, own: /^interface set /, inside: [simple(/^host \S+$/)] }]
  },
  { opens: /^monitor server radius$/, own: /^service / },
  { opens: /^monitor layer1$/, own: /^logging / },
  simple(
    /^monitor telemetry postcard policy$/,
    simple(/^sample policy \S+$/, simple(/^match \S+ (?:ipv4|ipv6)$/)),
    simple(/^profile \S+$/)
  ),
  simple(/^monitor telemetry \S+$/, { opens: /^(?:destination|source) (?!group )\S+ \S+$/, own: /^username / }),
  simple(
    /^monitor twamp$/,
    simple(/^twamp-light$/, simple(/^(?:reflector|sender) defaults$/), simple(/^sender profile \S+$/))
  ),
  simple(/^monitor loop-protection$/),
  simple(/^monitor link-flap policy$/)
]

const SECURITY: ReadonlyArray<Kind> = [
  { opens: /^aaa group server (\S+) (\S+)$/, tag: (m) => `sg-${m[1]}-${m[2]}` },
  {
    opens: /^dot1x$/,
    own: /^(?:aaa|radius|mac|vlan|dot1x) /,
    inside: [{ opens: /^supplicant profile \S+$/, only: /^(?:identity|eap-method|passphrase|ssl profile) / }]
  },
  simple(/^radius proxy$/, { opens: /^client group \S+$/, only: /^(?:client (?!group)|server group) ?/ }),
  { opens: /^mac security$/, own: /^license /, inside: [simple(/^profile \S+$/)] },
  simple(/^ip security$/, simple(/^(?:ike policy|sa policy|profile) \S+$/), {
    opens: /^key controller$/,
    only: /^profile /
  }),
  ADDRESS_LOCKING,
  { opens: /^role (\S+)$/, tag: (m) => `role-${m[1]}` },
  { opens: /^ssl profile (\S+)$/, tag: (m) => `ssl-profile-${m[1]}` },
  { opens: /^(control-plane|system control-plane)$/, own: /^tcp / }
]

const SERVICES: ReadonlyArray<Kind> = [
  { opens: /^daemon (\S+)$/, tag: (m) => `daemon-${m[1]}` },
  {
    opens: /^event-handler (\S+)$/,
    tag: (m) => `handler-${m[1]}`,
    inside: [{ opens: /^trigger on-(?:counters|logging)$/, only: /^(?:poll|condition|granularity|regex|maintenance) / }]
  },
  { opens: /^alias (\S+)$/, tag: (m) => `alias-${m[1]}` },
  { opens: /^ip name-server group \S+$/, own: /^(?:dns domain|ip domain-list) / },
  { opens: /^ip dhcp (relay|snooping)$/, tag: (m) => `dhcp-${m[1]}` },
  { opens: /^dhcp relay$/, own: /^mlag / },
  {
    opens: /^dhcp server(?: vrf \S+)?$/,
    tag: () => "dhcp-server",
    own: /^dns /,
    inside: [SUBNET, simple(/^vendor-option .+$/), simple(/^client class .*$/, simple(/^match(?: any)?$/))]
  },
  {
    opens: /^flow tracking \S+$/,
    own: /^hardware /,
    inside: [simple(/^tracker \S+$/, { opens: /^exporter \S+$/, only: /^(?:collector|dscp|format|local|template) / })]
  },
  simple(/^cvx$/, simple(/^service \S+$/)),
  simple(/^mcs client$/, simple(/^cvx secondary \S+$/)),
  simple(/^stun$/, simple(/^client$/, simple(/^server-profile \S+$/)), simple(/^server$/)),
  simple(/^email$/),
  simple(/^queue-monitor streaming$/),
  ...MONITORS
]

const NETWORK: ReadonlyArray<Kind> = [
  {
    opens: /^vlan (\d[\d,-]*)$/,
    tag: (m) => `vlan-${m[1]}`,
    inside: [ADDRESS_LOCKING, simple(/^e-tree role \S+$/)]
  },
  { opens: /^vrf (?:instance|definition) (\S+)$/, tag: (m) => `vrf-${m[1]}`, inside: [ADDRESS_FAMILY] },
  { opens: /^mlag configuration(?: \S+)?$/, tag: () => "mlag" },
  { opens: /^spanning-tree mst configuration$/, tag: () => "mst" },
  { opens: /^group (?:bgp|interface) \S+$/, own: /^(?:interface|vrf|maintenance) / },
  {
    opens: /^maintenance$/,
    inside: [simple(/^profile \S+ \S+$/), { opens: /^unit \S+$/, own: /^group / }]
  },
  { opens: /^interface profile \S+$/, only: /^command / },
  { opens: /^interface defaults$/, inside: [simple(/^ethernet$/)] },
  simple(/^link tracking group \S+$/),
  simple(/^l2-protocol$/, simple(/^forwarding profile \S+$/)),
  simple(/^mpls ldp$/),
  simple(/^mpls rsvp$/, simple(/^(?:hitless-restart|p2mp|graceful-restart role \S+)$/)),
  { opens: /^ipv6 router ospf\b.*$/ },
  simple(/^ip nat (?:pool|profile) .+$/),
  simple(/^ip nat synchronization$/),
  simple(/^patch panel$/, simple(/^patch \S+$/))
]

const BOX: ReadonlyArray<Kind> = [
  { opens: /^poe$/, own: /^interface shutdown / },
  { opens: /^hardware tcam$/, own: /^system /, inside: [simple(/^profile \S+.*$/, simple(/^feature .+$/))] },
  { opens: /^tap aggregation$/, own: /^mac / },
  simple(/^platform trident mmu queue profile \S+$/),
  {
    opens: /^platform sfe interface$/,
    own: /^interface /,
    inside: [simple(/^profile \S+$/, simple(/^interface \S+$/))]
  },
  simple(/^load-balance policies$/, simple(/^load-balance sand profile \S+$/, simple(/^fields .+$/))),
  simple(/^load-balance cluster$/, simple(/^port group host \S+$/), simple(/^flow source learning$/)),
  { opens: /^control-functions$/, tag: () => "control-functions" },
  simple(/^(?:ptp|kernel|redundancy|sync-e|system l1)$/)
]

/** The sections of the top level; the first that fits counts. */
const TOP: ReadonlyArray<Kind> = [
  INTERFACE,
  ...NETWORK,
  ...ROUTERS,
  ...MANAGEMENT,
  ...POLICIES,
  ...SECURITY,
  ...SERVICES,
  ...BOX
]

const withInner = (kinds: ReadonlyArray<Kind>): ReadonlyArray<Kind> =>
  kinds.flatMap((kind) => [kind, ...withInner(kind.inside ?? [])])

const anyOf = (kinds: ReadonlyArray<Kind>): RegExp => new RegExp(kinds.map(({ opens }) => opens.source).join("|"))

// one pattern for all of them: most lines open no section
const ANY_TOP = anyOf(TOP)
const ANY_INNER = anyOf(withInner(TOP.flatMap((kind) => kind.inside ?? [])))

/** The section of the top level that the line opens. */
export const topKind = (text: string): Kind | undefined =>
  ANY_TOP.test(text) ? TOP.find(({ opens }) => opens.test(text)) : undefined

/** True when the line opens a section inside of some other one. */
export const mayNest = (text: string): boolean => ANY_INNER.test(text)

/** The section inside of `parent` that the line opens. */
export const innerKind = (parent: Kind | undefined, text: string): Kind | undefined =>
  parent?.inside?.find(({ opens }) => opens.test(text))

/** The section as the prompt shows it. */
export const tagOf = (kind: Kind, text: string): string => {
  const match = kind.opens.exec(text)
  return match === null || kind.tag === undefined ? text.replaceAll(" ", "-") : kind.tag(match)
}

// Lines that belong to the top level and open no section there.

const IP =
  "route |routing|access-list|name-server|prefix-list|virtual-router mac-address|domain|as-path|(?:ext|large-)?community-list|host |" +
  "dhcp (?:snooping|relay (?:information option$|always-on|all-subnets default))|igmp snooping|icmp|load-sharing|arp inspection vlan|" +
  "(?:radius|tacacs|ssh|ftp|http|tftp|telnet) |hardware|software|nat (?:translation|kernel)|ospf router-id|address virtual source-nat"

const IPV6 =
  "route |unicast-routing|access-list|prefix-list|neighbor|hardware|icmp|address virtual source-nat|" +
  "dhcp (?:snooping|relay (?:always-on|all-subnets default|option))"

const SPANNING_TREE =
  "mode|mst (?:configuration|pvst|\\d+ (?:priority|root))|priority|root|edge-port|vlan-id \\S+(?: priority| root|$)|" +
  "bpduguard rate-limit|port-id|forward-time|hello-time|max-age|loopguard|transmit|\\S+ \\S+ default"

const TOP_LINES = new RegExp(
  `^(?:${[
    "(?:hostname|username|ntp(?! serve$)|snmp-server|aaa|radius-server|tacacs-server|errdisable|banner|dns|clock|service|boot|prompt) ",
    "logging (?!event)|logging event (?:storm-control discards (?:global|interval)|congestion-drops interval|link-status global)",
    "(?:alias|management|daemon|event-handler|policy-map|class-map|schedule|platform|terminal|kernel|license|environment|power) ",
    "route-map \\S+|event-monitor|monitor session |track \\S+ interface |enable (?:password|secret) ",
    "sflow (?!enable|egress)|snmp-server|lldp (?:run|timer|hold-time|management-address|tlv (?!transmit ztp)|receive packet)",
    `spanning-tree (?:${SPANNING_TREE})|ip (?:${IP})|ipv6 (?:${IPV6})`,
    "dot1x (?:system|protocol (?:lldp|bpdu)|dynamic-authorization)|mac (?:access-list|address-table)",
    "vlan (?:\\d[\\d,-]*$|internal)|transceiver (?:qsfp|dom-threshold)|load-interval default|load-balance ",
    "queue-monitor (?:length$|length (?:default|notifying|log|mirror|cpu|tx-latency|update))",
    "hardware (?:counter|access-list|port-group|speed-group)|switchport (?:default|ethernet|vlan tag)",
    "agent \\S+ (?:shutdown|environment)|arp (?:\\d|vrf|persistent|aging timeout default)",
    "mpls (?:ip$|tunnel|icmp|static|label)|qos (?:map|rewrite|tx-queue|random-detect)",
    "priority-flow-control (?:all|pause watchdog (?:default|action))|lacp (?:system-priority|port-id|rate-limit default)",
    "port-channel load-balance|system mac-address",
    "ptp (?:clock-identity|domain|mode|priority\\d|source|ttl|monitor|message-type|forward-|hold-|free-running)"
  ].join("|")})`
)

/** True when a line that no section claims belongs to the top level. */
export const belongsToTop = (text: string): boolean => TOP_LINES.test(text) || ANY_TOP.test(text)

/** Whether the section claims the line: surely, surely not, or as well as any. */
export const claim = (kind: Kind | undefined, positive: string): "yes" | "no" | "maybe" => {
  if (kind === undefined) return "maybe"
  if (kind.only !== undefined) return kind.only.test(positive) || positive === "comment" ? "yes" : "no"
  return kind.own?.test(positive) === true ? "yes" : "maybe"
}
