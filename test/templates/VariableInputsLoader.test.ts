/** From rows in PostgreSQL to configurations, with a number of queries that does not grow with the devices. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted, Result, Tracer } from "effect"
import { SqlClient } from "effect/sql"
import { ServerConfig } from "../../src/ServerConfig.ts"
import { buildSnapshot } from "../../src/settings/SettingsSnapshot.ts"
import { DeviceStore, makeStackMembers } from "../../src/store/DeviceStore.ts"
import { InterfaceStore } from "../../src/store/InterfaceStore.ts"
import { renderDevice } from "./DirectRendering.ts"
import { buildTemplateSnapshot } from "../../src/templates/TemplateSnapshot.ts"
import {
  type LoadedInputs,
  loadVariableInputs,
  type VariableRequest
} from "../../src/templates/VariableInputsLoader.ts"
import type { VariableInputs, VariablesError } from "../../src/templates/VariableInputs.ts"
import { TestDatabase } from "../support/TestDatabase.ts"
import { TestSecrets } from "../support/TestStores.ts"
import { accessPorts, deviceOf, devices, linknets, mgmtDomains, readExample, settingsSnapshot, site } from "./Campus.ts"
import { stored } from "../support/Lindhaven.ts"
import { NetworkStore } from "../../src/store/NetworkStore.ts"

const templates = buildTemplateSnapshot({ files: readExample("templates"), root: "templates" })

const TestConfig = Layer.effect(
  ServerConfig,
  Effect.map(ServerConfig, (config) =>
    ServerConfig.of({ ...config, templateSecrets: site.secrets, SETTINGS_OVERRIDE: null })
  )
).pipe(Layer.provide(ServerConfig.layer))

/** Stores the campus under its own ids. */
const storeCampus = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const device of devices) yield* sql`insert into device ${sql.insert({ ...device })}`
  for (const link of linknets) yield* sql`insert into linknet ${sql.insert({ ...link })}`
  for (const domain of mgmtDomains) yield* sql`insert into mgmtdomain ${sql.insert({ ...domain })}`
  const interfaces = yield* InterfaceStore
  for (const { configtype, data, device_id, name } of accessPorts)
    yield* interfaces.put(device_id, name, configtype, data)
  const stack = [
    { member_no: 2, hardware_id: "B", priority: 1 },
    { member_no: 1, hardware_id: "A", priority: null }
  ]
  yield* (yield* makeStackMembers).replace(6, stack)
})

const stores = Layer.mergeAll(DeviceStore.layer, InterfaceStore.layer, NetworkStore.layer).pipe(
  Layer.provide(TestSecrets),
  Layer.provideMerge(TestDatabase)
)

const Campus = Layer.effectDiscard(storeCampus).pipe(Layer.provideMerge(Layer.merge(stores, TestConfig)))

/** The example settings with one file of other content. */
const withFile = (path: string, text: string) =>
  Result.getOrThrow(buildSnapshot({ files: new Map(readExample("settings")).set(path, text), root: "settings" }))

const load = (requests: ReadonlyArray<VariableRequest>) => loadVariableInputs(settingsSnapshot, requests)

const requestsFor = (...hostnames: ReadonlyArray<string>) =>
  hostnames.map((hostname) => ({ device: deviceOf(hostname) }))

/** How many statements are sent to the database; each is a span of kind client. */
const countQueries = Effect.fnUntraced(function* <A, E, R>(run: Effect.Effect<A, E, R>) {
  let queries = 0
  const counting = Tracer.make({
    span: (options) => {
      if (options.kind === "client") queries += 1
      return new Tracer.NativeSpan(options)
    }
  })
  yield* Effect.withTracer(run, counting)
  return queries
})

const inputsIn = ({ byDevice }: LoadedInputs, id: number): Effect.Effect<VariableInputs, VariablesError> => {
  const inputs = byDevice.get(id)
  return inputs === undefined ? Effect.die(`device ${id} was not loaded`) : Effect.fromResult(inputs)
}

layer(Campus)("the inputs of devices", (it) => {
  it.effect("yield the stored configurations of all three device types", () =>
    Effect.gen(function* () {
      const hosts = ["lhv-acc1", "lhv-dist1", "lhv-core1"]
      const loaded = yield* load(requestsFor(...hosts))
      for (const host of hosts) {
        const inputs = yield* inputsIn(loaded, deviceOf(host).id)
        const { text } = yield* Effect.fromResult(renderDevice(templates, inputs, loaded.site))
        assert.strictEqual(text, stored(`${host}.cfg`))
      }
    })
  )

  it.effect("hold the stack members by number", () =>
    Effect.gen(function* () {
      const loaded = yield* load(requestsFor("lhv-acc2", "lhv-acc3"))
      const members = (id: number) =>
        Effect.map(inputsIn(loaded, id), ({ stackMembers }) => stackMembers.map(({ hardware_id }) => hardware_id))
      assert.deepEqual(yield* members(6), ["A", "B"])
      assert.deepEqual(yield* members(7), [])
    })
  )

  it.effect("of a switch in init follow its new name and type", () =>
    Effect.gen(function* () {
      const device = {
        ...deviceOf("lhv-acc1"),
        hostname: "mac-1",
        device_type: "UNKNOWN",
        state: "DISCOVERED"
      } as const
      const addresses = {
        mgmt_ip: "10.196.16.6",
        mgmt_ipif: "10.196.16.6/24",
        mgmt_prefixlen: 24,
        mgmt_vlan_id: 3016,
        mgmt_gw: "10.196.16.1"
      }
      const init = { hostname: "lhv-acc1", device_type: "ACCESS", addresses } as const
      const loaded = yield* load([{ device, init }])
      const inputs = yield* inputsIn(loaded, device.id)
      const { text } = yield* Effect.fromResult(renderDevice(templates, inputs, loaded.site))
      assert.strictEqual(text, stored("lhv-acc1.cfg"))
    })
  )

  it.effect("take as many queries for all devices as for a few", () =>
    Effect.gen(function* () {
      const few = yield* countQueries(load(requestsFor("lhv-acc1", "lhv-dist1")))
      const all = yield* countQueries(load(devices.map((device) => ({ device }))))
      assert.isAbove(few, 3)
      assert.isAtMost(all, few)
    })
  )

  it.effect("of a distribution switch contain the ports of its partner when it mirrors some", () =>
    Effect.gen(function* () {
      const mirrored = withFile("devices/lhv-dist1/interfaces.yml", "interfaces: [{name: Ethernet21, ifclass: mirror}]")
      const loaded = yield* loadVariableInputs(mirrored, requestsFor("lhv-dist1"))
      const { mirrorSource } = yield* inputsIn(loaded, 3)
      assert.strictEqual(mirrorSource?.hostname, "lhv-dist2")
      const camera = mirrorSource?.interfaces.find(({ name }) => name === "Ethernet21")
      assert.strictEqual(camera?.description, "Roof camera 2")
    })
  )

  it.effect("are missing for a device whose settings are wrong, and only for that one", () =>
    Effect.gen(function* () {
      const broken = withFile("devices/lhv-dist2/base_system.yml", "dot1x_fail_vlan: 9999")
      const loaded = yield* loadVariableInputs(broken, requestsFor("lhv-dist1", "lhv-dist2"))
      yield* inputsIn(loaded, 3)
      const error = yield* Effect.flip(inputsIn(loaded, 4))
      assert.strictEqual(error.hostname, "lhv-dist2")
      assert.match(error.message, /^Validation error for setting dot1x_fail_vlan, bad value: 9999/)
    })
  )

  it.effect("of no devices are empty", () =>
    Effect.gen(function* () {
      const { byDevice, site: shared } = yield* load([])
      assert.strictEqual(byDevice.size, 0)
      assert.deepEqual(shared.coreDevices, [])
      assert.strictEqual(
        Redacted.value(shared.secrets.get("TEMPLATE_SECRET_RADIUS") ?? Redacted.make("")),
        "0832494D1B1C11"
      )
    })
  )
})
