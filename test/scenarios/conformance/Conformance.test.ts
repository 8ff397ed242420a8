import { assert, describe, layer } from "@effect/vitest"
import { Effect, FileSystem, Layer, Path } from "effect"
import { HttpApi } from "effect/http-api"
import { Api } from "../../../src/api/Api.ts"
import { ApiClient, SiteServer } from "../../support/ApiServer.ts"
import { ApiSite, SETTINGS } from "../../support/ApiSite.ts"
import { keyFile, makeIssuer, sign } from "../../support/TokenKeys.ts"
import { type Case, differences } from "./Case.ts"
import { belongingCases } from "./cases/BelongingCases.ts"
import { changeCases, windowCases } from "./cases/ChangeCases.ts"
import { deviceCases } from "./cases/DeviceCases.ts"
import { deviceChangeCases } from "./cases/DeviceChangeCases.ts"
import { alertCases, auditCases, eventCases, viewCases } from "./cases/EventCases.ts"
import { findCases } from "./cases/FindCases.ts"
import { firmwareCases } from "./cases/FirmwareCases.ts"
import { interfaceCases } from "./cases/InterfaceCases.ts"
import { interfaceErrorCases } from "./cases/InterfaceErrorCases.ts"
import { jobCases } from "./cases/JobCases.ts"
import { linknetCases } from "./cases/LinknetCases.ts"
import { linknetChangeCases } from "./cases/LinknetChangeCases.ts"
import { listCases } from "./cases/ListCases.ts"
import { mgmtDomainCases } from "./cases/MgmtDomainCases.ts"
import { operationCases } from "./cases/OperationCases.ts"
import { leaseCases } from "./cases/LeaseCases.ts"
import { onboardingCases } from "./cases/OnboardingCases.ts"
import { placeCases } from "./cases/PlaceCases.ts"
import { proposalCases } from "./cases/ProposalCases.ts"
import { provisioningCases } from "./cases/ProvisioningCases.ts"
import { branchCases, repositoryCases } from "./cases/RepositoryCases.ts"
import { providerCases, signOnCases } from "./cases/SignOnCases.ts"
import { setupCases } from "./cases/SetupCases.ts"
import { settingsCases } from "./cases/SettingsCases.ts"
import { syncCases } from "./cases/SyncCases.ts"
import { systemCases } from "./cases/SystemCases.ts"
import { fingerprint, setScene } from "./Scene.ts"
import * as NodeServices from "@effect/platform-node/NodeServices"

// The table of all cases for people: route, request, status, and what the client gets.

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ").slice(0, 160)

const row = ({ name, reply, request }: Case): string => {
  const body = request.json === undefined ? (request.raw ?? "") : JSON.stringify(request.json)
  const sent = body === "" ? "" : `\`${cell(body)}\``
  return `| ${request.method} \`${cell(request.path)}\` | ${sent} | ${reply.status} | ${cell(name)} |`
}

const HEADER = `# Conformance

What the API answers, case by case: each is sent to a real server with a real PostgreSQL by \`Conformance.test.ts\`. This table is
made from the data in \`cases/\`; \`UPDATE_CONFORMANCE=1 vitest run test/scenarios/conformance\` writes it anew.
`

/** The README of the conformance tests. */
const table = (chapters: Readonly<Record<string, ReadonlyArray<Case>>>): string => {
  const sections = Object.entries(chapters).map(([title, cases]) =>
    [`## ${title}`, "", "| Request | Body | Status | The client gets |", "|---|---|---|---|", ...cases.map(row)].join(
      "\n"
    )
  )
  return `${[HEADER, ...sections].join("\n\n")}\n`
}

const chapters: Readonly<Record<string, ReadonlyArray<Case>>> = {
  Devices: [...deviceCases, ...deviceChangeCases],
  "Stack members and sync history": belongingCases,
  Lists: listCases,
  Interfaces: [...interfaceCases, ...interfaceErrorCases],
  Linknets: [...linknetCases, ...linknetChangeCases],
  "Management domains": mgmtDomainCases,
  "Callers, tokens and users": signOnCases,
  "The audit": auditCases,
  Events: eventCases,
  "Jobs and locks": jobCases,
  "Discovery, initialisation, synchronization": [...provisioningCases, ...syncCases],
  "New switches and the topology": placeCases,
  "Existing switches": onboardingCases,
  "Leases of DHCP servers": leaseCases,
  Finding: findCases,
  "Earlier and given configurations, undo, drift": changeCases,
  "Looking at devices and working on them": operationCases,
  Windows: windowCases,
  Alerts: alertCases,
  "Saved views": viewCases,
  Firmware: firmwareCases,
  "Settings, groups, repositories": [...repositoryCases, ...settingsCases, ...branchCases],
  "Proposals and reports": proposalCases,
  "Signing on at a provider": providerCases,
  "The first run": setupCases,
  "System and transport": systemCases
}

const issuer = makeIssuer("ES256")
/** A data folder with one firmware image in it. */
const dataFolder = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = yield* files.makeTempDirectoryScoped()
  yield* files.makeDirectory(path.join(folder, "firmware"))
  yield* files.writeFileString(path.join(folder, "firmware", "EOS64-4.31.5M.swi"), "image")
  return folder
})

/** A certificate authority that cannot be made. */
const NO_AUTHORITY = { CAFILE: "/dev/null/rootCA.crt", CAKEYFILE: "/dev/null/rootCA.key" }

const Server = Layer.unwrap(
  Effect.gen(function* () {
    return SiteServer({
      JWT_ENABLED: "true",
      JWT_CERT: yield* keyFile(issuer),
      DATA_DIR: yield* dataFolder,
      // pages of other origins that send credentials, as the web client's POSTs do, are named by their site
      ALLOWED_ORIGINS: "https://ui.example.org",
      ...NO_AUTHORITY
    })
  })
).pipe(Layer.provide(NodeServices.layer))

/** Statuses that need another server than this one, by the test that has it. */
const ELSEWHERE: ReadonlyArray<string> = [
  // test/dhcp/UnknownDevices.test.ts
  "POST /api/v1.0/device 429",
  "POST /api/v1.0/discover_device 429",
  "POST /api/v1.0/device_discover 429",
  // nowhere: the mistakes of a row are in the answer
  "POST /api/v1.0/onboarding 404",
  "POST /api/v1.0/onboarding 409",
  "POST /api/v1.0/onboarding 429",
  "POST /api/v1.0/onboarding 500",
  // nowhere: another request takes the network of a link at the same moment
  "POST /api/v1.0/onboarding/links 409",
  // test/http/BodyBudgets.test.ts
  "POST /api/v1.0/settings/model 401",
  "POST /api/v1.0/settings/model/:file 401",
  // test/scenarios/program/Repositories.test.ts
  "PUT /api/v1.0/repository/:name 500",
  // test/jobs/repositories/CommitsInForce.test.ts, HangingRemote.test.ts
  "PUT /api/v1.0/repository/:name 503",
  // test/web: what the screen of repositories shows
  "POST /api/v1.0/repository/:name/check 500",
  // nowhere: several have to ask at the same moment
  "POST /api/v1.0/repository/:name/check 503",
  "POST /api/v1.0/device/:hostname/render 503",
  // test/http/events/EventStreams.test.ts
  "GET /api/v1.0/events 429",
  // nowhere: a plugin file that cannot be read keeps the server from starting
  "GET /api/v1.0/plugins 500",
  // test/http/auth/Explanations.test.ts
  "GET /api/v1.0/auth/who_may 200",
  "GET /api/v1.0/auth/who_may 400",
  "GET /api/v1.0/auth/who_may 404",
  "GET /api/v1.0/secrets 200",
  // test/http/auth/PageSessions.test.ts
  "DELETE /api/v1.0/auth/session 200",
  "POST /api/v1.0/auth/session 200",
  "POST /api/v1.0/auth/session 404",
  "POST /api/v1.0/auth/session 429",
  // test/http/oidc
  "GET /api/v1.0/auth/login 302",
  "GET /api/v1.0/auth/auth 302",
  "GET /api/v1.0/auth/auth 429",
  "POST /api/v1.0/auth/refresh 200",
  "POST /api/v1.0/auth/refresh 403",
  "POST /api/v1.0/auth/refresh 429",
  "POST /api/v1.0/auth/logout 200",
  "POST /api/v1.0/auth/logout 403",
  // test/scenarios/program/Proposals.test.ts
  "POST /api/v1.0/forge/events 200",
  "POST /api/v1.0/forge/events 400",
  // test/http/changes/ChangeReport.test.ts
  "GET /api/v1.0/changes/reports/:sha256 200",
  // test/http/Failures.test.ts
  "GET /api/v1.0/firmware 404",
  "GET /api/v1.0/firmware_images 404",
  // test/http/Roles.test.ts
  "GET /api/v1.0/auth/explain 404",
  // test/events/ServedAlerts.test.ts
  "POST /api/v1.0/alerts/receivers/:name/test 200",
  // test/http/auth/LocalUsers.test.ts
  "POST /api/v1.0/auth 200",
  "POST /api/v1.0/auth 429",
  // test/http/Approval.test.ts
  "POST /api/v1.0/job/:id(^\\d+$)/approve 200",
  "POST /api/v1.0/job/:id(^\\d+$)/reject 200",
  // test/jobs/upkeep/Certificates.test.ts
  "GET /api/v1.0/certificate_authority 200",
  "GET /api/v1.0/certificate_authority 500",
  "POST /api/v1.0/certificate_authority 200",
  "POST /api/v1.0/certificate_authority 409"
]

const send = Effect.fnUntraced(function* ({ headers = {}, json, method, path, raw, user = "admin" }: Case["request"]) {
  const api = yield* ApiClient
  const token = user === null ? {} : { authorization: `Bearer ${yield* sign(issuer, { sub: user })}` }
  return yield* api.send(method, path.startsWith("/api") || path === "/metrics" ? path : `/api/v1.0${path}`, {
    headers: { ...token, ...headers },
    ...(json === undefined ? {} : { json }),
    ...(raw === undefined ? {} : { raw })
  })
})

const check = Effect.fnUntraced(function* (item: Case) {
  yield* setScene(item.given)
  const { settings } = (yield* ApiSite).folders
  if (item.committed !== undefined) yield* settings.commit(item.committed)
  const before = yield* fingerprint
  const { body, headers, status } = yield* send(item.request)
  const wrong = [
    ...(status === item.reply.status
      ? []
      : [`status: expected ${item.reply.status}, got ${status} ${JSON.stringify(body)}`]),
    ...(item.reply.body === undefined ? [] : differences(item.reply.body, body)),
    ...Object.entries(item.reply.headers ?? {}).flatMap(([name, value]) => differences(value, headers.get(name), name))
  ]
  assert.deepEqual(wrong, [])
  if (status >= 400 && item.storesTheGoodPart === undefined) {
    assert.strictEqual(yield* fingerprint, before, "an error changed the database")
  }
  if (status >= 400) assert.match(headers.get("content-type") ?? "", /^application\/json/)
  if (item.committed !== undefined) yield* settings.commit(SETTINGS)
  for (const { body, path } of item.afterwards ?? []) {
    const answer = yield* send({ method: "GET", path })
    assert.deepEqual(differences(body, answer.body, path), [])
  }
})

layer(Server, { excludeTestServices: true })((it) => {
  for (const [title, cases] of Object.entries(chapters)) {
    describe(title, () => {
      for (const item of cases) {
        const { json, method, path } = item.request
        const sent = json === undefined ? "" : ` ${JSON.stringify(json).slice(0, 80)}`
        it.effect(`${method} ${path.slice(0, 80)}${sent}: ${item.name}`, () => check(item))
      }
    })
  }

  it.effect("every route and every status that it documents has a case", () =>
    Effect.sync(() => {
      const seen = Object.values(chapters)
        .flat()
        .map(({ reply, request }) => ({ method: request.method, path: request.path, status: reply.status }))
      const missing: Array<string> = []
      HttpApi.reflect(Api, {
        onGroup: () => {},
        onEndpoint: ({ endpoint, errors, successes }) => {
          const route = endpoint.path.replace("/api/v1.0", "").replaceAll(/:\w+(\([^)]*\)\$\)|\(.*?\$\))?/g, "[^/]+")
          const pattern = new RegExp(`^${route}(\\?.*)?$`)
          // behaviour that all routes share has tests of its own: unreadable bodies, tokens, roles (test/http/RoleMatrix.test.ts calls each
          // of them, test/http/auth the ways to sign on), an unreachable database
          const common = [401, 403, 408, 413, 415, 503]
          for (const status of [...successes.keys(), ...errors.keys()]) {
            const found = seen.some(
              (item) => item.method === endpoint.method && item.status === status && pattern.test(item.path)
            )
            const name = `${endpoint.method} ${endpoint.path} ${status}`
            if (!found && !common.includes(status) && !ELSEWHERE.includes(name)) missing.push(name)
          }
        }
      })
      assert.deepEqual(missing, [], missing.join(", "))
    })
  )

  it.effect("the generated table is up to date", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const readme = path.join(import.meta.dirname, "README.md")
      const text = table(chapters)
      if (process.env["UPDATE_CONFORMANCE"] === "1") yield* files.writeFileString(readme, text)
      assert.strictEqual(yield* files.readFileString(readme), text, "UPDATE_CONFORMANCE=1 writes it anew")
    })
  )
})
