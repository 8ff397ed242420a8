/**
 * Plugins, version, health, and what belongs to no route (docs/api.md, docs/plugins.md and
 * docs/operations.md#health).
 */
import { release } from "../../../../src/domain/Release.ts"
import { absent, type Case } from "../Case.ts"

const selftest = (name: string, json: unknown, message: string): Case => ({
  name,
  request: { method: "PUT", path: "/plugins", json },
  reply: { status: 400, body: { status: "error", message } }
})
const probe = (path: string): Case => ({
  name: "that the server is up, without a token",
  request: { method: "GET", path, user: null },
  reply: { status: 200, body: { status: "UP" } }
})
const nothing = (path: string): Case => ({
  name: "that this is no path, in the envelope",
  request: { method: "GET", path, user: null },
  reply: { status: 404, body: { status: "error", message: "Not Found" } }
})
const options = (path: string, allow: string): Case => ({
  name: "the methods of a route, without a token",
  request: { method: "OPTIONS", path, user: null },
  reply: { status: 200, headers: { allow } }
})
const origin = { origin: "https://ui.example.org" }

const system: ReadonlyArray<Case> = [
  {
    name: "loaded plugins and their variables",
    request: { method: "GET", path: "/plugins" },
    reply: {
      status: 200,
      body: {
        data: {
          loaded_plugins: ["switchyard.plugins.filewriter"],
          plugindata: { plugins: [{ filename: "filewriter.py", vars: {} }] },
          plugin_states: [{ filename: "filewriter.py", loaded: true, problem: null, retried_calls: 0 }]
        }
      }
    }
  },
  ...["selftest", "SELFTEST"].map((action): Case => ({
    name: "the results of the selftests",
    request: { method: "PUT", path: "/plugins", json: { action } },
    reply: { status: 200, body: { data: { result: [true] } } }
  })),
  selftest("that an action is needed", {}, "No action specified"),
  ...["test", 5, null].map((action) => selftest("that the action is unknown", { action }, "Unknown action specified")),
  {
    name: "the version, without a token",
    request: { method: "GET", path: "/system/version", user: null },
    reply: {
      status: 200,
      body: { data: { version: release, git_version: /^(No git repo found|Git commit [0-9a-f]{40} \S+ \(.+\))$/ } }
    }
  },
  {
    name: "an empty list of stuck work",
    request: { method: "GET", path: "/system/findings" },
    reply: { status: 200, body: { status: "success" } }
  },
  {
    name: "how the server does",
    request: { method: "GET", path: "/system/status" },
    reply: {
      status: 200,
      body: {
        status: "success",
        data: {
          version: release,
          status: "UP",
          database: { version: /^\d+/ },
          queue: { oldest_seconds: 0 },
          dead_letters: 0,
          replicas: []
        }
      }
    }
  },
  {
    name: "the metrics, from this machine without a token",
    request: { method: "GET", path: "/metrics", user: null },
    reply: { status: 200, headers: { "content-type": /^text\/plain; version=0\.0\.4/ } }
  },
  probe("/api/health"),
  probe("/api/health/live"),
  probe("/api/health/ready"),
  probe("/api/health/replicas"),
  ...["/api/openapi.json", "/api/v1.0/swagger.json"].map((path): Case => ({
    name: "the API document, without a token",
    request: { method: "GET", path, user: null },
    reply: { status: 200, body: { openapi: /^3\.1/, paths: { "/api/v1.0/devices": {} } } }
  })),
  {
    name: "the page of the API document, without a token",
    request: { method: "GET", path: "/api/doc/", user: null },
    reply: { status: 200, headers: { "content-type": /^text\/html/ } }
  }
]

const transport: ReadonlyArray<Case> = [
  ...["/nope", "/devices/", "/Devices", "//devices", "/device", "/api/nope", "/job/abc", "/device/1/nope"]
    .filter((path) => path !== "/device")
    .map(nothing),
  {
    name: "the methods of a path for a wrong one, before any token",
    request: { method: "PATCH", path: "/devices", user: null },
    reply: {
      status: 405,
      body: { status: "error", message: "Method Not Allowed" },
      headers: { allow: "HEAD, GET, OPTIONS" }
    }
  },
  {
    name: "the methods of a path for a wrong one",
    request: { method: "GET", path: "/device" },
    reply: { status: 405, headers: { allow: "POST, OPTIONS" } }
  },
  options("/devices", "HEAD, GET, OPTIONS"),
  options("/linknets", "HEAD, GET, POST, DELETE, OPTIONS"),
  options("/swagger.json", "HEAD, GET, OPTIONS"),
  options("/device/4", "HEAD, GET, PUT, DELETE, OPTIONS"),
  { name: "that this is no path", request: { method: "OPTIONS", path: "/nope", user: null }, reply: { status: 404 } },
  {
    name: "the headers of a list without its body",
    request: { method: "HEAD", path: "/devices" },
    reply: { status: 200, headers: { "x-total-count": "9" } }
  },
  {
    name: "a list in spite of a body with GET",
    request: { method: "GET", path: "/joblocks", headers: { "content-type": "application/json" } },
    reply: { status: 200 }
  },
  {
    name: "that a URL can be too long",
    request: { method: "GET", path: `/devices?x=${"x".repeat(9000)}` },
    reply: { status: 414, body: { status: "error", message: "Request URI Too Long" } }
  },
  ...["/device/%zz", "/device/%ff"].map((path): Case => ({
    name: "that a URL cannot be read",
    request: { method: "GET", path },
    reply: { status: 400, body: { status: "error", message: "Bad Request" } }
  })),
  ...[
    ["/device/a%00b", "The path holds the control character U+0000"],
    ["/devices?filter[hostname]=%00", "The parameter filter[hostname] holds the control character U+0000"]
  ].map(([path = "", message = ""]): Case => ({
    name: "the part of a URL with a forbidden text",
    request: { method: "GET", path },
    reply: { status: 400, body: { status: "error", message } }
  })),
  {
    name: "leave for pages of other origins",
    request: { method: "GET", path: "/devices", headers: origin },
    reply: {
      status: 200,
      headers: {
        "access-control-allow-origin": "https://ui.example.org",
        "access-control-allow-credentials": "true",
        "access-control-expose-headers": /Link.*X-Total-Count/,
        vary: "Origin"
      }
    }
  },
  {
    name: "leave for pages of other origins on errors too",
    request: { method: "GET", path: "/nope", headers: origin, user: null },
    reply: { status: 404, headers: { "access-control-allow-origin": "https://ui.example.org" } }
  },
  {
    name: "nothing about origins without one",
    request: { method: "GET", path: "/devices" },
    reply: { status: 200, headers: { "access-control-allow-origin": null } }
  },
  {
    name: "the permissions of a page, before its request",
    request: {
      method: "OPTIONS",
      path: "/devices",
      user: null,
      headers: {
        ...origin,
        "access-control-request-method": "GET",
        "access-control-request-headers": "authorization, x-fields"
      }
    },
    reply: {
      status: 200,
      headers: {
        "access-control-allow-headers": "authorization, x-fields",
        "access-control-allow-methods": "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT",
        "access-control-expose-headers": /X-Total-Count/
      }
    }
  },
  {
    name: "that a token is needed",
    request: { method: "GET", path: "/devices", user: null },
    reply: { status: 401, body: { status: "error", message: "JWT token missing?", errorCode: absent } }
  }
]

/** Calls that change something and take no body. */
const bodiless: ReadonlyArray<Case> = (
  [
    ["DELETE", "/linknet/1"],
    ["DELETE", "/mgmtdomain/1"],
    ["DELETE", "/learned_lines/1"],
    ["DELETE", "/firmware/EOS64-4.31.5M.swi"],
    ["POST", "/firmware/EOS64-4.31.5M.swi/set-default"],
    ["DELETE", "/auth/tokens/1"],
    ["DELETE", "/auth/users/rita"],
    ["POST", "/alerts/deliveries/x/replay"],
    ["POST", "/alerts/receivers/noc/test"],
    ["DELETE", "/alerts/mutes/1"],
    ["DELETE", "/views/1"],
    ["DELETE", "/proposals/1"]
  ] as const
).map(([method, path]) => ({
  name: "that the call has no options",
  request: { method, path, json: { dry_run: true } },
  reply: { status: 400, body: { status: "error", message: "dry_run: there is no such field" } }
}))

export const systemCases: ReadonlyArray<Case> = [...system, ...transport, ...bodiless]
