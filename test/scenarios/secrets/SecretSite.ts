/**
 * A site whose every secret is marked: the program as a process with its embedded database, a blank switch and two managed ones in the
 * lab, repositories of which one asks for a password, a plugin that fails, and callers of three kinds. The server is given its secrets
 * in files, so that not even its own environment has them.
 */
import { Effect } from "effect"
import * as fs from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { sshKeyPair } from "../../support/SshKeyPair.ts"
import { makeLab } from "../../../src/lab/Lab.ts"
import * as Campus from "../../support/Campus.ts"
import { dataFolder, start } from "../../support/Program.ts"
import { make as makeTraceReceiver } from "../../support/TraceReceiver.ts"
import { makeIssuer, sign } from "../../support/TokenKeys.ts"
import type { Mark } from "./Marks.ts"
import { execFileSync } from "node:child_process"
import { readFileSync, statSync } from "node:fs"
import { createServer as createWebServer, type RequestListener } from "node:http"
import { createServer, type Server } from "node:net"

// Other systems that ask for secrets: a git server, an inventory that refuses, and a receiver of the audit.

const listening = <S extends Server>(make: () => S) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly server: S; readonly port: number }>((resume) => {
      const server = make()
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        resume(Effect.succeed({ server, port: typeof address === "object" ? (address?.port ?? 0) : 0 }))
      })
    }),
    ({ server }) => Effect.sync(() => void server.close())
  )

const web = (listener: RequestListener) =>
  Effect.tap(
    listening(() => createWebServer(listener)),
    ({ server }) => Effect.addFinalizer(() => Effect.sync(() => server.closeAllConnections()))
  )

/** The behaviour of the git server: it serves, has lost the repository, accepts requests and never answers, or refuses all. */
export type GitMode = "serves" | "missing" | "hangs" | "refuses"

/** Serves a working copy over HTTP to holders of the password; `isAsked` says whether a request hangs. */
export const gitServer = Effect.fnUntraced(function* (folder: string, user: string, password: string) {
  let mode: GitMode = "serves"
  let hanging = 0
  const wanted = `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`
  const { port } = yield* web((request, response) => {
    if (mode === "hangs") {
      hanging += 1
      return
    }
    const allowed = mode !== "refuses" && request.headers.authorization === wanted
    const file = `${folder}/.git${(request.url ?? "").replace(/^\/settings\.git/, "").replace(/\?.*$/, "")}`
    const isThere = mode === "serves" && statSync(file, { throwIfNoEntry: false })?.isFile() === true
    response.writeHead(allowed ? (isThere ? 200 : 404) : 401, { "www-authenticate": "Basic" })
    response.end(allowed && isThere ? readFileSync(file) : `you sent ${request.headers.authorization}`)
  })
  /** To be done after each commit: this way of serving needs a list of what there is. */
  const publish = Effect.sync(() => void execFileSync("git", ["-C", folder, "update-server-info"]))
  yield* publish
  return {
    url: `http://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/settings.git`,
    publish,
    become: (next: GitMode) => Effect.sync(() => void (mode = next)),
    isAsked: () => hanging > 0
  }
})

/** An inventory that refuses every request and records it. */
export const inventory = Effect.gen(function* () {
  const heard: Array<string> = []
  const { port } = yield* web((request, response) => {
    heard.push(String(request.headers.authorization))
    response.writeHead(500)
    response.end(`the token ${request.headers.authorization} is not known`)
  })
  return { url: `http://127.0.0.1:${port}`, heard: () => heard }
})

/** A receiver of syslog over TCP that keeps what it gets. */
export const syslog = Effect.gen(function* () {
  let text = ""
  const { port } = yield* listening(() =>
    createServer((socket) => void socket.on("data", (chunk) => (text += String(chunk))).on("error", () => undefined))
  )
  return { url: `tcp://127.0.0.1:${port}`, text: () => text }
})

const PASSPHRASE = "MarkP-phrase-of-the-key"
const KEY_PAIR = sshKeyPair(PASSPHRASE)

/** The secrets of the server by their variables. */
export const SECRETS = {
  PASSWORD_DHCP_BOOT: "MarkA-of-the-boot-file-1",
  PASSWORD_DISCOVERED: "MarkA-of-the-boot-file-1",
  PASSWORD_INIT: "MarkB-managed-Pw7",
  PASSWORD_MANAGED: "MarkB-managed-Pw7",
  SSH_KEY_MANAGED: KEY_PAIR.private,
  SSH_KEY_MANAGED_PASSPHRASE: PASSPHRASE,
  TEMPLATE_SECRET_SWITCHYARD_HASH: "$6$MarkC$of.the/user",
  TEMPLATE_SECRET_SNMP_COMMUNITY: "MarkD-community",
  TEMPLATE_SECRET_RADIUS: "0832494D1B1C11MARKE",
  TEMPLATE_SECRET_MARKED: "MarkF-Template-Xy9z",
  DEVICE_SECRET_ENABLE: "MarkG-enable-secret",
  DEVICE_SECRET_PEM: sshKeyPair().private,
  PLUGIN_SECRET_NAV: "MarkH-plugin-token",
  SECRET_KEY: "MarkI-key-of-this-installation-0123",
  CAKEY_PASSPHRASE: "MarkJ-key-of-authority",
  OIDC_CLIENT_SECRET: "MarkQ-client-of-the-provider",
  OTEL_EXPORTER_OTLP_HEADERS: "x-token=MarkR-receiver-of-traces"
} as const

/** The server's data from other systems, and its one-time output. */
export const GIVEN = {
  git: "MarkK git+pass/w@rd",
  firmware: "MarkL-image-server",
  inTemplate: "MarkM-written-in-a-template",
  inPluginFile: "MarkN-community-of-nav",
  user: "MarkO seven green bicycles"
} as const

const named = (values: Readonly<Record<string, string>>): ReadonlyArray<Mark> =>
  Object.entries(values).map(([name, value]) => ({ name, value }))

/** All marks that are known from the start. */
export const MARKS = [...named(SECRETS), ...named(GIVEN)]

/** The users of all switches, and lines with what templates make of a secret. */
export const users = (more = "") => `aaa authorization exec default local
!
username switchyard privilege 15 role network-admin secret sha512 {{ TEMPLATE_SECRET_SWITCHYARD_HASH }}
username switchyard ssh-key ${KEY_PAIR.public}
snmp-server community ${GIVEN.inTemplate} ro
!
interface Loopback77
   description {{ TEMPLATE_SECRET_MARKED | lower }}
interface Loopback78
   description {{ TEMPLATE_SECRET_MARKED[::-1] }}${more}
!
`

const ROLES = `roles:
  boss: {extends: administrator}
  reader: {extends: reader}
`

/** As a lease's boot file sets it. */
const INITIAL = Campus.INITIAL.replace(/secret \S+/, `secret ${SECRETS.PASSWORD_DHCP_BOOT}`)

const makeNetwork = Effect.gen(function* () {
  const fabric = (name: string, last: number) => {
    const node = Campus.fabricNode("DIST", name, last)
    return {
      ...node,
      "startup-config": String(node["startup-config"]).replace(
        Campus.HASH,
        () => `${SECRETS.TEMPLATE_SECRET_SWITCHYARD_HASH}\nusername switchyard ssh-key ${KEY_PAIR.public}`
      )
    }
  }
  return yield* makeLab(
    {
      name: "secrets",
      lab: { dhcp: { pool: "10.90.0.10-10.90.3.250", config: INITIAL } },
      topology: {
        defaults: { kind: "eos", passwords: { switchyard: SECRETS.PASSWORD_MANAGED }, version: "4.31.4M" },
        nodes: {
          "lhv-dist1": fabric("lhv-dist1", 11),
          "lhv-dist2": fabric("lhv-dist2", 12),
          acc1: Campus.blankAccess
        },
        links: Campus.uplinks("acc1", 1)
      }
    },
    { onLease: () => Effect.void, provisioningMs: 20 }
  )
})

/** A folder that goes with the scope. */
const folderOf = (name: string) =>
  Effect.acquireRelease(
    Effect.promise(() => fs.mkdtemp(path.join(tmpdir(), `switchyard-${name}-`))),
    (made) => Effect.promise(() => fs.rm(made, { recursive: true, force: true }))
  )

const write = (file: string, text: string) => Effect.promise(() => fs.writeFile(file, text, { mode: 0o600 }))

/** `<NAME>_FILE` for every secret, with the files in this folder. */
const inFiles = Effect.fnUntraced(function* (secrets: Readonly<Record<string, string>>, folder: string) {
  const variables: Record<string, string> = {}
  for (const [name, value] of Object.entries(secrets)) {
    variables[`${name}_FILE`] = path.join(folder, name)
    yield* write(path.join(folder, name), `${value}\n`)
  }
  return variables
})

/** Starts all of it. */
export const makeSite = Effect.gen(function* () {
  const repositories = yield* Campus.makeFolders
  yield* repositories.templates.commit({ "eos/users.j2": users() })
  const lab = yield* makeNetwork
  const git = yield* gitServer(repositories.settings.folder, "robot", GIVEN.git)
  const nav = yield* inventory
  const receiver = yield* syslog
  const traces = yield* makeTraceReceiver
  const [dataDir, elsewhere] = [yield* dataFolder, yield* folderOf("given")]
  const vars = `{urlbase: "${nav.url}", apitoken_secret: NAV, snmp_community: ${GIVEN.inPluginFile}}`
  yield* write(path.join(dataDir, "plugins.yml"), `plugins:\n  - filename: nav.py\n    vars: ${vars}\n`)
  yield* write(path.join(dataDir, "permissions.yml"), ROLES)
  const issuer = makeIssuer("ES256")
  yield* write(path.join(elsewhere, "public.pem"), issuer.publicPem)
  const known = Campus.environment(lab, repositories, dataDir)
  const open = Object.fromEntries(Object.entries(known).filter(([name]) => !/PASSWORD|SECRET|GITREPO_S/.test(name)))
  const env = {
    ...open,
    ...(yield* inFiles({ ...SECRETS, GITREPO_SETTINGS: git.url }, elsewhere)),
    JWT_ENABLED: "true",
    JWT_CERT: path.join(elsewhere, "public.pem"),
    ROLES_CLAIM: "roles",
    LOCAL_USERS: "true",
    AUDIT_SYSLOG: receiver.url,
    OTEL_EXPORTER_OTLP_ENDPOINT: traces.url,
    FIRMWARE_ALLOW_LOCAL: "true",
    GIT_TIMEOUT: "5",
    COMMIT_CONFIRMED_MODE: "1",
    LOG_LEVEL: "Trace",
    SYNC_CONCURRENCY: "4"
  }
  const program = yield* start(env)
  const bearer = (roles: ReadonlyArray<string>) =>
    Effect.map(
      sign(issuer, { sub: roles.join(), roles, exp: Math.floor(Date.now() / 1000) + 3600 }),
      (token) => `Bearer ${token}`
    )
  return {
    repositories,
    lab,
    git,
    nav,
    receiver,
    traces,
    dataDir,
    env,
    program,
    url: yield* program.url,
    boss: yield* bearer(["boss"]),
    reader: yield* bearer(["reader"])
  }
})

export type Site = Effect.Success<typeof makeSite>
