/**
 * The questions of `switchyard doctor` to other systems: the running server, its certificates, the remotes of git, the receivers of
 * alerts and the monitoring systems of checks. The last two get only a connection and no message.
 */
import { Duration, Effect, Option, Redacted, Result, Schema } from "effect"
import { execFile } from "node:child_process"
import { X509Certificate } from "node:crypto"
import * as fs from "node:fs/promises"
import * as net from "node:net"
import { tmpdir } from "node:os"
import * as path from "node:path"
import * as tls from "node:tls"
import { promisify } from "node:util"
import type { Receiver } from "../../domain/events/alerts/Receiver.ts"
import { parseGitAddress } from "../../git/GitAddress.ts"
import { runGit } from "../../git/GitCommand.ts"
import { bounded } from "../../runtime/OutboundFetch.ts"
import { ownFault } from "../../runtime/SystemErrors.ts"
import { childEnvironment } from "../../runtime/SecretSources.ts"
import { readAlertsText } from "../../settings/SettingsFile.ts"
import { ALERTS_FILE } from "../../settings/RepositoryPaths.ts"
import { serverUrl } from "../client/Server.ts"
import { bad, type Found, good, type Place, question, type Question, warn } from "./Questions.ts"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { checkTls } from "../../http/core/TlsListener.ts"

const SECONDS = 8

const fetch = bounded({ seconds: 6, bytes: 1024 * 1024 })

const isRedirect = ({ status }: Response) => status >= 300 && status < 400

const Health = Schema.Struct({
  remark: Schema.optionalKey(Schema.String),
  checks: Schema.Array(
    Schema.Struct({ name: Schema.String, status: Schema.String, message: Schema.optionalKey(Schema.String) })
  )
})

const health = async (url: string): Promise<Found> => {
  const answer = await fetch(`${url}/api/health`).catch(() => null)
  if (answer === null || isRedirect(answer))
    return [
      bad(url, [
        "the server does not answer",
        "It does not run, it starts, it is stuck, or SWITCHYARD_URL, HOST and PORT lead elsewhere.",
        "Look at the other answers first: database, disk, descriptors; then at its log."
      ])
    ]
  const report: unknown = await answer.json().catch(() => null)
  if (!Schema.is(Health)(report))
    return [
      bad(url, [`something else answers (${answer.status})`, "It is no Switchyard server.", "Check SWITCHYARD_URL."])
    ]
  const down = report.checks.filter(({ status }) => status !== "UP")
  return [
    ...(down.length === 0 ? [good(url, "the server answers and is ready")] : []),
    ...down.map(({ message = "is down", name }) =>
      bad(`${name} of the server`, [message, "The server says so itself.", "docs/operations.md#health"])
    ),
    ...(report.remark === undefined ? [] : [warn(url, [report.remark, "The server says so itself."])])
  ]
}

const DAY_MILLIS = 86_400_000
const SOON_DAYS = 30

const endOf = (about: string, { validTo }: X509Certificate, extra = ""): Found => {
  const days = Math.floor((Date.parse(validTo) - Date.now()) / DAY_MILLIS)
  const what = `ends ${days < 0 ? `ended ${-days} days ago` : `in ${days} days`} (${validTo})${extra}`.replace(
    "ends ended",
    "ended"
  )
  if (days < 0) return [bad(about, [what, "Everybody refuses it.", "Replace it: docs/security.md#tls"])]
  return [
    days < SOON_DAYS
      ? warn(about, [what, "Everybody refuses it from then on.", "Replace it: docs/security.md#tls"])
      : good(about, what)
  ]
}

const PEM = /-----BEGIN CERTIFICATE-----[^]+?-----END CERTIFICATE-----/g

/** Whether each certificate of the file is signed by the next; a chain may end before its authority. */
const chainOf = (text: string): { readonly isWhole: boolean; readonly chain: ReadonlyArray<X509Certificate> } => {
  const chain = (text.match(PEM) ?? []).map((pem) => new X509Certificate(pem))
  const isWhole = chain.every((one, place) => {
    const next = chain[place + 1]
    return next === undefined || (one.checkIssued(next) && one.verify(next.publicKey))
  })
  return { isWhole, chain }
}

const listener = async (cert: string, key: string): Promise<Found> => {
  const looked = await Effect.runPromise(Effect.provide(checkTls({ cert, key }), NodeServices.layer))
  if (Result.isFailure(looked))
    return [
      bad(cert, [
        looked.failure.message,
        "A server does not start with it; one that runs keeps the former files.",
        "docs/security.md#tls"
      ])
    ]
  const { certificate } = looked.success
  const { chain, isWhole } = chainOf(await fs.readFile(cert, "utf8"))
  const names = certificate.subjectAltName ?? certificate.subject
  const [first, ...others] = chain
  const isAlone = others.length === 0 && first !== undefined && !first.checkIssued(first)
  return [
    ...endOf(cert, certificate, `, its key matches, for ${names}`),
    ...others.flatMap((one) => endOf(`${cert}, ${one.subject.replaceAll("\n", ", ")}`, one)),
    ...(isWhole
      ? []
      : [
          bad(cert, [
            "the certificates of its chain do not sign each other",
            "Clients refuse it.",
            "Put the certificate first, then each that signed it."
          ])
        ]),
    ...(isAlone ? [good(cert, "holds no chain: clients must know the authority that signed it")] : [])
  ]
}

const certificates = ({ settings }: Place): ReadonlyArray<Question> => {
  if (settings === null) return []
  const { CAFILE, TLS_CERT, TLS_KEY } = settings
  const own =
    Option.isSome(TLS_CERT) && Option.isSome(TLS_KEY)
      ? [question("certificate", TLS_CERT.value, SECONDS, () => listener(TLS_CERT.value, TLS_KEY.value))]
      : []
  const authority = question("certificate", CAFILE, SECONDS, async () => {
    const isThere = await fs.stat(CAFILE).then(
      (found) => found.isFile(),
      () => false
    )
    return isThere ? endOf(CAFILE, new X509Certificate(await fs.readFile(CAFILE))) : []
  })
  return [...own, authority]
}

/** The advice that git prints at the end of every failure with a remote. */
const ADVICE = /^(?:Please make sure you have the correct access rights|and the repository exists\.)/

const lastOf = (text: string): string =>
  text
    .split("\n")
    .filter((line) => line.trim() !== "" && !ADVICE.test(line))
    .slice(-2)
    .join(" ")
    .slice(0, 300)

/** Whether a remote of git answers. Its address is shown without a password. */
const remote = (variable: string, given: string): Question => {
  const parsed = parseGitAddress(given)
  if (Result.isFailure(parsed))
    return question("git", variable, SECONDS, async () => [
      bad(variable, [parsed.failure.message, "Nothing can be fetched from it.", "Mend the setting."])
    ])
  const address = parsed.success
  const listed = runGit(["ls-remote", "--quiet", "origin", "HEAD"], {
    // in this spelling git's messages about its working directory read like those about the local copy
    directory: `${tmpdir()}${path.sep}.`,
    address,
    timeout: Duration.seconds(SECONDS - 2)
  })
  return {
    kind: "git",
    about: variable,
    seconds: SECONDS,
    ask: Effect.match(listed, {
      onSuccess: () => [good(variable, `${address.shown} answers`)],
      onFailure: ({ message }) => [
        bad(variable, [
          `${address.shown} does not answer: ${lastOf(message)}`,
          "Commits are not fetched; what is in force stays in force.",
          "Try it by hand as the server's user: git ls-remote"
        ])
      ]
    })
  }
}

/** The other system's clock by a header of its answer; the way takes up to a second. */
const remoteClock = (url: URL): Question =>
  question("clock", url.host, SECONDS, async () => {
    const answer = await fetch(url.origin, { method: "HEAD" }).catch(() => null)
    const date = Date.parse(answer?.headers.get("date") ?? "")
    if (Number.isNaN(date)) return []
    const skew = Math.round((date - Date.now()) / 1000)
    const what = `the clock of ${url.host} is ${Math.abs(skew)} seconds ${skew > 0 ? "before" : "behind"} that of this machine`
    return Math.abs(skew) <= 5
      ? [good("clock", `${url.host} has the same time`)]
      : [
          warn("clock", [
            what,
            "Tokens, certificates and timers depend on clocks.",
            "Let this machine be set by a time server (timedatectl)."
          ])
        ]
  })

/** A commit with a time in the future shows that our clock, or its author's, is wrong. */
const commitClock = (copy: string): Question =>
  question("clock", "commits", SECONDS, async () => {
    const { stdout } = await promisify(execFile)("git", ["-C", copy, "log", "--all", "-1", "--format=%ct"], {
      timeout: (SECONDS - 2) * 1000,
      killSignal: "SIGKILL",
      env: childEnvironment(process.env, { network: false })
    }).catch(() => ({ stdout: "" }))
    const skew = Number(stdout.trim()) - Date.now() / 1000
    if (stdout.trim() === "" || skew < 300) return []
    return [
      warn("clock", [
        `the newest commit of ${path.basename(copy)} is ${Math.round(skew / 60)} minutes in the future`,
        "The clock of this machine, or of the commit's author, is wrong.",
        "Let this machine be set by a time server (timedatectl)."
      ])
    ]
  })

const urlOf = (text: string): URL | null => (URL.canParse(text) ? new URL(text) : null)

interface Target {
  readonly host: string
  readonly port: number
  readonly isTls: boolean
}

const PORTS: Readonly<Record<string, number>> = { "https:": 443, "http:": 80, "tls:": 6514, "tcp:": 514 }

/** The host of an address, without the brackets of IPv6. */
const bareHost = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, "")

/** The address of a receiver, without any part that may be secret; null if a connection would prove nothing. */
export const targetOf = (receiver: Receiver, secrets: ReadonlyMap<string, string>): Target | null => {
  if (receiver.type === "email") return { host: receiver.host, port: receiver.port, isTls: receiver.tls === "tls" }
  const secret = "address" in receiver ? receiver.address.urlSecret : undefined
  const text =
    receiver.type === "syslog"
      ? receiver.target
      : (receiver.address.url ?? (secret === undefined ? "" : (secrets.get(`ALERT_SECRET_${secret}`) ?? "")))
  const url = urlOf(text)
  const port = url === null ? undefined : Number(url.port) || PORTS[url.protocol]
  if (url === null || port === undefined) return null
  return {
    host: bareHost(url),
    port,
    isTls: url.protocol === "https:" || url.protocol === "tls:"
  }
}

const connected = ({ host, isTls, port }: Target) =>
  new Promise<string | null>((resolve) => {
    const socket = isTls
      ? tls.connect({ host, port, ...(net.isIP(host) === 0 ? { servername: host } : {}) })
      : net.connect({ host, port })
    const end = (problem: string | null) => {
      socket.destroy()
      resolve(problem)
    }
    socket.once(isTls ? "secureConnect" : "connect", () => end(null))
    socket.once("error", (error) => end(ownFault(error, "connection")?.message ?? error.message))
    socket.setTimeout((SECONDS - 3) * 1000, () => end("no answer in time"))
  })

const receiverQuestion = (name: string, target: Target): Question =>
  question("receiver", name, SECONDS, async () => {
    const problem = await connected(target)
    const where = `${target.host}:${target.port}`
    return problem === null
      ? [good(name, `${where} takes connections`)]
      : [
          warn(name, [
            `${where} cannot be reached: ${problem}`,
            "Messages wait, and are given up after ALERT_RETRY_HOURS.",
            "switchyard alerts test NAME, once the server runs"
          ])
        ]
  })

/** Receivers of `alerts.yml` in DATA_DIR, and the syslog of the audit. The server tests those of the settings repository. */
const receivers = async ({ dataDir, settings }: Place): Promise<ReadonlyArray<Question>> => {
  if (settings === null) return []
  const file = path.join(dataDir, ALERTS_FILE)
  const isThere = await fs.stat(file).then(
    (found) => found.isFile(),
    () => false
  )
  const rules = isThere ? readAlertsText(ALERTS_FILE, await fs.readFile(file, "utf8")) : null
  const secrets = new Map([...settings.alertSecrets].map(([name, value]) => [name, Redacted.value(value)]))
  const found = rules === null || Result.isFailure(rules) ? [] : rules.success.receivers
  const named = found.flatMap((receiver) => {
    const target = targetOf(receiver, secrets)
    return target === null ? [] : [receiverQuestion(`receiver ${receiver.name}`, target)]
  })
  const audit = Option.match(settings.AUDIT_SYSLOG, { onNone: () => null, onSome: urlOf })
  const port = audit === null ? undefined : Number(audit.port) || PORTS[audit.protocol]
  const syslog =
    audit === null || port === undefined
      ? []
      : [receiverQuestion("AUDIT_SYSLOG", { host: audit.hostname, port, isTls: audit.protocol === "tls:" })]
  const wrong =
    rules !== null && Result.isFailure(rules)
      ? [
          question("receiver", file, SECONDS, async () => [
            bad(file, [rules.failure.message, "The former rules stay in force.", "docs/alerts.md#the-file"])
          ])
        ]
      : []
  return [...wrong, ...named, ...syslog]
}

const EVERYWHERE = /^(?:0\.0\.0\.0|::)$/

/** The address on which the server of this place listens. */
export const serverOf = ({ settings }: Place): string => {
  const given = process.env["SWITCHYARD_URL"]
  if (given || settings === null) return serverUrl(given || undefined)
  const { HOST, PORT } = settings
  const host = EVERYWHERE.test(HOST) ? "127.0.0.1" : net.isIPv6(HOST) ? `[${HOST}]` : HOST
  return `http://${host}:${PORT}`
}

/** The monitoring systems of checks get a connection alone: only the server knows the secrets that its database has for them. */
const checkHosts = ({ settings }: Place): ReadonlyArray<Question> =>
  (settings?.CHECK_HOSTS ?? []).map(({ origin }) =>
    question("check", origin, SECONDS, async () => {
      const url = new URL(origin)
      const isTls = url.protocol === "https:"
      const problem = await connected({ host: bareHost(url), port: Number(url.port) || (isTls ? 443 : 80), isTls })
      return problem === null
        ? [good(origin, "takes connections")]
        : [
            warn(origin, [
              `it cannot be reached: ${problem}`,
              "Checks that ask it are unknown, and take changes back.",
              "docs/checks.md#a-question-to-a-monitoring-system"
            ])
          ]
    })
  )

/** Questions to other systems. */
export const outsideQuestions = async (place: Place): Promise<ReadonlyArray<Question>> => {
  const { settings } = place
  const url = serverOf(place)
  const repositories =
    settings === null
      ? []
      : (["GITREPO_SETTINGS", "GITREPO_TEMPLATES"] as const).flatMap((name) =>
          Option.match(settings[name], { onNone: () => [], onSome: (given) => [[name, given] as const] })
        )
  const hosts = new Map(
    repositories.flatMap(([, given]) => {
      const found = urlOf(given)
      return found !== null && /^https?:$/.test(found.protocol) ? [[found.host, found] as const] : []
    })
  )
  return [
    question("server", url, SECONDS, () => health(url)),
    ...certificates(place),
    ...repositories.map(([name, given]) => remote(name, given)),
    ...[...hosts.values()].map(remoteClock),
    ...["settings", "templates"].map((name) => commitClock(path.join(place.dataDir, "repositories", name))),
    ...(await receivers(place)),
    ...checkHosts(place)
  ]
}
