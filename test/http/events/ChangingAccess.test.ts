/** Streams of callers whose devices change while they listen: roles are narrowed, devices come into groups, links lead elsewhere. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { StreamTimes } from "../../../src/http/core/OpenStreams.ts"
import { ServerConfig } from "../../../src/ServerConfig.ts"
import { setScene } from "../../scenarios/conformance/Scene.ts"
import { ApiClient } from "../../support/ApiServer.ts"
import { type Message, openSource, until } from "../../support/EventSource.ts"
import { seconds } from "../../support/Patience.ts"
import { caller, SiteWithRoles, tokenOf } from "../../support/RolesSite.ts"

const FILE = `roles:
  east-operator: { extends: operator, groups: [EAST_WING] }
  east-ports: { extends: port-editor, groups: [EAST_WING] }
  watcher: { extends: monitoring }
`

/** Nothing is renewed by its time in these tests. */
const Site = SiteWithRoles(FILE).pipe(
  Layer.provide(Layer.succeed(StreamTimes, { heartbeat: seconds(60), renewal: 3_600_000, stuck: seconds(60) }))
)

const followAs = Effect.fnUntraced(function* (role: string, query = "") {
  const { base } = yield* ApiClient
  const token = yield* tokenOf({ sub: role, roles: [role] })
  const source = yield* openSource(`${base}/api/v1.0/events${query}`, { authorization: `Bearer ${token}` })
  yield* until(() => source.lastId() !== undefined || source.hasEnded())
  assert.strictEqual(source.status, 200, source.text())
  return source
})

const bossOf = caller({ sub: "boss", roles: ["administrator"] })

const added = (hostname: string) => ({
  json: { hostname, platform: "eos", device_type: "ACCESS", state: "UNMANAGED" }
})

const names = (messages: ReadonlyArray<Message>) =>
  messages.map(({ data, event }) => `${event} ${String(data["action"])} ${String(data["hostname"])}`)

layer(Site, { excludeTestServices: true })("A stream of a caller of some devices", (it) => {
  it.effect("contains a device that enters a group of theirs from its beginning, in the way of a page", () =>
    Effect.gen(function* () {
      yield* setScene()
      const boss = yield* bossOf
      const operator = yield* followAs("east-operator")
      const ports = yield* followAs("east-ports", "?kind=device")
      const group = yield* followAs("administrator", "?kind=device&group=EAST_WING")
      const from = Number(operator.lastId())
      yield* boss("POST", "/device", added("west-b1"))
      const { status } = yield* boss("POST", "/device", added("east-b1"))
      assert.strictEqual(status, 200)
      yield* boss("PUT", "/device/5", { json: { hostname: "west-a2" } })
      yield* boss("PUT", "/device/5", { json: { description: "not theirs any more" } })
      yield* boss("PUT", "/device/4", { json: { description: "the last one" } })
      const own = yield* caller({ sub: "east-operator", roles: ["east-operator"] })
      const page = yield* own("GET", `/events?since=${from}&kind=device`)
      assert.notInclude(page.text, "west-a2")
      for (const { messages } of [operator, ports, group]) {
        yield* until(() => JSON.stringify(messages).includes("the last one"))
      }
      const expected = ["device created east-b1", "device updated east-a1"]
      assert.deepStrictEqual(names(ports.messages), expected)
      assert.deepStrictEqual(
        names(operator.messages).filter((name) => name.startsWith("device ")),
        expected
      )
      assert.include(names(group.messages), "device created east-b1")
      assert.notInclude(JSON.stringify(group.messages), "not theirs any more")
      assert.include(page.text, "east-b1")
    })
  )

  it.effect("contains no links and management domains, which they may not read either", () =>
    Effect.gen(function* () {
      yield* setScene()
      const boss = yield* bossOf
      const own = yield* caller({ sub: "east-operator", roles: ["east-operator"] })
      const source = yield* followAs("east-operator")
      const all = yield* followAs("administrator", "?kind=linknet")
      const from = Number(source.lastId())
      assert.strictEqual((yield* own("GET", "/linknets")).status, 403)
      assert.strictEqual((yield* boss("DELETE", "/linknet/2")).status, 200)
      yield* boss("PUT", "/device/4", { json: { description: "after the link" } })
      yield* until(() => JSON.stringify(source.messages).includes("after the link") && all.messages.length === 2)
      const page = yield* own("GET", `/events?since=${from}`)
      for (const text of [JSON.stringify(source.messages), page.text]) {
        assert.include(text, "linknet_deleted")
        assert.notInclude(text, "device_b_id")
      }
    })
  )

  // the last one: it changes the roles
  it.effect("contains no other devices soon after the role was narrowed, whenever the stream is checked", () =>
    Effect.gen(function* () {
      const { DATA_DIR } = yield* ServerConfig
      const boss = yield* bossOf
      const source = yield* followAs("watcher")
      const narrowed = FILE.replace("extends: monitoring", "extends: monitoring, groups: [EAST_WING]")
      yield* Effect.promise(() => fs.writeFile(path.join(DATA_DIR, "permissions.yml"), narrowed))
      let round = 0
      const isTold = Effect.gen(function* () {
        round += 1
        yield* boss("PUT", "/device/8", { json: { description: `theirs ${round}` } })
        yield* boss("PUT", "/device/4", { json: { description: `ours ${round}` } })
        yield* until(() => JSON.stringify(source.messages).includes(`"ours ${round}"`))
        yield* Effect.sleep("100 millis")
        return JSON.stringify(source.messages).includes(`"theirs ${round}"`)
      })
      yield* Effect.repeat(isTold, { until: (told) => !told })
      assert.isFalse(yield* isTold)
      assert.isFalse(source.hasEnded())
    })
  )
})
