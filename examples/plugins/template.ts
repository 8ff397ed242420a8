/**
 * A plugin to begin with: it tells another system of each event as JSON. Copy it to PLUGIN_FOLDER under a name of its own, take the hooks
 * that you need, and list it in PLUGIN_FILE:
 *
 *   plugins:
 *     - filename: template.ts
 *       vars:
 *         url: https://inventory.example.org/events
 *         apitoken_secret: INVENTORY # the value of PLUGIN_SECRET_INVENTORY becomes `apitoken`
 *
 * docs/plugins.md#writing-a-plugin says the rest. The types are looked up by your editor only: nothing is imported when it runs.
 */
import type { Delivery, MakePlugin, Plugin } from "../../src/plugins/PluginModule.ts"

const make: MakePlugin = ({ log, vars }): Plugin => {
  const { apitoken, url } = vars
  if (typeof url !== "string" || typeof apitoken !== "string") {
    // thrown here the plugin is not loaded, and the log says why
    throw new Error("the variables url and apitoken are needed")
  }

  /** Sends an event; whoever receives it knows by the id whether it has had it before. */
  const tell = async (hook: string, event: object, { again, id, signal }: Delivery) => {
    const answer = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${apitoken}` },
      body: JSON.stringify({ id, again, hook, ...event }),
      // without it a system that does not answer costs the whole thread
      signal
    })
    if (answer.ok) return log(`told ${url} of ${hook}`)
    const error = new Error(`the answer has status ${answer.status}`)
    // it would be refused at each attempt: only somebody who mends it can help
    throw answer.status === 400 ? Object.assign(error, { retry: false }) : error
  }

  return {
    selftest: async ({ signal }) => (await fetch(url, { method: "HEAD", signal })).ok,
    new_managed_device: (event, delivery) => tell("new_managed_device", event, delivery),
    allocated_ipv4: (event, delivery) => tell("allocated_ipv4", event, delivery),
    upgrade_reboot_starting: (event, delivery) => tell("upgrade_reboot_starting", event, delivery),
    upgrade_reboot_completed: (event, delivery) => tell("upgrade_reboot_completed", event, delivery),
    removed_device: (event, delivery) => tell("removed_device", event, delivery)
  }
}

export default make
