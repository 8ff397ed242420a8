/** Handlers of switches that exist already (docs/onboarding.md). */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { BadRequest, enveloped, jobStartedOnDevices } from "../api/Answers.ts"
import { type Device, isFabricType } from "../domain/Device.ts"
import { ManageOnboarded, OnboardDevices } from "../domain/jobs/OnboardingJobs.ts"
import type { DistanceRecord, OnboardedDevice, OnboardingState } from "../domain/Onboarding.ts"
import { parseNetwork } from "../domain/Network.ts"
import { foldNames } from "../domain/NameRanges.ts"
import type { AcceptLinksRequest, OnboardedRequest } from "../domain/requests/OnboardingRequests.ts"
import { JobRequests } from "../jobs/requests/JobRequests.ts"
import { type DevicePiece, groupPieces, percentOf, piecesIn } from "../onboarding/Distance.ts"
import { linkNetwork, type LinkProposal, proposeLinks } from "../onboarding/LinkProposals.ts"
import { addressing } from "../provisioning/Links.ts"
import { cabledPorts } from "../provisioning/InterfaceDatabase.ts"
import { DeviceStore } from "../store/DeviceStore.ts"
import { InterfaceStore } from "../store/InterfaceStore.ts"
import { NetworkStore } from "../store/NetworkStore.ts"
import { makeOnboarding, type OnboardingRow } from "../store/OnboardingStore.ts"
import { answered, asCaller, transaction } from "./core/HandlerErrors.ts"
import { TrialRun } from "./core/RequestApproval.ts"
import { lockDevices, makeNeighbours, makePortCheck } from "./devices/LinkedDevices.ts"
import { makeProposals } from "./OnboardingProposals.ts"
import { makeOnboard } from "./OnboardingSources.ts"

// The list: where each switch is on its way.

const stateOf = (row: OnboardingRow): OnboardingState => {
  if (row.device_state === "MANAGED") return "managed"
  if (row.fingerprint === null && row.refused_fingerprint !== null) return "host_key"
  if (row.failure !== null) return "failed"
  if (row.config_from === null) return "waiting"
  if (row.unrendered !== null) return "unrendered"
  if (row.extra === null || row.missing === null) return "waiting"
  return row.extra + row.missing === 0 && (row.secrets ?? []).length === 0 ? "ready" : "differs"
}

const messageOf = (row: OnboardingRow, state: OnboardingState): string | null => {
  if (state === "host_key") return `Its host key ${row.refused_fingerprint} waits for approval`
  if (state === "failed") return row.failure
  if (state === "unrendered") return row.unrendered
  const [secret] = row.secrets ?? []
  return state === "differs" && secret !== undefined
    ? `The secret of ${(row.secrets ?? []).length} lines differs or cannot be compared, such as: ${secret}`
    : null
}

const shownRow = (row: OnboardingRow): OnboardedDevice => {
  const state = stateOf(row)
  const { extra, lines, missing } = row
  return {
    hostname: row.hostname,
    device_type: row.device_type,
    platform: row.platform,
    management_ip: row.management_ip,
    state,
    message: messageOf(row, state),
    source: row.source,
    origin: row.origin,
    added_by: row.added_by,
    added_at: row.added_at,
    fingerprint: row.fingerprint,
    refused_fingerprint: row.refused_fingerprint,
    shown: row.shown,
    config_from: row.config_from,
    config_at: row.config_at,
    lines,
    extra,
    missing,
    distance: lines === null || extra === null || missing === null ? null : percentOf({ lines, extra, missing }),
    measured_at: row.measured_at
  }
}

// Jobs: reading again, and managing without a push.

/** The onboarded switches that a request names, or all that fit. Fails with 400 for a name that is not onboarded. */
const makeChosen = Effect.map(makeOnboarding, (store) =>
  Effect.fnUntraced(function* ({ hostnames }: OnboardedRequest, fits: (row: OnboardingRow) => boolean, none: string) {
    const rows = yield* store.list
    if (hostnames === undefined) {
      const all = rows.filter(fits)
      return all.length === 0 ? yield* new BadRequest({ message: none }) : all
    }
    const known = new Map(rows.map((row) => [row.hostname, row]))
    const unknown = hostnames.filter((name) => !known.has(name))
    if (unknown.length > 0) return yield* new BadRequest({ message: `${foldNames(unknown)} is not onboarded` })
    return hostnames.flatMap((name) => known.get(name) ?? [])
  })
)

const makeJobs = Effect.gen(function* () {
  const requests = yield* JobRequests
  const chosen = yield* makeChosen
  return {
    read: Effect.fn("Onboarding.readAgain")(function* (request: OnboardedRequest, user: string) {
      const rows = yield* chosen(
        request,
        (row) => row.device_state !== "MANAGED" && row.config_from !== "file",
        "No onboarded switch is to be read"
      )
      const hostnames = rows.map(({ hostname }) => hostname)
      const job = yield* requests.start(OnboardDevices, { hostnames }, { user })
      return jobStartedOnDevices(`Scheduled job to read ${foldNames(hostnames)}`, job, hostnames.length)
    }),
    manage: Effect.fn("Onboarding.manage")(function* (request: OnboardedRequest, user: string) {
      const rows = yield* chosen(
        request,
        (row) => stateOf(row) === "ready",
        "No onboarded switch is without a difference"
      )
      const managed = rows.find((row) => row.device_state === "MANAGED")
      if (managed !== undefined) return yield* new BadRequest({ message: `${managed.hostname} is managed already` })
      const hostnames = rows.map(({ hostname }) => hostname)
      // a job that is rolled back must not begin
      const job = (yield* TrialRun) ? 0 : yield* requests.start(ManageOnboarded, { hostnames }, { user })
      return jobStartedOnDevices(`Scheduled job to manage ${foldNames(hostnames)}`, job, hostnames.length)
    })
  }
})

// The distance: a percentage, and the differences in groups.

const MOST_GROUPS = 200
const MOST_NAMES = 100
const HISTORY = 500

const withPercent = (record: Omit<DistanceRecord, "distance">): DistanceRecord => ({
  ...record,
  distance: percentOf({ lines: record.lines, extra: record.differing, missing: 0 })
})

const makeDistance = Effect.gen(function* () {
  const store = yield* makeOnboarding

  const now = (rows: ReadonlyArray<OnboardingRow>, commits: { settings: string | null; templates: string | null }) => {
    const measured = rows.filter((row) => row.lines !== null)
    const sum = (of: (row: OnboardingRow) => number | null) =>
      measured.reduce((total, row) => total + (of(row) ?? 0), 0)
    return withPercent({
      measured_at:
        rows
          .map(({ measured_at }) => measured_at ?? "")
          .toSorted()
          .at(-1) ?? "",
      settings_commit: commits.settings,
      templates_commit: commits.templates,
      devices: rows.length,
      reached: measured.filter((row) => (row.extra ?? 0) + (row.missing ?? 0) === 0).length,
      unrendered: rows.filter(({ unrendered }) => unrendered !== null).length,
      lines: sum(({ lines }) => lines),
      differing: sum(({ extra, missing }) => (extra ?? 0) + (missing ?? 0))
    })
  }

  return {
    distance: Effect.fn("Onboarding.distance")(function* (hostname: string | undefined) {
      // asked before the rows are read, so that rows without a measurement are never called complete
      const commits = yield* store.inForce
      const isMeasuring = (yield* store.toMeasure(commits)).length > 0
      const all = (yield* store.list).filter(({ config_from }) => config_from !== null)
      const rows = hostname === undefined ? all : all.filter((row) => row.hostname === hostname)
      if (hostname !== undefined && rows.length === 0)
        return yield* new BadRequest({ message: `${hostname} is not onboarded, or its configuration was not read yet` })
      const wanted = new Set(rows.map((row) => row.hostname))
      const pieces = (yield* store.differences)
        .filter((one) => wanted.has(one.hostname))
        .flatMap(({ difference, hostname: owner }) =>
          piecesIn(difference).map((piece): DevicePiece => ({ ...piece, hostname: owner }))
        )
      const groups = groupPieces(pieces)
      return enveloped({
        now: now(rows, {
          settings: commits.settings?.split(",")[0] ?? null,
          templates: commits.templates?.split(",")[0] ?? null
        }),
        groups: groups.slice(0, MOST_GROUPS).map(({ diff, hostnames, key, lines, places }) => ({
          key,
          diff,
          count: hostnames.length,
          places,
          lines,
          hostnames: hostnames.slice(0, MOST_NAMES)
        })),
        left_out: Math.max(0, groups.length - MOST_GROUPS),
        unrendered: Object.fromEntries(
          rows.flatMap((row) => (row.unrendered === null ? [] : [[row.hostname, row.unrendered]]))
        ),
        is_measuring: isMeasuring
      })
    }),
    history: Effect.map(store.history(HISTORY), (records) => enveloped({ history: records.map(withPercent) }))
  }
})

// Links: proposed from LLDP, stored when a person accepts them.

const makeLinks = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const interfaces = yield* InterfaceStore
  const { links } = yield* NetworkStore
  const store = yield* makeOnboarding
  const lock = yield* lockDevices
  const checkPorts = yield* makePortCheck
  const { unsynchronize } = yield* makeNeighbours
  const inTransaction = yield* transaction

  const proposed = Effect.gen(function* () {
    const onboarded = new Set((yield* store.list).map(({ hostname }) => hostname))
    const found = proposeLinks(yield* devices.all, yield* devices.neighbours.ofKnown, yield* links.all)
    return found.filter(({ device_a, device_b }) => onboarded.has(device_a) || onboarded.has(device_b))
  })

  /** The /31 that both ends run; none where an end is no routed switch, or runs another address. */
  const networkOf = Effect.fnUntraced(function* (a: Device, b: Device, { device_a_port, device_b_port }: LinkProposal) {
    if (!isFabricType(a.device_type) || !isFabricType(b.device_type)) return undefined
    const known = new Map((yield* store.withConfig([a.id, b.id])).map(({ config, device }) => [device.id, config]))
    return linkNetwork(known.get(a.id) ?? "", device_a_port, known.get(b.id) ?? "", device_b_port)
  })

  const insert = Effect.fnUntraced(function* (link: LinkProposal) {
    const found = new Map(
      (yield* devices.byHostnames([link.device_a, link.device_b])).map((one) => [one.hostname, one])
    )
    const [one, other] = [found.get(link.device_a), found.get(link.device_b)]
    if (one === undefined || other === undefined)
      return yield* new BadRequest({ message: "A device was deleted meanwhile" })
    const network = yield* networkOf(one, other, link)
    // the first end of a link has the lower address
    const ends = [
      { device: one, port: link.device_a_port },
      { device: other, port: link.device_b_port }
    ] as const
    const [a, b] = network === undefined || network.isFirst ? ends : ([ends[1], ends[0]] as const)
    yield* checkPorts([a, b])
    const parsed = network === undefined ? undefined : parseNetwork(network.ipv4_network)
    const addresses =
      parsed === undefined || parsed._tag === "Failure"
        ? { ipv4_network: null, device_a_ip: null, device_b_ip: null }
        : addressing(parsed.success)
    yield* links.insert({
      ...addresses,
      device_a_id: a.device.id,
      device_a_port: a.port,
      device_b_id: b.device.id,
      device_b_port: b.port,
      site_id: null,
      description: null
    })
    return [one, other]
  })

  /** Ports of an access switch that lead up become uplinks. */
  const writeUplinks = Effect.fnUntraced(function* (device: Device) {
    if (device.device_type !== "ACCESS" || device.state === "MANAGED") return 0
    const own = yield* links.ofDevice(device.id)
    const far = yield* devices.byIds(own.flatMap((link) => [link.device_a_id, link.device_b_id]))
    const { uplinks } = cabledPorts(device.id, own, new Map(far.map((one) => [one.id, one])), null)
    const stored = new Map((yield* interfaces.ofDevice(device.id)).map((port) => [port.name, port]))
    let written = 0
    for (const [port, neighbor] of uplinks) {
      if (
        stored.get(port)?.configtype === "ACCESS_UPLINK" ||
        far.find(({ hostname }) => hostname === neighbor)?.device_type !== "DIST"
      )
        continue
      yield* interfaces.put(device.id, port, "ACCESS_UPLINK", { neighbor })
      written += 1
    }
    return written
  })

  const chosen = Effect.fnUntraced(function* ({ both, links: wanted = [] }: AcceptLinksRequest) {
    const all = yield* proposed
    if (both) return all.filter(({ agreement }) => agreement === "both")
    const named: Array<LinkProposal> = []
    for (const one of wanted) {
      const found = all.find(
        (link) =>
          link.device_a === one.device_a &&
          link.device_a_port === one.device_a_port &&
          link.device_b === one.device_b &&
          link.device_b_port === one.device_b_port
      )
      const what = `${one.device_a} ${one.device_a_port} to ${one.device_b} ${one.device_b_port}`
      if (found === undefined) return yield* new BadRequest({ message: `The link ${what} is not proposed` })
      if (found.agreement === "contradiction")
        return yield* new BadRequest({ message: `The link ${what} is in doubt: ${found.reason}` })
      named.push(found)
    }
    return named
  })

  const accept = Effect.fnUntraced(function* (request: AcceptLinksRequest, by: string) {
    const accepted = yield* chosen(request)
    const names = [...new Set(accepted.flatMap(({ device_a, device_b }) => [device_a, device_b]))]
    const ends = yield* devices.byHostnames(names)
    yield* lock(ends.map(({ id }) => id))
    for (const link of accepted) yield* insert(link)
    let ports = 0
    for (const device of ends) ports += yield* writeUplinks(device)
    yield* unsynchronize(
      ends.filter(({ state }) => state === "MANAGED").map(({ id }) => id),
      "linknet_created",
      by
    )
    yield* store.stale
    return enveloped({ links: accepted, ports })
  })

  return {
    list: Effect.map(proposed, (found) => enveloped({ links: found })),
    accept: Effect.fn("Onboarding.acceptLinks")((request: AcceptLinksRequest, by: string) =>
      inTransaction(accept(request, by))
    )
  }
})

/** Handlers of `OnboardingGroup`. */
export const OnboardingLive = HttpApiBuilder.group(Api, "onboarding", (handlers) =>
  Effect.gen(function* () {
    const store = yield* makeOnboarding
    const onboard = yield* makeOnboard
    const jobs = yield* makeJobs
    const { distance, history } = yield* makeDistance
    const links = yield* makeLinks
    const proposals = yield* makeProposals
    const list = Effect.map(store.list, (rows) => enveloped({ devices: rows.map(shownRow) }))
    return handlers
      .handle("list", () => answered(list))
      .handle("add", ({ payload }) => asCaller((user) => onboard(payload, user)))
      .handle("read", ({ payload }) => asCaller((user) => jobs.read(payload, user)))
      .handle("manage", ({ payload }) => asCaller((user) => jobs.manage(payload, user)))
      .handle("distance", ({ query }) => answered(distance(query.hostname)))
      .handle("history", () => answered(history))
      .handle("links", () => answered(links.list))
      .handle("settings", () => answered(proposals.settings))
      .handle("acceptPorts", ({ payload }) => answered(proposals.accept(payload)))
      .handle("acceptLinks", ({ payload }) => asCaller((user) => links.accept(payload, user)))
  })
)
