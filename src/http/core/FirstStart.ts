/**
 * The first start (docs/installing.md#first-start): whether the installation is new, the one-time code of the setup page on loopback, and
 * the text on the screen, which names the next steps and the exposure until then.
 */
import { Console, Context, Effect, Layer, Option } from "effect"
import { HttpServer } from "effect/http"
import { randomBytes } from "node:crypto"
import { release } from "../../domain/Release.ts"
import { ServerConfig, type ServerSettings } from "../../ServerConfig.ts"
import { isLoopback } from "./Client.ts"
import { failingWithoutDatabase } from "../../store/DatabaseClient.ts"
import { PersonStore } from "../../store/AccountStore.ts"

export const SETUP_PATH = "/setup"

/** No letters and digits that look alike. */
const LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
const CODE_LENGTH = 16

const makeCode = (): string => [...randomBytes(CODE_LENGTH)].map((byte) => LETTERS[byte % LETTERS.length]).join("")

/** The code in its displayed form: `ABCD-EFGH-JKLM-NPQR`. */
const shownCode = (code: string): string => (code.match(/.{4}/g) ?? []).join("-")

/** The code as the user typed it. */
export const typedCode = (text: string): string => text.toUpperCase().replaceAll(/[\s-]/g, "")

/** Whether these settings need a first user with a password, without whom no caller has access. */
const mayBegin = ({ JWT_ENABLED, LOCAL_USERS, OIDC_ENABLED, PERMISSIONS_DISABLED, SECURE_DEFAULTS }: ServerSettings) =>
  SECURE_DEFAULTS && JWT_ENABLED && LOCAL_USERS && !OIDC_ENABLED && !PERMISSIONS_DISABLED

const make = Effect.gen(function* () {
  const config = yield* ServerConfig
  const { localUsers: users } = yield* PersonStore
  // once a user exists the database is not asked again
  let isDone = !mayBegin(config)
  const isOpen = Effect.suspend(() =>
    isDone
      ? Effect.succeed(false)
      : failingWithoutDatabase(users.all).pipe(
          Effect.map((all) => {
            isDone = all.length > 0
            return !isDone
          }),
          // if the database is unavailable, the page stays closed
          Effect.catchTag("SqlError", () => Effect.succeed(false))
        )
  )
  return FirstStart.of({ isOpen, code: makeCode() })
})

/** The state of the first start. */
export class FirstStart extends Context.Service<
  FirstStart,
  {
    /** Whether the installation is new and there is no user. */
    readonly isOpen: Effect.Effect<boolean>
    /** The code that the page requires; it is shown in the terminal or the log. */
    readonly code: string
  }
>()("switchyard/http/FirstStart") {
  static readonly layer = Layer.effect(FirstStart, make).pipe(Layer.provide(PersonStore.layer))
}

const named = (name: string, value: string) => `  ${name.padEnd(22)} ${value}`

/** The listeners, for the screen. */
const whoReaches = (host: string): string => (isLoopback(host) ? "this machine only" : "EVERYBODY WHO REACHES IT")

const listeners = (config: ServerSettings, url: string): ReadonlyArray<string> => [
  named(url, `the page and the API, ${whoReaches(config.HOST)}; every call but health needs a token`),
  ...(Option.isSome(config.TLS_CERT)
    ? [named(`https port ${config.TLS_PORT}`, `the same with TLS, ${whoReaches(config.TLS_HOST)}`)]
    : []),
  ...Option.match(config.ZTP_HTTP_PORT, {
    onNone: () => [],
    onSome: (port) => [
      named(`http port ${port}`, `boot files and firmware for switches, ${whoReaches(config.ZTP_HTTP_HOST)}`)
    ]
  }),
  ...Option.match(config.CLUSTER_HOST, {
    onNone: () => [],
    onSome: () => [named(`port ${config.CLUSTER_PORT}`, "between replicas")]
  }),
  ...(Option.isNone(config.DATABASE_URL)
    ? [named("database", "embedded: this machine only, with a password of its own")]
    : [])
]

/** A command with the settings of this server. */
const command = ({ DATA_DIR }: ServerSettings): string =>
  `${DATA_DIR === "data" ? "" : `DATA_DIR=${DATA_DIR} `}switchyard setup`

/** The screen for the operator who has started the server. */
const screenOf = (config: ServerSettings, url: string, code: string): string => `
Switchyard ${release} runs. It is new: nobody may do anything yet.

Set it up, either way:
  in a terminal        ${command(config)}
                       (bin/switchyard in a clone; with the same settings as this server)
  in a browser here    ${url}${SETUP_PATH}   code ${shownCode(code)}

What is exposed now:
${listeners(config, url).join("\n")}
${named("users, tokens", "none by default. Give roles to each user and token")}
${named(
  "host keys",
  config.HOST_KEY_POLICY === "approve"
    ? "approve: a switch is logged in to when somebody has approved its host key"
    : "first-use: the first host key that a switch shows is believed"
)}
${named(
  "device networks",
  config.MANAGEMENT_NETWORKS === "" ? "none named: no switch is logged in to" : config.MANAGEMENT_NETWORKS
)}
${named(
  "hosts of images",
  Option.match(config.OUTBOUND_HOSTS, {
    onNone: () => "none named: callers have images fetched from nowhere",
    onSome: (hosts) => hosts.join(", ") || "none"
  })
)}
${named(
  "repositories",
  Option.isSome(config.GITREPO_SETTINGS) && Option.isSome(config.GITREPO_TEMPLATES)
    ? "settings and templates"
    : "not yet"
)}

The manual: docs/installing.md
`

/** Shows the screen once the server listens, until it is set up. JSON logs get it as one message. */
export const FirstScreen = Layer.effectDiscard(
  Effect.gen(function* () {
    const { code, isOpen } = yield* FirstStart
    if (!(yield* isOpen)) return
    const config = yield* ServerConfig
    const { address } = yield* HttpServer.HttpServer
    const port = "port" in address ? address.port : config.PORT
    const host = isLoopback(config.HOST) ? config.HOST : "127.0.0.1"
    const text = screenOf(config, `http://${host.includes(":") ? `[${host}]` : host}:${port}`, code)
    yield* config.LOG_FORMAT === "json" ? Effect.logWarning(text) : Console.log(text)
  })
)
