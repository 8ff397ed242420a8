/** The JSON-RPC API of Zabbix 6 and 7: one request each, with the token where the release wants it. */
import * as HttpJson from "./HttpJson.ts"

export interface ZabbixApi {
  /** The result of a method. Throws ZabbixProblem for an error of Zabbix. */
  readonly call: (method: string, params: object) => Promise<unknown>
  /** The same for a `*.get`: objects. */
  readonly get: (method: string, params: object) => Promise<ReadonlyArray<Readonly<Record<string, unknown>>>>
  /** Whether host groups are called so in parameters and answers (6.2 and newer), instead of `groups`. */
  readonly hasHostGroups: boolean
}

/** Zabbix refuses. */
export class ZabbixProblem extends Error {}

const OK = 200

/** Releases from which the token is a header, and from which host groups are told apart from those of templates. */
const HEADER_SINCE: Release = [6, 4]
const HOST_GROUPS_SINCE: Release = [6, 2]

type Release = readonly [major: number, minor: number]

const isSince = ([major, minor]: Release, [wantedMajor, wantedMinor]: Release) =>
  major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)

const textOf = (error: unknown): string => {
  const parts = HttpJson.isRecord(error) ? [error["message"], error["data"]] : []
  return parts.filter((part) => typeof part === "string").join(" ")
}

/** The API behind this address, for one call of the plugin; asks first which release it is. */
export const open = async (address: string, token: string, signal: AbortSignal): Promise<ZabbixApi> => {
  const url = address.endsWith(".php") ? address : `${address}/api_jsonrpc.php`
  let id = 0
  const request = async (
    method: string,
    params: object,
    login: { readonly headers: Record<string, string>; readonly body: object }
  ) => {
    const body = { jsonrpc: "2.0", method, params, ...login.body, id: ++id }
    const headers = { "content-type": "application/json-rpc", ...login.headers }
    const { json } = await HttpJson.ask({ method: "POST", url, headers, body, signal }, [OK])
    if (!HttpJson.isRecord(json)) throw new Error(`${method}: the answer is no JSON of Zabbix`)
    if (json["error"] !== undefined) throw new ZabbixProblem(`${method}: ${textOf(json["error"])}`)
    return json["result"]
  }

  // Zabbix refuses this method when it comes with a token
  const version = await request("apiinfo.version", [], { headers: {}, body: {} })
  const [major = 0, minor = 0] = typeof version === "string" ? version.split(".").map(Number) : []
  const login = isSince([major, minor], HEADER_SINCE)
    ? { headers: { authorization: `Bearer ${token}` }, body: {} }
    : { headers: {}, body: { auth: token } }

  const call: ZabbixApi["call"] = (method, params) => request(method, params, login)
  return {
    call,
    get: async (method, params) => {
      const result = await call(method, params)
      if (!Array.isArray(result)) throw new Error(`${method}: the answer is no list`)
      return result.filter(HttpJson.isRecord)
    },
    hasHostGroups: isSince([major, minor], HOST_GROUPS_SINCE)
  }
}
