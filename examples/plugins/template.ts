/**
 * A plugin to begin with: it sends each event to another system as JSON. Copy it to PLUGIN_FOLDER under a new name, keep the hooks that you
 * need, and list it in PLUGIN_FILE:
 *
 *   plugins:
 *     - filename: template.ts
 *       vars:
 *         url: https://inventory.example.org/events
 *         apitoken_secret: INVENTORY # the value of PLUGIN_SECRET_INVENTORY becomes `apitoken`
 *
 * docs/plugins.md#writing-a-plugin says the rest. The types are for your editor only: nothing is imported when it runs.
 */
import type { Delivery, MakePlugin, Plugin } from "@switchyard/server/plugin"

const make: MakePlugin = ({ log, vars }): Plugin => {
  const { apitoken, url } = vars
  if (typeof url !== "string" || typeof apitoken !== "string") {
    // an error here prevents loading the plugin, and the log gives the reason
    throw new Error("the variables url and apitoken are needed")
  }

  /** Sends an event; the receiver recognises repetitions by the id. */
  const send = async (hook: string, event: object, { again, id, signal }: Delivery) => {
    const answer = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${apitoken}` },
      body: JSON.stringify({ id, again, hook, ...event }),
      // without it a system that does not answer blocks the whole thread
      signal
    })
    if (answer.ok) return log(`sent ${hook} to ${url}`)
    const error = new Error(`the answer has status ${answer.status}`)
    // every attempt would be refused: a person must correct the cause
    throw answer.status === 400 ? Object.assign(error, { retry: false }) : error
  }

  return {
    selftest: async ({ signal }) => (await fetch(url, { method: "HEAD", signal })).ok,
    new_managed_device: (event, delivery) => send("new_managed_device", event, delivery),
    allocated_ipv4: (event, delivery) => send("allocated_ipv4", event, delivery),
    upgrade_reboot_starting: (event, delivery) => send("upgrade_reboot_starting", event, delivery),
    upgrade_reboot_completed: (event, delivery) => send("upgrade_reboot_completed", event, delivery),
    removed_device: (event, delivery) => send("removed_device", event, delivery)
  }
}

export default make
