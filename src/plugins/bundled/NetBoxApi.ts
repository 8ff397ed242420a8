/** The REST API of NetBox 4 as the plugin needs it: objects found by filters over all pages, created and changed. */
import * as HttpJson from "./HttpJson.ts"

/** An object of NetBox; its other fields are read where they are needed. */
export interface NetBoxObject {
  readonly id: number
  readonly [field: string]: unknown
}

type Fields = Readonly<Record<string, unknown>>

export interface NetBoxApi {
  /** Every object that the filters leave, of all pages. `place` as `dcim/sites`. */
  readonly list: (place: string, filters: Readonly<Record<string, string>>) => Promise<ReadonlyArray<NetBoxObject>>
  /** The only such object; undefined when there is none. Throws when there are several. */
  readonly find: (place: string, filters: Readonly<Record<string, string>>) => Promise<NetBoxObject | undefined>
  readonly create: (place: string, fields: Fields) => Promise<NetBoxObject>
  readonly change: (place: string, id: number, fields: Fields) => Promise<NetBoxObject>
  readonly remove: (place: string, id: number) => Promise<void>
}

const OK = 200
const CREATED = 201
const NO_CONTENT = 204
const NOT_FOUND = 404

const PAGE = "100"
/** More pages than a filter of ours can leave. */
const MOST_PAGES = 100

const isObject = (value: unknown): value is NetBoxObject => HttpJson.isRecord(value) && typeof value["id"] === "number"

const objectOf = (json: unknown): NetBoxObject => {
  if (isObject(json)) return json
  throw new Error("NetBox's answer is no object")
}

/** A page of a list: its objects, and where the next one is. */
const pageOf = (json: unknown): { readonly results: ReadonlyArray<NetBoxObject>; readonly next: string | null } => {
  if (!HttpJson.isRecord(json) || !Array.isArray(json["results"])) throw new Error("NetBox's answer is no list")
  return { results: json["results"].filter(isObject), next: typeof json["next"] === "string" ? json["next"] : null }
}

/** Tokens of version 2 (NetBox 4.5 and newer) begin with `nbt_` and are sent in another way. */
const authorization = (token: string) => (token.startsWith("nbt_") ? `Bearer ${token}` : `Token ${token}`)

/** The API of the server at this address, for one call of the plugin. */
export const make = (base: string, token: string, signal: AbortSignal): NetBoxApi => {
  const headers = { authorization: authorization(token) }
  const urlOf = (place: string, id?: number) => `${base}/api/${place}/${id === undefined ? "" : `${id}/`}`

  /** NetBox writes the next page with the address that it takes for its own, which a proxy may have changed: only its query counts. */
  const follow = (url: string, next: string) => {
    const query = URL.canParse(next) ? new URL(next).search : ""
    return query === "" ? null : url + query
  }

  const list: NetBoxApi["list"] = async (place, filters) => {
    const first = urlOf(place)
    const found: Array<NetBoxObject> = []
    let url: string | null = `${first}?${new URLSearchParams({ ...filters, limit: PAGE }).toString()}`
    for (let page = 0; url !== null && page < MOST_PAGES; page++) {
      const { json } = await HttpJson.ask({ method: "GET", url, headers, signal }, [OK])
      const { next, results } = pageOf(json)
      found.push(...results)
      url = next === null ? null : follow(first, next)
    }
    return found
  }

  return {
    list,
    find: async (place, filters) => {
      const [one, other] = await list(place, filters)
      if (other === undefined) return one
      throw new Error(`NetBox has several ${place} with ${new URLSearchParams(filters).toString()}`)
    },
    create: async (place, body) =>
      objectOf((await HttpJson.ask({ method: "POST", url: urlOf(place), headers, body, signal }, [CREATED])).json),
    change: async (place, id, body) =>
      objectOf((await HttpJson.ask({ method: "PATCH", url: urlOf(place, id), headers, body, signal }, [OK])).json),
    remove: async (place, id) =>
      void (await HttpJson.ask({ method: "DELETE", url: urlOf(place, id), headers, signal }, [NO_CONTENT, NOT_FOUND]))
  }
}
