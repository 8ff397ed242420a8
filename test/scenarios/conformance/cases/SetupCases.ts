/** The first run (docs/installing.md#first-run). */
import type { Case } from "../Case.ts"

export const setupCases: ReadonlyArray<Case> = [
  {
    name: "how far the installation is",
    request: { method: "GET", path: "/setup" },
    reply: {
      status: 200,
      body: { data: { settings: { address: /settings/ }, networks: null, previewed: false, can_restart: false } }
    }
  },
  {
    name: "that a network is one, without setting it",
    request: { method: "POST", path: "/setup/try", json: { networks: "10.0.0.0/8" } },
    reply: {
      status: 200,
      body: { data: { findings: [{ of: "networks", is_good: true, message: /in one network only/, commit: null }] } }
    }
  },
  {
    name: "why an address cannot be used",
    request: { method: "POST", path: "/setup/try", json: { settings: "ext::sh" } },
    reply: { status: 200, body: { data: { findings: [{ of: "settings", is_good: false, commit: null }] } } }
  },
  ...(["POST", "PUT"] as const).map((method): Case => ({
    name: "that something is needed",
    request: { method, path: method === "POST" ? "/setup/try" : "/setup", json: {} },
    reply: { status: 400, body: { status: "error", message: "One of settings, templates and networks is needed" } }
  })),
  {
    name: "that what does not work is not set",
    request: { method: "PUT", path: "/setup", json: { networks: "10.0.0.0/8, nonsense" } },
    reply: { status: 400, body: { status: "error", message: /^networks: .*nonsense/ } }
  },
  {
    name: "that a setting with a value is changed on the machine of the server",
    request: { method: "PUT", path: "/setup", json: { settings: "https://git.example.org/other.git" } },
    reply: { status: 409, body: { status: "error", message: /^GITREPO_SETTINGS has a value/ } }
  },
  {
    name: "that values are written, and that this server is started anew by hand",
    request: { method: "PUT", path: "/setup", json: { networks: "10.0.0.0/8" } },
    reply: { status: 200, body: { data: { set: ["MANAGEMENT_NETWORKS"], restarts: false } } }
  }
]
