/**
 * Plugin `netbox`: keeps switches in NetBox 4 (docs/plugins.md#netbox): the device with its type, role, site, platform, serial number and
 * tags, its management interface, and its address as the primary one. It changes existing objects only where they differ, so that a
 * repeated call does nothing. Variables: url, token, site, role, roles, platform, status, tags, interface, interface_type, create_missing,
 * version_field, on_removal.
 */
import { isIPv6 } from "node:net"
import type { MakePlugin, NewManagedDevice, Plugin } from "../PluginModule.ts"
import * as HttpJson from "./HttpJson.ts"
import { address, flag, HttpProblem, isRecord, oneOf, table, text, texts } from "./HttpJson.ts"

// The REST API of NetBox 4 as the plugin needs it: objects found by filters over all pages, created and changed.

/** An object of NetBox; code that needs its other fields reads them. */
interface NetBoxObject {
  readonly id: number
  readonly [field: string]: unknown
}

type Fields = Readonly<Record<string, unknown>>

interface NetBoxApi {
  /** Every object that matches the filters, from all pages. `place` has the form `dcim/sites`. */
  readonly list: (place: string, filters: Readonly<Record<string, string>>) => Promise<ReadonlyArray<NetBoxObject>>
  /** The only such object; undefined if there is none. Throws if there are several. */
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
/** More pages than any of our filters can leave. */
const MOST_PAGES = 100

const isObject = (value: unknown): value is NetBoxObject => HttpJson.isRecord(value) && typeof value["id"] === "number"

const objectOf = (json: unknown): NetBoxObject => {
  if (isObject(json)) return json
  throw new Error("NetBox's answer is no object")
}

/** A page of a list: its objects, and the address of the next page. */
const pageOf = (json: unknown): { readonly results: ReadonlyArray<NetBoxObject>; readonly next: string | null } => {
  if (!HttpJson.isRecord(json) || !Array.isArray(json["results"])) throw new Error("NetBox's answer is no list")
  return { results: json["results"].filter(isObject), next: typeof json["next"] === "string" ? json["next"] : null }
}

/** Tokens of version 2 (NetBox 4.5 and newer) begin with `nbt_` and are sent in another way. */
const authorization = (token: string) => (token.startsWith("nbt_") ? `Bearer ${token}` : `Token ${token}`)

/** The API of the server at this address, for one call of the plugin. */
const makeApi = (base: string, token: string, signal: AbortSignal): NetBoxApi => {
  const headers = { authorization: authorization(token) }
  const urlOf = (place: string, id?: number) => `${base}/api/${place}/${id === undefined ? "" : `${id}/`}`

  /**
   * NetBox builds the next page's address from the address that it believes to have, which a proxy may have changed: only its query is
   * used.
   */
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

const BAD_REQUEST = 400
const GREY = "9e9e9e"

/** A slug in NetBox's way. */
const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9_.\s-]/g, "")
    .replaceAll(/[\s.]+/g, "-")
    .slice(0, 100)

/** The id of a related object, or the value of a choice, in an answer. */
const idIn = (value: unknown): unknown => (isRecord(value) ? (value["id"] ?? value["value"]) : value)

const slugsIn = (tags: unknown): ReadonlyArray<string> =>
  Array.isArray(tags)
    ? tags.flatMap((tag) => (isRecord(tag) && typeof tag["slug"] === "string" ? [tag["slug"]] : []))
    : []

const settingsOf = (vars: Readonly<Record<string, unknown>>) => ({
  url: address(vars, "url"),
  token: text(vars, "token"),
  site: text(vars, "site"),
  role: text(vars, "role", "switch"),
  roles: table(vars, "roles"),
  platform: text(vars, "platform", ""),
  status: text(vars, "status", "active"),
  tags: texts(vars, "tags", []),
  interface: text(vars, "interface", "Management"),
  interfaceType: text(vars, "interface_type", "virtual"),
  createMissing: flag(vars, "create_missing", false),
  versionField: text(vars, "version_field", ""),
  onRemoval: oneOf(vars, "on_removal", ["decommission", "keep", "delete"])
})
type Settings = ReturnType<typeof settingsOf>

/** Finds an object by slug, and creates it if that is allowed. */
const named = async (api: NetBoxApi, { createMissing }: Settings, place: string, name: string, fields: object = {}) => {
  const slug = slugOf(name)
  const found = await api.find(place, { slug })
  if (found !== undefined) return found
  if (!createMissing) throw new Error(`NetBox has no ${place} with the slug ${slug}, and create_missing is not set`)
  return api.create(place, { name, slug, ...fields })
}

const typeOf = async (api: NetBoxApi, settings: Settings, { model, vendor }: NewManagedDevice) => {
  const manufacturer = await named(api, settings, "dcim/manufacturers", vendor)
  const found = await api.find("dcim/device-types", { manufacturer_id: String(manufacturer.id), model })
  if (found !== undefined) return found
  if (!settings.createMissing) {
    throw new Error(`NetBox has no device type ${model} of ${vendor}, and create_missing is not set`)
  }
  return api.create("dcim/device-types", { manufacturer: manufacturer.id, model, slug: slugOf(model) })
}

/** Finds a device by its name at the site, or else by its serial number, because it may have had another name. */
const knownDevice = async (api: NetBoxApi, site: number, { hostname, serial_number }: NewManagedDevice) => {
  const byName = await api.find("dcim/devices", { name__ie: hostname, site_id: String(site) })
  return byName ?? (serial_number === "" ? undefined : await api.find("dcim/devices", { serial: serial_number }))
}

/** The differences from NetBox's object; undefined if there are none. */
const differences = (known: NetBoxObject, wanted: Readonly<Record<string, unknown>>) => {
  const changed = Object.entries(wanted).filter(([name, value]) => idIn(known[name]) !== value)
  return changed.length === 0 ? undefined : Object.fromEntries(changed)
}

const putDevice = async (api: NetBoxApi, settings: Settings, device: NewManagedDevice): Promise<NetBoxObject> => {
  const site = await named(api, settings, "dcim/sites", settings.site, { status: "active" })
  const role = settings.roles[device.device_type] ?? settings.role
  const fields = {
    name: device.hostname,
    site: site.id,
    device_type: (await typeOf(api, settings, device)).id,
    role: (await named(api, settings, "dcim/device-roles", role, { color: GREY })).id,
    status: settings.status,
    serial: device.serial_number,
    ...(settings.platform === ""
      ? {}
      : { platform: (await named(api, settings, "dcim/platforms", settings.platform)).id })
  }
  for (const tag of settings.tags) await named(api, settings, "extras/tags", tag, { color: GREY })
  const custom = settings.versionField === "" ? {} : { custom_fields: { [settings.versionField]: device.os_version } }
  const ours = settings.tags.map(slugOf)

  const update = (known: NetBoxObject) => {
    const before = slugsIn(known["tags"])
    const tags = ours.every((slug) => before.includes(slug))
      ? {}
      : { tags: [...new Set([...before, ...ours])].map((slug) => ({ slug })) }
    const version = isRecord(known["custom_fields"]) ? known["custom_fields"][settings.versionField] : undefined
    const change = {
      ...differences(known, fields),
      ...tags,
      ...(settings.versionField === "" || version === device.os_version ? {} : custom)
    }
    return Object.keys(change).length === 0 ? known : api.change("dcim/devices", known.id, change)
  }

  const known = await knownDevice(api, site.id, device)
  if (known !== undefined) return update(known)
  try {
    return await api.create("dcim/devices", { ...fields, ...custom, tags: ours.map((slug) => ({ slug })) })
  } catch (error) {
    if (!(error instanceof HttpProblem) || error.status !== BAD_REQUEST) throw error
    // another client may have added it in the meantime
    const other = await knownDevice(api, site.id, device)
    if (other === undefined) throw error
    return update(other)
  }
}

const putInterface = async (api: NetBoxApi, settings: Settings, device: number) => {
  const known = await api.find("dcim/interfaces", { device_id: String(device), name: settings.interface })
  const fields = { device, name: settings.interface, type: settings.interfaceType, mgmt_only: true }
  return known ?? api.create("dcim/interfaces", fields)
}

/** The length of the longest prefix that NetBox has around the address; without one the address stands alone. */
const lengthFor = async (api: NetBoxApi, ip: string): Promise<number> => {
  const around = await api.list("ipam/prefixes", { contains: ip })
  const lengths = around.map(({ prefix }) => (typeof prefix === "string" ? Number(prefix.split("/")[1]) : 0))
  return lengths.length === 0 ? (isIPv6(ip) ? 128 : 32) : Math.max(...lengths)
}

const putAddress = async (api: NetBoxApi, ip: string, port: number): Promise<NetBoxObject> => {
  const assigned = { assigned_object_type: "dcim.interface", assigned_object_id: port }
  const known = await api.find("ipam/ip-addresses", { address: ip })
  if (known === undefined) {
    return api.create("ipam/ip-addresses", {
      address: `${ip}/${await lengthFor(api, ip)}`,
      status: "active",
      ...assigned
    })
  }
  const change = differences(known, assigned)
  return change === undefined ? known : api.change("ipam/ip-addresses", known.id, assigned)
}

const make: MakePlugin = ({ log, vars }): Plugin => {
  const settings = settingsOf(vars)
  const open = (signal: AbortSignal) => makeApi(settings.url, settings.token, signal)
  return {
    selftest: async ({ signal }) => {
      await open(signal).list("dcim/sites", { slug: slugOf(settings.site) })
      return true
    },
    new_managed_device: async (device, { signal }) => {
      const api = open(signal)
      const record = await putDevice(api, settings, device)
      const port = await putInterface(api, settings, record.id)
      const ip = await putAddress(api, device.management_ip, port.id)
      const primary = isIPv6(device.management_ip) ? { primary_ip6: ip.id } : { primary_ip4: ip.id }
      if (differences(record, primary) !== undefined) await api.change("dcim/devices", record.id, primary)
      log(`${device.hostname} is device ${record.id} of NetBox`)
    },
    removed_device: async ({ hostname }, { signal }) => {
      if (settings.onRemoval === "keep") return
      const api = open(signal)
      const site = await api.find("dcim/sites", { slug: slugOf(settings.site) })
      if (site === undefined) return
      const known = await api.find("dcim/devices", { name__ie: hostname, site_id: String(site.id) })
      if (known === undefined) return
      if (settings.onRemoval === "delete") await api.remove("dcim/devices", known.id)
      else await api.change("dcim/devices", known.id, { status: "decommissioning" })
    }
  }
}

export default make
