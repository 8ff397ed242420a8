/**
 * The few calls of the API that the DHCP hook makes, over plain `node:http`: the hook starts for every lease, so it loads nothing larger. A
 * call is tried again shortly if the server is unreachable; a missing token is reported.
 */
import * as http from "node:http"
import * as https from "node:https"
import { readFile } from "node:fs/promises"
import { setTimeout as sleep } from "node:timers/promises"
import { codeOf } from "../runtime/SystemErrors.ts"

/** The outcome of an API call. `away` means that the same call may succeed later; nothing was refused. */
export type Answer =
  | { readonly kind: "answered"; readonly status: number; readonly body: string }
  | { readonly kind: "away"; readonly reason: string; readonly refused?: true }
  | { readonly kind: "noToken"; readonly reason: string }

export interface HookApi {
  readonly call: (method: "GET" | "POST" | "PUT", path: string, body?: unknown) => Promise<Answer>
}

/** The environment variables of the hook: the address of the API, the login, and the folder of waiting leases. */
export const hookVariables = [
  "SWITCHYARD_URL",
  "VERIFY_TLS",
  "JWT_AUTH_TOKEN",
  "JWT_AUTH_TOKEN_FILE",
  "OAUTH_CLIENT_ID",
  "OAUTH_CLIENT_SECRET",
  "OAUTH_TOKEN_ENDPOINT",
  "DATA_DIR"
] as const

export type HookEnvironment = { readonly [name in (typeof hookVariables)[number]]?: string | undefined }

const DEFAULT_URL = "http://127.0.0.1:5000"
const VERSION_PATH = "/api/v1.0"

/** The time for one request, during which the DHCP server waits. In milliseconds, as all times here. */
const REQUEST_TIMEOUT = 5_000
/** Pauses before the second and the third try. */
const PAUSES = [200, 600]
const MAX_ANSWER = 1_000_000

/** The server answers and accepts no more now: the lease waits, and is not reported again before its time. */
const TOO_MANY = 429

/** Statuses of a server (or the proxy in front of it) that is not ready now. */
const AWAY = new Set([408, 425, TOO_MANY, 500, 502, 503, 504])

interface Request {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly verifyTls: boolean
}

const messageOf = (body: string): string => {
  try {
    const parsed: unknown = JSON.parse(body)
    const message = typeof parsed === "object" && parsed !== null && "message" in parsed ? parsed.message : undefined
    return typeof message === "string" ? `: ${message}` : ""
  } catch {
    return ""
  }
}

const send = ({ body, headers, method, url, verifyTls }: Request): Promise<Answer> =>
  new Promise((resolve) => {
    const away = (reason: string) => resolve({ kind: "away", reason })
    const options = { method, headers, timeout: REQUEST_TIMEOUT, agent: false as const }
    const onAnswer = (response: http.IncomingMessage) => {
      const parts: Array<Buffer> = []
      let size = 0
      response.on("data", (part: Buffer) => {
        size += part.length
        if (size > MAX_ANSWER) response.destroy(new Error("the answer is too long"))
        else parts.push(part)
      })
      response.on("error", (error) => away(error.message))
      response.on("end", () => {
        const status = response.statusCode ?? 0
        const text = Buffer.concat(parts).toString("utf8")
        if (!AWAY.has(status)) resolve({ kind: "answered", status, body: text })
        else if (status !== TOO_MANY) away(`the API answered ${status}`)
        else resolve({ kind: "away", reason: `the API answered ${status}${messageOf(text)}`, refused: true })
      })
    }
    const request =
      url.protocol === "https:"
        ? https.request(url, { ...options, rejectUnauthorized: verifyTls }, onAnswer)
        : http.request(url, options, onAnswer)
    request.on("timeout", () => request.destroy(new Error(`no answer within ${REQUEST_TIMEOUT} ms`)))
    request.on("error", (error) => away(error.message || "the connection failed"))
    request.end(body)
  })

const withRetries = async (request: Request): Promise<Answer> => {
  for (const pause of PAUSES) {
    const answer = await send(request)
    if (answer.kind !== "away" || answer.refused === true) return answer
    await sleep(pause)
  }
  return send(request)
}

const accessTokenOf = (body: string): string | null => {
  try {
    const parsed: unknown = JSON.parse(body)
    const token = typeof parsed === "object" && parsed !== null && "access_token" in parsed ? parsed.access_token : null
    return typeof token === "string" && token !== "" ? token : null
  } catch {
    return null
  }
}

type Token = { readonly token: string | null } | Exclude<Answer, { readonly kind: "answered" }>

const askForToken = async (environment: HookEnvironment, verifyTls: boolean): Promise<Token> => {
  const { OAUTH_CLIENT_ID = "", OAUTH_CLIENT_SECRET = "", OAUTH_TOKEN_ENDPOINT = "" } = environment
  if (OAUTH_CLIENT_ID === "" || OAUTH_TOKEN_ENDPOINT === "") return { token: null }
  if (!URL.canParse(OAUTH_TOKEN_ENDPOINT)) return { kind: "noToken", reason: "OAUTH_TOKEN_ENDPOINT is not a URL" }
  const answer = await withRetries({
    method: "POST",
    url: new URL(OAUTH_TOKEN_ENDPOINT),
    headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
    body: new URLSearchParams({
      grant_type: "client_credentials",
      client_id: OAUTH_CLIENT_ID,
      client_secret: OAUTH_CLIENT_SECRET
    }).toString(),
    verifyTls
  })
  if (answer.kind !== "answered")
    return { kind: "noToken", reason: `the token endpoint does not answer: ${answer.reason}` }
  const token = accessTokenOf(answer.body)
  return token === null ? { kind: "noToken", reason: `the token endpoint answered ${answer.status}` } : { token }
}

/** The address of the API with its version, whether or not the setting includes the version; null if it is no URL. */
export const apiBase = (environment: HookEnvironment): string | null => {
  const text = (environment["SWITCHYARD_URL"] ?? DEFAULT_URL).replace(/\/+$/, "")
  if (!URL.canParse(text)) return null
  return text.endsWith(VERSION_PATH) ? text : `${text}${VERSION_PATH}`
}

/** The token in the file, as containers provide secrets. */
const tokenIn = async (file: string): Promise<Token> => {
  try {
    const token = (await readFile(file, "utf8")).trim()
    return token === "" ? { kind: "noToken", reason: "the file of JWT_AUTH_TOKEN_FILE is empty" } : { token }
  } catch (error) {
    return { kind: "noToken", reason: `the file of JWT_AUTH_TOKEN_FILE cannot be read (${codeOf(error) ?? "unknown"})` }
  }
}

/**
 * The API as the environment describes it: SWITCHYARD_URL, VERIFY_TLS, and JWT_AUTH_TOKEN, JWT_AUTH_TOKEN_FILE or the OAuth client credentials.
 * Without either the calls carry no token, which a server without authentication accepts.
 */
export const makeHookApi = (environment: HookEnvironment, base: string): HookApi => {
  const verifyTls = !["false", "0", "no", "off"].includes((environment["VERIFY_TLS"] ?? "true").toLowerCase())
  const given = environment["JWT_AUTH_TOKEN"] ?? ""
  const file = environment["JWT_AUTH_TOKEN_FILE"] ?? ""
  const own = (): Promise<Token> | null => (file === "" ? null : tokenIn(file))
  let known: Promise<Token> | null = given === "" ? own() : Promise.resolve({ token: given })
  return {
    call: async (method, path, body) => {
      known ??= askForToken(environment, verifyTls)
      const found = await known
      if ("kind" in found) return found
      const answer = await withRetries({
        method,
        url: new URL(`${base}${path}`),
        headers: {
          accept: "application/json",
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...(found.token === null ? {} : { authorization: `Bearer ${found.token}` })
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        verifyTls
      })
      return answer.kind === "answered" && answer.status === 401
        ? { kind: "noToken", reason: found.token === null ? "the API demands a token" : "the API refused the token" }
        : answer
    }
  }
}
