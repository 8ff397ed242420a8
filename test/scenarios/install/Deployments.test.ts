/**
 * Several replicas as deployed on Kubernetes (`deploy/kubernetes`), as far as it can be checked without a cluster: known settings that the
 * server starts with, secrets that are declared and given, probes that the API answers.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { parseAllDocuments } from "yaml"
import { withFiles } from "../../../src/runtime/SecretSources.ts"
import { ServerConfig } from "../../../src/ServerConfig.ts"
import { documentation } from "../../../src/SettingsTable.ts"
import { environmentOf, read } from "./Containers.ts"

const known = new Set(documentation.map(([name]) => name))
const withoutFile = (name: string) => (known.has(name) ? name : name.replace(/_FILE$/, ""))
const unknownOf = (names: ReadonlyArray<string>) => names.filter((name) => !known.has(withoutFile(name)))

const HEALTH = ["/api/health/live", "/api/health/ready"]
const Texts = Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Number]))

/** The settings as a server reads them, with a secret of its own in each file that they name below `folder`. */
const configOf = Effect.fnUntraced(function* (settings: typeof Texts.Type, folder: string) {
  const made = mkdtempSync(path.join(tmpdir(), "switchyard-secrets-"))
  const environment = Object.fromEntries(
    Object.entries(settings).map(([name, value]) => {
      const text = String(value).replaceAll(/\$\{[^}]+\}/g, "chosen")
      if (!text.startsWith(folder)) return [name, text]
      const file = path.join(made, path.basename(text))
      writeFileSync(
        file,
        name.startsWith("DATABASE_URL") ? "postgres://switchyard:x@database/switchyard\n" : "s".repeat(64)
      )
      return [name, file]
    })
  )
  const all = yield* withFiles({ ...environmentOf("Dockerfile"), ...environment })
  rmSync(made, { recursive: true })
  return yield* Effect.provide(ServerConfig, ServerConfig.layerOf(all))
})

const Probe = Schema.Struct({ httpGet: Schema.Struct({ path: Schema.String, port: Schema.String }) })
const Container = Schema.Struct({
  env: Schema.Array(Schema.Struct({ name: Schema.String })),
  ports: Schema.Array(Schema.Struct({ name: Schema.String, containerPort: Schema.Number })),
  startupProbe: Probe,
  livenessProbe: Probe,
  readinessProbe: Probe
})
const Workload = Schema.Struct({
  spec: Schema.Struct({
    replicas: Schema.Number,
    template: Schema.Struct({
      metadata: Schema.Struct({ labels: Texts }),
      spec: Schema.Struct({
        securityContext: Schema.Struct({ runAsNonRoot: Schema.Literal(true), runAsUser: Schema.Number }),
        containers: Schema.Tuple([Container])
      })
    })
  })
})
const Ports = Schema.Array(Schema.Struct({ port: Schema.Union([Schema.String, Schema.Number]) }))
const Policy = Schema.Struct({
  spec: Schema.Struct({
    ingress: Schema.Array(Schema.Struct({ from: Schema.optionalKey(Schema.Array(Schema.Unknown)), ports: Ports }))
  })
})

describe("Two replicas on Kubernetes", () => {
  const all = parseAllDocuments(read("deploy/kubernetes/switchyard.yaml")).map((document): unknown => document.toJS())
  const Kind = Schema.Struct({ kind: Schema.String })
  const one = (kind: string) => all.find((found) => Schema.decodeUnknownSync(Kind)(found).kind === kind)
  const { data } = Schema.decodeUnknownSync(Schema.Struct({ data: Texts }))(one("ConfigMap"))
  const { spec } = Schema.decodeUnknownSync(Workload)(one("StatefulSet"))
  const [container] = spec.template.spec.containers
  const [secret] = parseAllDocuments(read("deploy/kubernetes/secret.yaml.example"))

  it.effect("are given known settings that the server starts with", () =>
    Effect.gen(function* () {
      assert.deepEqual(unknownOf([...Object.keys(data), ...container.env.map(({ name }) => name)]), [])
      const config = yield* configOf({ ...data, CLUSTER_HOST: "10.244.0.7" }, "/run/secrets/")
      assert.strictEqual(config.logins.size, 4)
      const ports = Object.fromEntries(container.ports.map(({ containerPort, name }) => [name, containerPort]))
      assert.deepEqual(ports, { http: config.PORT, boot: Number(data["ZTP_HTTP_PORT"]), cluster: config.CLUSTER_PORT })
      const { stringData } = Schema.decodeUnknownSync(Schema.Struct({ stringData: Texts }))(secret?.toJS())
      const files = Object.values(data).flatMap(
        (value) => /^\/run\/secrets\/switchyard\/(.*)/.exec(String(value))?.[1] ?? []
      )
      assert.deepEqual([...new Set(files)].toSorted(), Object.keys(stringData).toSorted())
    })
  )

  it("are probed where the API answers, and started as the user of the image", () => {
    const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe]
    assert.deepEqual(
      probes.map(({ httpGet }) => [httpGet.path, httpGet.port]),
      [
        [HEALTH[0], "http"],
        [HEALTH[0], "http"],
        [HEALTH[1], "http"]
      ]
    )
    assert.include(read("Dockerfile"), `USER ${spec.template.spec.securityContext.runAsUser}:`)
  })

  it("keep the port between replicas private", () => {
    const { ingress } = Schema.decodeUnknownSync(Policy)(one("NetworkPolicy")).spec
    const rules = ingress.filter(({ ports }) => ports.some(({ port }) => port === "cluster"))
    assert.deepEqual(
      rules.map(({ from }) => from),
      [[{ podSelector: { matchLabels: spec.template.metadata.labels } }]]
    )
  })

  it("are never all disrupted", () => {
    const Budget = Schema.Struct({ spec: Schema.Struct({ minAvailable: Schema.Number }) })
    assert.isBelow(Schema.decodeUnknownSync(Budget)(one("PodDisruptionBudget")).spec.minAvailable, spec.replicas)
  })
})
