/** The part of the story in which a commit shuts the management port of a router, and the router comes back by itself. */
import { Effect } from "effect"
import { fabricSettings } from "../fabric/FabricSettings.ts"
import * as Campus from "./DemoCampus.ts"
import { type RealSite, withLines } from "./RealSite.ts"
import { hold, say, step } from "./Telling.ts"

const ROUTER = "dist2"
const FILE = `devices/${ROUTER}/base_system.yml`

/** What the router itself shows: its port, what it runs and would start with, and what became of the last commit. */
const look = ({ fabric }: RealSite) =>
  Effect.all({
    port: fabric.run(ROUTER, "cat /sys/class/net/eth0/operstate"),
    configuration: fabric.run(ROUTER, "vtysh -c 'show running-config no-header' 2>/dev/null; cat /etc/frr/frr.conf"),
    last: fabric.run(ROUTER, "cat /etc/frr/switchyard/last")
  })

const lockOut = Effect.fnUntraced(function* (site: RealSite) {
  const { api, settings } = site
  const before = yield* look(site)
  const shut = withLines("interface eth0", " shutdown", "exit")
  yield* Campus.commitFiles(settings, { [FILE]: shut }, "Shut a port")
  yield* say(`  ${yield* api.refresh("settings")}`)
  const job = yield* api.sync(false, { hostname: ROUTER })
  const [failure] = yield* api.failures(job)
  yield* hold(failure !== undefined, `job ${job.id} says that ${ROUTER} was changed`)
  yield* say(`  job ${job.id} says of ${ROUTER}:\n${failure?.reason.trim().replaceAll(/^ */gm, "    ")}`)
  yield* hold(
    failure?.reason.includes("runs the configuration that it had before") === true,
    "the job does not say what the router runs"
  )
  const after = yield* look(site)
  yield* hold(after.port.trim() === "up", `the management port is ${after.port.trim()}`)
  yield* hold(
    after.configuration === before.configuration,
    "the router does not run, or start with, what it had before"
  )
  yield* hold(/^reverted .* timer$/m.test(after.last), `the router says of the last commit: ${after.last.trim()}`)
  yield* say(
    "  the router says so too: the timer has run out, the port is up, running and startup configuration are those of before"
  )
})

const putRight = Effect.fnUntraced(function* ({ api, settings }: RealSite) {
  const [device] = yield* api.devices(`filter[hostname]=${ROUTER}`)
  yield* hold(device?.synchronized === false, `${ROUTER} counts as synchronized`)
  yield* say(`  ${ROUTER} is not synchronized: git asks for something else`)
  yield* Campus.commitFiles(settings, { [FILE]: fabricSettings[FILE] ?? "" }, "Take it back")
  yield* say(`  ${yield* api.refresh("settings")}`)
  yield* api.diffs(yield* api.sync(false, { hostname: ROUTER }))
  const [again] = yield* api.devices(`filter[hostname]=${ROUTER}`)
  yield* hold(again?.synchronized === true, `${ROUTER} is not synchronized`)
  yield* say(`  ${ROUTER}: synchronized`)
})

/** Plays this part. */
export const play = Effect.fn("RealLockout.play")(function* (site: RealSite) {
  yield* step(
    `A commit that shuts the management port of ${ROUTER}: it locks us out, and comes back when the timer runs out`
  )
  yield* lockOut(site)
  yield* step("The commit is taken back")
  yield* putRight(site)
})
