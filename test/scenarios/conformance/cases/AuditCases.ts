/** Reading the audit (docs/security.md#audit). */
import type { Case } from "../Case.ts"

const paths = ["/audit", "/device/east-a1/audit", "/job/3/audit"]

/** Every way to read the audit, with a page and with a filter that does not fit. */
export const auditCases: ReadonlyArray<Case> = [
  ...paths.flatMap((path): ReadonlyArray<Case> => [
    {
      name: "a page of the audit",
      request: { method: "GET", path: `${path}?per_page=1` },
      reply: { status: 200, body: { status: "success", data: {} } }
    },
    {
      name: "why a filter does not fit",
      request: { method: "GET", path: `${path}?filter[color]=red` },
      reply: {
        status: 400,
        body: { message: "Unable to filter audit: color is not a valid attribute to filter on" }
      }
    }
  ]),
  {
    name: "that every event fits its seal",
    request: { method: "GET", path: "/audit/chain" },
    reply: {
      status: 200,
      body: { status: "success", data: { problem: null, event_id: null, checked_at: /^20\d\d-.*Z$/ } }
    }
  },
  {
    name: "no job of that id",
    request: { method: "GET", path: "/job/4711/audit" },
    reply: { status: 404, body: { message: "No job with id 4711 found" } }
  }
]
