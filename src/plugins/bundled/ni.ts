/**
 * Plugin `ni`: sets a switch that became MANAGED in service in a network inventory (docs/plugins.md#nav-and-ni). Variables: urlbase,
 * apiuser, apitoken.
 */
import type { MakePlugin, Plugin } from "../PluginModule.ts"
import * as HttpJson from "./HttpJson.ts"
import { text } from "./HttpJson.ts"

const OK = 200
const NO_CONTENT = 204

const addresses = (known: unknown, address: string): ReadonlyArray<unknown> =>
  Array.isArray(known) ? [address, ...known.filter((other) => other !== address)] : [address]

const objectsIn = (json: unknown): ReadonlyArray<Readonly<Record<string, unknown>>> => {
  const objects = HttpJson.isRecord(json) ? json["objects"] : undefined
  if (!Array.isArray(objects)) throw new Error("the answer is not what was expected")
  return objects.filter(HttpJson.isRecord)
}

const make: MakePlugin = ({ vars }): Plugin => {
  const [urlbase, apiuser, apitoken] = [
    text(vars, "urlbase", ""),
    text(vars, "apiuser", ""),
    text(vars, "apitoken", "")
  ]
  const headers = { authorization: `ApiKey ${apiuser}:${apitoken}` }
  return {
    selftest: () => urlbase !== "" && apiuser !== "" && apitoken !== "",
    new_managed_device: async ({ hostname, management_ip }, { signal }) => {
      const { json } = await HttpJson.ask({ method: "GET", url: urlbase, headers, signal }, [OK])
      const found = objectsIn(json).find((object) => object["node_name"] === hostname)
      const handle = found?.["handle_id"]
      if (typeof handle !== "string" && typeof handle !== "number") throw new Error(`no node is named ${hostname}`)
      const known = HttpJson.isRecord(found?.["node"]) ? found["node"] : {}
      const ip_addresses = addresses(known["ip_addresses"], management_ip)
      const body = { ...found, node: { ...known, operational_state: "In service", ip_addresses } }
      await HttpJson.ask({ method: "PUT", url: `${urlbase}${handle}/`, headers, body, signal }, [NO_CONTENT])
    }
  }
}

export default make
