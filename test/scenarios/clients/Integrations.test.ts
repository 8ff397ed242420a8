/** The Ansible inventory and the webhook of NetBox, against a whole server. */
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import { spawnSync } from "node:child_process"
import { createHmac } from "node:crypto"
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { Switchyard } from "../../../clients/typescript/src/index.ts"
import { makeCampusWithRoles } from "../../support/CampusWithRoles.ts"
import { background } from "../install/Release.ts"
import { buildTypeScript, clients, python, runBeside, WITHOUT_PYTHON } from "./Clients.ts"

/** The role of the webhook, as its comment has it. */
const ROLES = `group_mappings: {}
roles:
  netbox:
    permissions:
      - methods: [GET, POST, PUT]
        endpoints: ["/devices", "/device", "/device/{id}", "/device/{hostname}"]
        rights: [read, write, trust]
`

const makeSite = Effect.gen(function* () {
  const campus = yield* makeCampusWithRoles({ names: ["acc1", "acc2"], roles: ROLES })
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(path.join(tmpdir(), "switchyard-clients-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  )
  const network = new Switchyard({ url: campus.url, token: yield* campus.tokenOf("administrator") })
  return { ...campus, folder, network }
})

class Site extends Context.Service<Site, Effect.Success<typeof makeSite>>()("test/clients/Integrations") {
  static readonly layer = Layer.effect(Site, makeSite)
}

const Inventory = Schema.fromJsonString(
  Schema.Struct({
    groups: Schema.Record(Schema.String, Schema.Array(Schema.String)),
    hosts: Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Unknown))
  })
)

/** What Ansible's own program prints. */
const Listed = Schema.fromJsonString(
  Schema.Record(Schema.String, Schema.Struct({ hosts: Schema.optionalKey(Schema.Array(Schema.String)) }))
)

const has = (program: string) => spawnSync(program, ["--version"]).status === 0

const SECRET = "webhook secret"

const device = (fields: Readonly<Record<string, unknown>>) => ({
  name: "acc9",
  description: "room 7",
  serial: "JPE999",
  role: { slug: "access-switch" },
  platform: { slug: "arista-eos" },
  primary_ip: { address: "10.0.6.99/24" },
  ...fields
})

describe("Programs on the clients", () => {
  layer(Site.layer, { excludeTestServices: true })((it) => {
    it.effect("the inventory has every device in groups by state, type, group, site and platform", (context) =>
      Effect.gen(function* () {
        if (python === undefined) return context.skip(WITHOUT_PYTHON)
        const interpreter = python
        const { tokenOf, url } = yield* Site
        const token = yield* tokenOf("reader")
        const read = (options: Readonly<Record<string, unknown>>) => {
          const file = path.join(clients, "ansible/tests/without_ansible.py")
          const env = { PATH: process.env["PATH"], PYTHONPATH: path.join(clients, "python/src") }
          return runBeside(interpreter, ["-B", file, JSON.stringify(options)], env)
        }
        const all = yield* read({ url, token })
        assert.isTrue(all.isGood, all.stderr)
        const { groups, hosts } = Schema.decodeUnknownSync(Inventory)(all.stdout)
        assert.includeMembers(Object.keys(hosts), ["acc1", "acc2", "lhv-dist1"])
        assert.deepInclude(hosts["acc1"], { ansible_network_os: "arista.eos.eos" })
        assert.sameMembers([...(groups["type_access"] ?? [])], ["acc1", "acc2"])
        for (const name of ["state_managed", "group_default", "platform_eos", "unsynchronized"]) {
          assert.include(groups[name] ?? [], "acc1", name)
        }
        const some = yield* read({ url, token, filters: { device_type: "DIST" } })
        const { hosts: chosen } = Schema.decodeUnknownSync(Inventory)(some.stdout)
        assert.sameMembers(Object.keys(chosen), ["lhv-dist1", "lhv-dist2"])
        const refused = yield* read({ url, token: "wrong" })
        assert.match(refused.stderr, /AnsibleParserError: Switchyard: /)
      })
    )

    it.effect("the inventory is read by ansible-inventory", (context) =>
      Effect.gen(function* () {
        if (!has("ansible-inventory")) return context.skip("this machine has no ansible-inventory")
        const { folder, tokenOf, url } = yield* Site
        const collection = path.join(folder, "ansible_collections/switchyard/network")
        cpSync(path.join(clients, "ansible"), collection, { recursive: true })
        const file = path.join(folder, "network.switchyard.yml")
        writeFileSync(file, `plugin: switchyard.network.switchyard\nurl: ${url}\n`)
        const env = {
          ...process.env,
          ANSIBLE_COLLECTIONS_PATH: folder,
          PYTHONPATH: path.join(clients, "python/src"),
          SWITCHYARD_TOKEN: yield* tokenOf("reader")
        }
        const said = yield* runBeside("ansible-inventory", ["-i", file, "--list"], env)
        assert.isTrue(said.isGood, said.stderr)
        const { _meta, ...groups } = JSON.parse(said.stdout)
        assert.include(Schema.decodeUnknownSync(Listed)(JSON.stringify(groups))["type_access"]?.hosts ?? [], "acc1")
      })
    )

    it.effect("the webhook of NetBox adds and changes devices, and refuses what NetBox has not signed", () =>
      Effect.gen(function* () {
        const { folder, network, tokenOf, url } = yield* Site
        const site = path.join(folder, "webhook")
        mkdirSync(site)
        yield* buildTypeScript(path.join(site, "node_modules/@switchyard/client"))
        cpSync(path.join(clients, "examples/netbox-webhook.mjs"), path.join(site, "netbox-webhook.mjs"))
        const SWITCHYARD_TOKEN = yield* tokenOf("netbox")
        const env = { SWITCHYARD_URL: url, SWITCHYARD_TOKEN, NETBOX_SECRET: SECRET, PORT: "0" }
        const program = yield* background(process.execPath, ["netbox-webhook.mjs"], { cwd: site, env })
        const receiver = yield* program.until(/Listening on (http:\S+)/)
        const send = (message: unknown, secret = SECRET) =>
          Effect.promise(async () => {
            const body = JSON.stringify(message)
            const signature = createHmac("sha512", secret).update(body).digest("hex")
            const answer = await fetch(receiver, { method: "POST", body, headers: { "x-hook-signature": signature } })
            return `${answer.status} ${(await answer.text()).trim()}`
          })
        const of = (event: string, fields: Readonly<Record<string, unknown>> = {}) =>
          send({ event, model: "device", data: device(fields) })
        const record = Effect.promise(() => network.device("acc9"))

        assert.match(yield* send({ event: "created", model: "device", data: device({}) }, "guessed"), /^401 /)
        assert.strictEqual(yield* of("created"), "200 added acc9")
        assert.deepInclude(yield* record, {
          state: "UNMANAGED",
          device_type: "ACCESS",
          platform: "eos",
          management_ip: "10.0.6.99",
          serial: "JPE999"
        })
        assert.strictEqual(yield* of("updated"), "200 acc9 is as NetBox has it")
        assert.strictEqual(yield* of("updated", { description: "room 8" }), "200 changed description of acc9")
        assert.strictEqual((yield* record).description, "room 8")
        assert.match(
          yield* of("created", { name: "acc10", serial: "JPE1000" }),
          /^422 management_ip 10.0.6.99 is used already: .* of acc9/
        )
        assert.match(yield* of("created", { name: "server1", role: { slug: "server" } }), /^200 server1 is no switch/)
        assert.match(yield* of("deleted"), /^200 acc9 stays/)
        assert.strictEqual((yield* record).hostname, "acc9")
      }).pipe(Effect.scoped)
    )
  })
})
