/**
 * Plugin `nav`: adds a switch that became MANAGED to a Network Administration Visualized server (docs/plugins.md#nav-and-ni).
 * Variables: urlbase, apitoken, organizationid, roomid, snmp_community.
 */
import type { MakePlugin, Plugin } from "../PluginModule.ts"
import * as HttpJson from "./HttpJson.ts"
import { text } from "./HttpJson.ts"

const OK = 200
const CREATED = 201
const REFUSED = 400

const make: MakePlugin = ({ vars }): Plugin => {
  const [urlbase, apitoken] = [text(vars, "urlbase", ""), text(vars, "apitoken", "")]
  const url = `${urlbase}/api/1/netbox/`
  const headers = { authorization: `Token ${apitoken}` }
  return {
    selftest: () => urlbase !== "" && apitoken !== "",
    new_managed_device: async ({ hostname, management_ip }, { again, signal }) => {
      const body = {
        ip: management_ip,
        sysname: hostname,
        roomid: text(vars, "roomid", "Undefined"),
        organizationid: text(vars, "organizationid", "Undefined"),
        categoryid: "SW",
        snmp_version: 2,
        read_only: text(vars, "snmp_community", "public")
      }
      const request = { method: "POST", url, headers, body, signal } as const
      const answer = await HttpJson.send(request)
      if (again && answer.status === REFUSED) {
        // an earlier attempt may have added it
        const known = { method: "GET", url: `${url}?ip=${encodeURIComponent(management_ip)}`, headers, signal } as const
        const { json } = await HttpJson.ask(known, [OK])
        if (HttpJson.isRecord(json) && Array.isArray(json["results"]) && json["results"].length > 0) return
      }
      HttpJson.expect(request, answer, [CREATED])
    }
  }
}

export default make
