/**
 * The page of the first start: the questions of `switchyard setup` for a browser on the server's own machine, until the first user exists.
 * It requires the one-time code of the terminal, because through a proxy on this machine every client looks local. For all other clients
 * the page does not exist.
 */
import { Effect, Option, Redacted, Result } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import * as Setup from "../../access/Setup.ts"
import { RequestBodies } from "../core/RequestBodies.ts"
import { failure } from "../core/ErrorEnvelope.ts"
import { hostOf, isLoopback } from "../core/Client.ts"
import { refuseOrDie } from "../core/HandlerErrors.ts"
import { PAGE_BASE } from "../page/WebPages.ts"
import { FirstStart, SETUP_PATH, typedCode } from "../core/FirstStart.ts"
import { unmappedAddress } from "../../domain/access/HostLists.ts"
import { PersonStore } from "../../store/AccountStore.ts"

type Request = HttpServerRequest.HttpServerRequest

/** Headers that proxies add: a client behind a proxy is on another machine. */
const FORWARDED =
  /^(?:forwarded|via|x-forwarded(?:-.*)?|x-real-ip|x-client-ip|x-cluster-client-ip|true-client-ip|cf-.*)$/

const isOwnPage = (origin: string, host: string): boolean => origin === `http://${host}` || origin === `https://${host}`

/**
 * Whether a request comes from a program on this machine: by its connection, by the host name that it uses (a page that binds its own name
 * to our address still sends that name), and by the browser's headers about the sending page.
 */
const isLocal = ({ headers, remoteAddress }: Pick<Request, "headers" | "remoteAddress">): boolean => {
  const address = Option.getOrUndefined(remoteAddress)
  const { host, origin, "sec-fetch-site": site } = headers
  return (
    address !== undefined &&
    isLoopback(unmappedAddress(address)) &&
    host !== undefined &&
    isLoopback(hostOf(host)) &&
    !Object.keys(headers).some((name) => FORWARDED.test(name)) &&
    (origin === undefined || isOwnPage(origin, host)) &&
    (site === undefined || site === "same-origin" || site === "none")
  )
}

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.codePointAt(0) ?? 0};`)

const STYLE = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}body{max-width:42rem;margin:2rem auto;padding:0 1rem}
label{display:block;margin-top:1rem;font-weight:600}small{display:block;font-weight:400}input{font:inherit;width:100%;box-sizing:border-box;padding:.4rem}
input[type=checkbox]{width:auto}button{font:inherit;margin-top:1.5rem;padding:.5rem 1.5rem}[role=alert]{border-left:.3rem solid;padding-left:1rem}code{word-break:break-all}`

const asPage = (title: string, body: string, status = 200) => {
  const nonce = randomBytes(16).toString("base64url")
  const policy = `default-src 'none'; style-src 'nonce-${nonce}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`
  return HttpServerResponse.text(
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
      `<title>${title}</title><style nonce="${nonce}">${STYLE}</style></head><body><main><h1>${title}</h1>${body}</main></body></html>`,
    {
      status,
      contentType: "text/html; charset=utf-8",
      headers: { "content-security-policy": policy, "cache-control": "no-store", "referrer-policy": "same-origin" }
    }
  )
}

interface Field {
  readonly name: string
  readonly label: string
  readonly hint: string
  readonly type?: "password"
  readonly required?: true
  readonly complete?: string
}

const FIELDS: ReadonlyArray<Field> = [
  {
    name: "code",
    label: "Code",
    hint: "The terminal in which the server was started shows it.",
    required: true,
    complete: "off"
  },
  {
    name: "name",
    label: "Name of the first administrator",
    hint: "Such as your own.",
    required: true,
    complete: "username"
  },
  {
    name: "password",
    label: "Password",
    hint: "12 characters or more.",
    type: "password",
    required: true,
    complete: "new-password"
  },
  {
    name: "again",
    label: "The same password again",
    hint: "",
    type: "password",
    required: true,
    complete: "new-password"
  },
  {
    name: "networks",
    label: "Networks in which switches are",
    hint: "Such as 10.0.0.0/8, 2001:db8::/48. No switch is logged in to before they are named."
  },
  {
    name: "settings",
    label: "Address of the settings repository",
    hint: "Such as https://git.example.org/network/settings.git#main. It is asked whether it answers."
  },
  { name: "templates", label: "Address of the templates repository", hint: "" },
  {
    name: "hosts",
    label: "Hosts from which images are fetched and to which alerts go",
    hint: "Such as images.example.org, 10.20.0.0/16. Nothing: no images for callers, and alerts as alerts.yml says."
  }
]

type Sent = ReadonlyMap<string, string>

const input = (field: Field, sent: Sent): string => {
  const value = field.type === "password" || field.name === "code" ? "" : (sent.get(field.name) ?? "")
  const more = [
    field.type === undefined ? "" : ` type="${field.type}"`,
    field.required === true ? " required" : "",
    field.complete === undefined ? "" : ` autocomplete="${field.complete}"`
  ].join("")
  return `<label>${field.label}${field.hint === "" ? "" : `<small>${escaped(field.hint)}</small>`}<input name="${field.name}" value="${escaped(value)}"${more}></label>`
}

const form = (sent: Sent, faults: ReadonlyArray<string>, status?: number) =>
  asPage(
    "Set up Switchyard",
    [
      faults.length === 0
        ? "<p>This installation is new and has no users yet. This page works on this machine only, and disappears once an administrator exists.</p>"
        : `<div role="alert"><ul>${faults.map((fault) => `<li>${escaped(fault)}</li>`).join("")}</ul><p>Nothing was changed.</p></div>`,
      `<form method="post" action="${SETUP_PATH}">`,
      ...FIELDS.map((field) => input(field, sent)),
      `<label><input type="checkbox" name="hook"${sent.has("hook") ? " checked" : ""}> Make a token for the DHCP hook</label>`,
      "<button>Set up</button></form>"
    ].join(""),
    status
  )

const done = ({ hookToken, name, permissions, settings }: Setup.Done) =>
  asPage(
    "Switchyard is set up",
    [
      `<p>${escaped(name)} may do everything.</p>`,
      permissions === null ? "" : `<p>Roles: <code>${escaped(permissions.file)}</code></p>`,
      settings.includes("MANAGEMENT_NETWORKS")
        ? ""
        : "<p>No switch is logged in to yet: set MANAGEMENT_NETWORKS to the networks in which switches are.</p>",
      hookToken === null
        ? ""
        : `<p>Token of the DHCP hook, shown this once: <code>${escaped(Redacted.value(hookToken))}</code></p>`,
      `<p>The server takes the settings over within some seconds. <a href="${PAGE_BASE}">Sign in</a></p>`
    ].join("")
  )

const digest = (text: string) => createHash("sha256").update(text).digest()

const MAX_BYTES = 16 * 1024

const notFound = () => failure(404)

/** Answers GET and POST; 404 for other machines, and once a user exists. */
export const SetupPage = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const first = yield* FirstStart
    const bodies = yield* RequestBodies
    const context = yield* Effect.context<Setup.Needs | PersonStore>()

    const isShown = (request: Request) => (isLocal(request) ? first.isOpen : Effect.succeed(false))

    const show = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      return (yield* isShown(request)) ? form(new Map(), []) : notFound()
    })

    const isRightCode = (sent: string | undefined) => timingSafeEqual(digest(typedCode(sent ?? "")), digest(first.code))

    const setUp = Effect.fnUntraced(function* (sent: Sent) {
      const of = (name: string) => (sent.get(name) ?? "").trim()
      const word = sent.get("password") ?? ""
      const answers: Setup.Answers = {
        name: of("name"),
        password: Redacted.make(word),
        networks: of("networks"),
        settings: of("settings"),
        templates: of("templates"),
        hosts: of("hosts")
      }
      if (word !== sent.get("again"))
        return yield* new Setup.SetupRefused({ reason: "invalid", sentences: ["password: the two differ"] })
      yield* Setup.checkAnswers(answers)
      yield* Setup.checkRepositories(answers)
      const made = yield* Setup.setUp(answers, {
        permissions: true,
        hookToken: sent.has("hook"),
        createdBy: "first start"
      })
      yield* Effect.logWarning("SECURITY: the first administrator was made by the page", { name: made.name })
      yield* made.placeSettings
      return done(made)
    })

    const take = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      if (!(yield* isShown(request))) return notFound()
      const type = request.headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase()
      if (type !== "application/x-www-form-urlencoded") return failure(415)
      const body = yield* Effect.result(bodies.bytes(request, { sender: "anybody", maxBytes: MAX_BYTES }))
      if (Result.isFailure(body)) return failure(400, {}, String(body.failure.message))
      const sent: Sent = new Map(new URLSearchParams(Buffer.from(body.success).toString("utf8")))
      if (!isRightCode(sent.get("code"))) {
        yield* Effect.logWarning("SECURITY: the code of the first start was wrong")
        return form(sent, ["code: it is not the one that the terminal shows"], 403)
      }
      return yield* Effect.catchTags(setUp(sent), {
        SetupRefused: ({ reason, sentences }) =>
          Effect.succeed(reason === "taken" ? failure(409, {}, sentences.join(". ")) : form(sent, sentences, 400)),
        SqlError: refuseOrDie
      })
    })

    yield* router.add("GET", SETUP_PATH, Effect.provideContext(show, context))
    yield* router.add("POST", SETUP_PATH, Effect.provideContext(take, context))
  })
)
