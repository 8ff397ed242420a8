/**
 * The requirements of NetBox 4 for its clients, as an HTTP server: the form of the token, required fields, slugs, related objects, unique
 * names, pages whose addresses are those of another host, and errors in NetBox's own form.
 */
import { Effect } from "effect"
import { type Answered, type Asked, serve } from "./JsonServer.ts"

type Fields = Readonly<Record<string, unknown>>
export type Row = { readonly id: number } & Record<string, unknown>

/** Refused with this answer. */
class Refusal extends Error {
  readonly status: number
  readonly json: unknown
  constructor(status: number, json: unknown) {
    super("refused")
    this.status = status
    this.json = json
  }
}

const refuse = (field: string, sentence: string, status = 400) => {
  throw new Refusal(status, { [field]: [sentence] })
}

interface Place {
  readonly required: ReadonlyArray<string>
  /** Fields that name another object by its id. */
  readonly related: Readonly<Record<string, string>>
  /** Fields that make an object unique, and the sentence for a second one. */
  readonly unique: readonly [fields: ReadonlyArray<string>, field: string, sentence: string]
  readonly choices?: Readonly<Record<string, ReadonlyArray<string>>>
}

const bySlug = (noun: string): Place["unique"] => [["slug"], "slug", `${noun} with this slug already exists.`]

const places: Readonly<Record<string, Place>> = {
  "dcim/sites": { required: ["name", "slug"], related: {}, unique: bySlug("site") },
  "dcim/manufacturers": { required: ["name", "slug"], related: {}, unique: bySlug("manufacturer") },
  "dcim/device-roles": { required: ["name", "slug"], related: {}, unique: bySlug("device role") },
  "dcim/platforms": { required: ["name", "slug"], related: {}, unique: bySlug("platform") },
  "extras/tags": { required: ["name", "slug"], related: {}, unique: bySlug("tag") },
  "dcim/device-types": {
    required: ["manufacturer", "model", "slug"],
    related: { manufacturer: "dcim/manufacturers" },
    unique: [
      ["manufacturer", "model"],
      "__all__",
      "Constraint “dcim_devicetype_unique_manufacturer_model” is violated."
    ]
  },
  "dcim/devices": {
    required: ["device_type", "role", "site"],
    related: {
      device_type: "dcim/device-types",
      role: "dcim/device-roles",
      site: "dcim/sites",
      platform: "dcim/platforms",
      primary_ip4: "ipam/ip-addresses"
    },
    unique: [["site", "name"], "__all__", "Constraint “dcim_device_unique_name_site” is violated."],
    choices: { status: ["offline", "active", "planned", "staged", "failed", "inventory", "decommissioning"] }
  },
  "dcim/interfaces": {
    required: ["device", "name", "type"],
    related: { device: "dcim/devices" },
    unique: [["device", "name"], "__all__", "Constraint “dcim_interface_unique_device_name” is violated."],
    choices: { type: ["virtual", "1000base-t"] }
  },
  "ipam/prefixes": { required: ["prefix"], related: {}, unique: [["prefix"], "prefix", "Duplicate prefix found"] },
  "ipam/ip-addresses": {
    required: ["address"],
    related: {},
    unique: [["address"], "address", "Duplicate IP address found in global table"]
  }
}

/** Smaller than any page that is asked for. */
const PAGE = 2

const lower = (value: unknown) => (typeof value === "string" ? value.toLowerCase() : value)

const number = (address: string) => address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0)

const contains = (prefix: string, address: string) => {
  const [network = "", length = "0"] = prefix.split("/")
  const size = 2 ** (32 - Number(length))
  return Math.floor(number(network) / size) === Math.floor(number(address) / size)
}

/** A NetBox with these tokens and objects. `beforeCreate` is another client's action while a request is under way. */
export const make = Effect.fnUntraced(function* (token: string) {
  const tables = new Map<string, Array<Row>>(Object.keys(places).map((place) => [place, []]))
  const tableOf = (place: string) => tables.get(place) ?? []
  let last = 0
  let beforeCreate = (_place: string): void => undefined

  const related = (place: string, id: unknown) => tableOf(place).find((row) => row.id === id)

  const check = (place: string, row: Fields) => {
    const rules = places[place]
    if (rules === undefined) throw new Refusal(404, { detail: "Not found." })
    for (const field of rules.required) if (row[field] === undefined) refuse(field, "This field is required.")
    if (typeof row["slug"] === "string" && !/^[-a-zA-Z0-9_]+$/.test(row["slug"])) {
      refuse("slug", "Enter a valid “slug” consisting of letters, numbers, underscores or hyphens.")
    }
    for (const [field, other] of Object.entries(rules.related)) {
      if (row[field] === undefined || row[field] === null) continue
      if (typeof row[field] !== "number") {
        refuse(field, `Related objects must be referenced by numeric ID or by dictionary of attributes.`)
      }
      if (related(other, row[field]) === undefined) {
        refuse(field, `Related object not found using the provided numeric ID: ${String(row[field])}`)
      }
    }
    for (const [field, values] of Object.entries(rules.choices ?? {})) {
      if (row[field] !== undefined && !values.includes(String(row[field]))) {
        refuse(field, `"${String(row[field])}" is not a valid choice.`)
      }
    }
    const [fields, where, sentence] = rules.unique
    const twin = tableOf(place).find(
      (one) => one.id !== row["id"] && fields.every((f) => lower(one[f]) === lower(row[f]))
    )
    if (twin !== undefined) refuse(where, sentence)
    if (place === "ipam/ip-addresses" && !/^[\d.]+\/\d+$/.test(String(row["address"]))) {
      refuse("address", "Enter a valid IPv4 or IPv6 address with optional mask.")
    }
    for (const tag of Array.isArray(row["tags"]) ? row["tags"] : []) {
      if (!tableOf("extras/tags").some((known) => known["slug"] === tag.slug)) {
        refuse("tags", `Related object not found using the provided attributes: {'slug': '${tag.slug}'}`)
      }
    }
    const primary = related("ipam/ip-addresses", row["primary_ip4"])
    if (place === "dcim/devices" && primary !== undefined) {
      const port = related("dcim/interfaces", primary["assigned_object_id"])
      if (port?.["device"] !== row["id"]) {
        refuse(
          "primary_ip4",
          `The specified IP address (${String(primary["address"])}) is not assigned to this device.`
        )
      }
    }
  }

  /** As an answer shows it: related objects and choices are objects. */
  const shown = (place: string, row: Row): Fields =>
    Object.fromEntries(
      Object.entries(row).map(([field, value]) => {
        const other = places[place]?.related[field]
        if (other !== undefined && value !== null) return [field, { ...related(other, value) }]
        if (places[place]?.choices?.[field] !== undefined) return [field, { value, label: String(value) }]
        return [field, value]
      })
    )

  const matches = (place: string, row: Row, filter: string, value: string): boolean => {
    if (filter === "name__ie") return lower(row["name"]) === value.toLowerCase()
    if (filter === "contains") return contains(String(row["prefix"]), value)
    if (place === "ipam/ip-addresses" && filter === "address") return String(row["address"]).split("/")[0] === value
    if (["slug", "name", "model", "serial"].includes(filter)) return row[filter] === value
    const field = filter.replace(/_id$/, "")
    if (places[place]?.choices?.[filter] !== undefined) return row[filter] === value
    const other = places[place]?.related[field]
    if (other === undefined) throw new Refusal(400, { detail: `unknown filter ${filter}` })
    // `site` is the slug of a site, `site_id` its number
    return filter === field ? related(other, row[field])?.["slug"] === value : String(row[field]) === value
  }

  const list = (place: string, { path, query }: Asked): Answered => {
    const filters = [...query].filter(([name]) => name !== "limit" && name !== "offset")
    const found = tableOf(place).filter((row) => filters.every(([name, value]) => matches(place, row, name, value)))
    const from = Number(query.get("offset") ?? 0)
    const rest = new URLSearchParams([...filters, ["limit", String(PAGE)], ["offset", String(from + PAGE)]])
    const next = found.length > from + PAGE ? `http://netbox.internal${path}?${rest.toString()}` : null
    const results = found.slice(from, from + PAGE).map((row) => shown(place, row))
    return { status: 200, json: { count: found.length, next, previous: null, results } }
  }

  const add = (place: string, fields: Fields): Row => {
    check(place, fields)
    const row = { id: ++last, ...fields }
    tableOf(place).push(row)
    return row
  }

  const obey = (asked: Asked): Answered => {
    const authorization = token.startsWith("nbt_") ? `Bearer ${token}` : `Token ${token}`
    if (asked.headers.authorization === undefined) {
      throw new Refusal(403, { detail: "Authentication credentials were not provided." })
    }
    if (asked.headers.authorization !== authorization) throw new Refusal(403, { detail: "Invalid v1 token" })
    const [, place = "", id] = /^\/api\/([\w-]+\/[\w-]+)\/(?:(\d+)\/)?$/.exec(asked.path) ?? []
    if (!(place in places)) throw new Refusal(404, { detail: "Not found." })
    if (asked.method === "GET") return list(place, asked)
    if (asked.method === "DELETE") {
      tables.set(
        place,
        tableOf(place).filter((row) => row.id !== Number(id))
      )
      return { status: 204 }
    }
    if (asked.headers["content-type"] !== "application/json")
      throw new Refusal(415, { detail: "Unsupported media type" })
    const fields: Fields = JSON.parse(asked.text)
    if (asked.method === "POST") {
      beforeCreate(place)
      return { status: 201, json: shown(place, add(place, fields)) }
    }
    const row = related(place, Number(id))
    if (row === undefined) throw new Refusal(404, { detail: "No object matches the given query." })
    check(place, { ...row, ...fields })
    Object.assign(row, fields)
    return { status: 200, json: shown(place, row) }
  }

  const server = yield* serve((asked) => {
    try {
      return obey(asked)
    } catch (error) {
      if (error instanceof Refusal) return { status: error.status, json: error.json }
      return { status: 500, json: { error: String(error), exception: "Exception", netbox_version: "4.4.2" } }
    }
  })
  return {
    ...server,
    add,
    all: (place: string): ReadonlyArray<Row> => tableOf(place),
    /** The writes so far, as `POST /api/dcim/devices/`. */
    writes: () => server.asked.filter(({ method }) => method !== "GET").map(({ method, path }) => `${method} ${path}`),
    onCreate: (hook: (place: string) => void) => {
      beforeCreate = hook
    }
  }
})
